import { defaultSystems } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../../mutation-notes.js';

/** The systems on which its mutants are explored, and why some survive. */
export const mutation: NotesByOptions = {
  '': {
    systems: (protocol) => [
      ...defaultSystems(protocol),
      { topology: complete(4), budget: { initiators: ['b', 'c', 'd'] } },
      { topology: complete(4), budget: { initiators: ['b', 'c'], commands: 2 } },
    ],
    reasons: {},
  },
};
