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
  'cancel=true': {
    systems: (protocol) => [
      ...defaultSystems(protocol, { commands: [1] }),
      { topology: complete(2), budget: { commands: 2 } },
      { topology: complete(3), budget: { initiators: ['a', 'b'], commands: 2 } },
      { topology: complete(4), budget: { initiators: ['b', 'c'] } },
      // All entries, without `cancel`.
      {
        topology: complete(4),
        budget: { initiators: ['b', 'c', 'd'], inputs: [{ type: 'acquire' }] },
      },
      {
        topology: complete(4),
        budget: { initiators: ['b', 'c'], inputs: [{ type: 'acquire' }], commands: 2 },
      },
    ],
    reasons: {},
  },
};
