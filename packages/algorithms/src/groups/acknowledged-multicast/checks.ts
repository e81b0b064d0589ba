import type { MutationSystem } from '@conclave/core/mutation';
import type { NodeView } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import type { Mutants } from '../../checks.js';

/** All multicasts carry the same data: far fewer states. */
const inputs = [{ type: 'multicast', data: 'x' }];
const a = { initiators: ['a'], inputs } as const;
const isSender = ({ id }: NodeView): boolean => id === 'a';

const systems = (): readonly MutationSystem[] => [
  { topology: complete(2), budget: { ...a, commands: 2, losses: 1, duplications: 1 } },
  {
    topology: complete(2),
    budget: { ...a, losses: 1, crashes: 1, restarts: 1, mayCrash: isSender },
  },
  { topology: complete(3), budget: { ...a, losses: 1, duplications: 1, crashes: 1 } },
  { topology: complete(3), budget: { initiators: ['a', 'b'], inputs } },
];

export const mutants: Mutants = {
  '': { systems },
  'relay=silence': { systems },
};
