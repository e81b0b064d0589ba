import { defaultSystems } from '@conclave/core/mutation';
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
    systems: (protocol) => [...defaultSystems(protocol, { commands: [1] }), { topology: complete(2), budget: { inputs: commands } }],
    reasons: {},
  },
};
