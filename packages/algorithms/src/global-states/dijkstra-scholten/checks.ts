import { chain, complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { dijkstraScholten } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      { topology: complete(2), budget: { commands: 2 } },
      { topology: chain(3), budget: { commands: 2 } },
      { topology: complete(3), budget: {} },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('E2 Dijkstra–Scholten', [
    run('3 nodes', '2 messages of each, any order', dijkstraScholten(), complete(3), {
      commands: 2,
    }),
    run('4 nodes', 'a message of each, any order', dijkstraScholten(), complete(4)),
  ]);
