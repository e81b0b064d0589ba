import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified, violating } from '../../checks/checks.js';
import { runsOf } from '../weaker-orders.js';
import { causalMulticast } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      ...[{}, { commands: 2 }, { duplications: 1 }].map((budget) => ({
        topology: complete(2),
        budget,
      })),
      { topology: complete(3), budget: {} },
      // Only a third member delays a message of which it gets a second copy.
      { topology: complete(3), budget: { initiators: ['a', 'b'], duplications: 1 } },
    ],
  },
};

export const pictures = runsOf('fifo-is-not-causal', 'causal-is-not-total');

/** All multicasts carry the same data. */
const inputs = [{ type: 'multicast', data: 'x' }];

export const verified: Verified = () =>
  systemsOf('C4c Causally ordered multicast of equal data', [
    run('4 members', '2 senders of 2 multicasts', causalMulticast(), complete(4), {
      inputs,
      initiators: ['a', 'b'],
      commands: 2,
    }),
    violating(
      run('4 members', '3 senders, one member may crash', causalMulticast(), complete(4), {
        inputs,
        initiators: ['a', 'b', 'c'],
        crashes: 1,
      }),
      'all live members eventually deliver what a live member has multicast',
      'all live members eventually deliver what a live member has delivered',
      'no node waits in a quiescent state',
    ),
  ]);
