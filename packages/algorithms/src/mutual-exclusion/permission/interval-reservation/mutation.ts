import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../../mutation-notes.js';

/** Two intervals without conflict. */
const commands = [
  { from: 628, to: 737 },
  { from: 737, to: 780 },
].map((interval) => ({ type: 'acquire', interval }));

/** The systems on which its mutants are explored, and why some survive. */
export const mutation: NotesByOptions = {
  '': {
    systems: () => [
      { topology: complete(2), budget: {} },
      { topology: complete(2), budget: { inputs: commands } },
      { topology: complete(3), budget: { inputs: commands.slice(0, 1) } },
    ],
    reasons: {},
  },
};
