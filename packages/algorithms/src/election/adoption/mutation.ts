import { defaultSystems } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../mutation-notes.js';

/** The systems on which its mutants are explored. All are killed there. */
export const mutation: NotesByOptions = {
  '': {
    // Only on a cycle are there edges outside the tree.
    systems: (protocol) => [
      ...defaultSystems(protocol),
      { topology: complete(3), budget: { commands: 1 } },
    ],
    reasons: {},
  },
};
