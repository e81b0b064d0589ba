import { defaultSystems } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import type { Mutants } from '../../../checks.js';

export const mutants: Mutants = {
  '': {
    systems: (protocol) => [
      ...defaultSystems(protocol),
      { topology: complete(4), budget: { initiators: ['b', 'c', 'd'] } },
      { topology: complete(4), budget: { initiators: ['b', 'c'], commands: 2 } },
    ],
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
  },
};
