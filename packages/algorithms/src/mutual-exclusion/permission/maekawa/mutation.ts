import { defaultSystems } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../../mutation-notes.js';

/** Where its mutants are explored, and why those survive that do. */
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
