import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { virtualTree } from './protocol.js';

/** Four nodes that join and leave have 786,881 states: walks reach what takes them. */
export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      { topology: complete(3), budget: {} },
      { topology: complete(4), budget: { time: { kind: 'exact', delay: [100, 100] } } },
    ],
    states: 100_000,
    walks: () => [{ topology: complete(4), budget: {}, walks: 1000, steps: 150 }],
  },
  'addresses=1': {
    systems: () => [3, 4].map((n) => ({ topology: complete(n), budget: {} })),
    states: 100_000,
    walks: () => [{ topology: complete(6), budget: {}, walks: 1000, steps: 300 }],
  },
};

export const verified: Verified = () =>
  systemsOf('B13 Virtual tree', [
    run('a registry and 3 nodes', 'each joins and leaves, FIFO', virtualTree(), complete(4)),
  ]);
