import { defaultSystems } from '@conclave/core/internal/mutation';
import type { MutationSystem } from '@conclave/core/mutation';
import type { Protocol } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import type { Mutants } from './checks.js';

/**
 * The systems on which the mutants of elections on a one-way ring are explored. All are killed
 * there.
 */
export const mutants: Mutants = {
  '': {
    // Only `a` starts, so the others must be woken. Four nodes in this order: relays get several
    // larger candidates, and there are two phases.
    systems: (protocol) => [
      ...[ring(2), ring(3)].map((topology) => ({ topology, budget: { initiators: ['a'] } })),
      ...defaultSystems(protocol),
      { topology: ring(['a', 'c', 'b', 'd']), budget: { commands: 1 } },
    ],
  },
};

/** The same systems for two-way rings. */
export const twoWaySystems = (protocol: Protocol): readonly MutationSystem[] => [
  { topology: ring(3, { oneWay: false }), budget: { initiators: ['a'] } },
  ...defaultSystems(protocol),
  { topology: ring(['a', 'c', 'b', 'd'], { oneWay: false }), budget: { commands: 1 } },
];
