import { complete } from '@conclave/core/topology';
import { assign } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { cancelContract } from '../../cancel.contract.js';
import { cancellable, machine } from './leased-majority.js';
import { leasedMajority } from './protocol.js';

const protocol = leasedMajority({ lease: 5_000, renewal: 2_000, cancel: true });
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;

cancelContract({
  protocol,
  topologies: [2, 3, 5].map((n) => complete(n)),
  explored: [
    ['2 nodes, a request each', complete(2), { time }, 16_868],
    [
      '3 nodes, one of them two requests',
      complete(3),
      { initiators: ['b'], commands: 2, time },
      18_007,
    ],
  ],
  costs: [],
  mutants: {
    'a client keeps the votes that it does not need': {
      protocol: withMachine(
        protocol,
        cancellable(machine).provide({ actions: { returnVotes: assign({}) } }),
      ),
      refuted:
        'complete:2, 4 steps: a node that leaves the critical section returns all votes, with a floor above its ballot',
    },
  },
});
