import { complete } from '@conclave/core/topology';
import { mutantOf } from '../../../contract/mutant.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { machine } from './leased-majority.js';
import { leasedMajority } from './protocol.js';

/** A lease as short as it may be: the fewer renewals, the fewer worlds. */
const protocol = leasedMajority({ lease: 5_000, renewal: 2_000 });
const mutant = mutantOf(protocol);
/** Messages of exactly one second, and stays of at most one. */
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;

mutualExclusionContract({
  protocol,
  topologies: [2, 3, 4].map((n) => complete(n)),
  small: [{ topology: complete(2), budget: { initiators: ['a'], time } }],
  explored: [
    ['2 nodes, an entry each', complete(2), {}, 39_503],
    [
      '3 nodes, one of them enters, any other crashes and restarts',
      complete(3),
      { initiators: ['b'], crashes: 1, restarts: 1 },
      38_407,
    ],
    [
      '3 nodes, two of which enter, messages of 1 s',
      complete(3),
      { initiators: ['a', 'b'], time },
      941_259,
    ],
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  mutants: {
    'a node enters with less than a majority': mutant(
      'complete:2, 1 steps: a majority is bound to the ballot of a node in the critical section',
      machine.provide({ guards: { isProved: () => true } }),
    ),
  },
});
