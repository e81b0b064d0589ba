import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../mutation-notes.js';

/** The systems on which its mutants are explored. All are killed there. */
export const mutation: NotesByOptions = {
  '': {
    systems: () => [
      ...[{}, { commands: 2 }, { duplications: 1 }].map((budget) => ({
        topology: complete(2),
        budget,
      })),
      { topology: complete(3), budget: {} },
      // Only a third member delays a message of which it gets a second copy.
      { topology: complete(3), budget: { initiators: ['a', 'b'], duplications: 1 } },
    ],
    reasons: {},
  },
};
