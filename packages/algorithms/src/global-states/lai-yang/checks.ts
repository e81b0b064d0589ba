import { chain, complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { laiYang } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    systems: () =>
      [chain(2), chain(3), complete(3)].map((topology) => ({
        topology,
        budget: topology.links.length > 4 ? { initiators: ['a', 'b'] } : {},
      })),
  },
};

export const verified: Verified = () =>
  systemsOf('E1b Lai–Yang', [
    run('3 nodes', '2 coins, a payment of each node, any order', laiYang(), complete(3)),
    run(
      'chain of 3',
      '3 coins, 2 payments of each node, any order',
      laiYang({ coins: 3 }),
      chain(3),
      {
        commands: 2,
      },
    ),
  ]);
