/**
 * Tests by the explorer alone: mutants that seeded runs seldom refute, several turns, three
 * clusters.
 */
import { complete } from '@conclave/core/topology';
import { describe } from 'vitest';
import { everyTransition } from '../../../contract/covered.contract.js';
import { everyInterleaving } from '../../../contract/explored.contract.js';
import { centralCoordinator } from '../../central/central-coordinator/protocol.js';
import { raymond } from '../../token/raymond/protocol.js';
import {
  claimsTooEarly,
  doesNotCountClaims,
  doesNotCountTurns,
  forgetsClaim,
  givesBackInnerTooEarly,
  keepsWithoutRequest,
  mutant,
  unseen,
} from './mutants.contract.js';
import { hierarchical } from './protocol.js';

const parts = { within: centralCoordinator(), between: raymond() };
const ring = hierarchical();
const three = hierarchical({ ...parts, clusters: 3 });
const twice = hierarchical({ ...parts, turns: 2 });

describe('A13 hierarchical: mutual exclusion, in few networks', () => {
  everyInterleaving(
    ring,
    [
      [
        '2 clusters of 2 nodes, one of which requests nothing',
        complete(4),
        { initiators: ['a', 'b', 'd'] },
        849,
      ],
    ],
    {
      'a member claims before it has the inner lock': mutant(
        'complete:4, 17 steps: no node waits in a quiescent state',
        ring,
        claimsTooEarly,
      ),
      'a member gives back the inner lock when it claims the outer one': mutant(
        'complete:4, 4 steps: in each cluster: a node that waits keeps waiting until it enters',
        ring,
        givesBackInnerTooEarly,
      ),
      'the representative forgets a claim that overtakes `left`': mutant(
        'complete:4, 22 steps: every node that wants to enter eventually enters',
        ring,
        forgetsClaim,
      ),
    },
  );
});

describe('A13 hierarchical: mutual exclusion, in three clusters', () => {
  everyInterleaving(
    three,
    [
      ['3 clusters of 2 nodes, 2 entries each', complete(6), { commands: 2 }, 22_565],
      [
        '3 clusters of 2 nodes, 2 entries each, nothing overtakes',
        complete(6),
        { commands: 2, order: 'fifo' },
        13_098,
      ],
    ],
    {},
  );
  everyTransition(three, {
    topology: complete(6),
    budget: { commands: 2 },
    states: 22_565,
    transitions: 76_444,
    depth: 56,
    undelivered: [
      ...unseen('representative-coordinator', {
        'agent.idle': 'left',
        'agent.asking': 'claim left within-request within-released',
        'agent.open': 'between-token',
        'agent.closing': 'claim left within-request within-released between-request between-token',
        'within.free': 'claim within-released',
        'between.released.away': 'left between-token',
        'between.released.asked': 'left',
        'between.released.here': 'left between-token',
        'between.wanted': 'claim left within-request within-released',
        'between.held': 'between-token',
      }),
      ...unseen('member-client', {
        'client.released': 'admitted within-grant',
        'client.wanted.inCluster': 'admitted',
        'client.wanted.atRepresentative': 'within-grant',
        'client.held': 'admitted within-grant',
        'within.released': 'admitted within-grant',
        'within.wanted': 'admitted',
        'within.held': 'within-grant',
      }),
    ],
  });
});

describe('A13 hierarchical: mutual exclusion, 2 turns', () => {
  const systems = (budget: object) => [{ topology: complete(6), budget }];
  everyInterleaving(
    twice,
    [
      ['2 turns, 3 of 4 clients', systems({ initiators: ['b', 'c', 'e'] }), 6_405],
      [
        '2 turns, 3 of 4 clients, 2 entries each, nothing overtakes',
        systems({ commands: 2, initiators: ['b', 'c', 'e'], order: 'fifo' }),
        16_315,
      ],
    ],
    {
      'the cluster keeps the outer lock without a request': mutant(
        'complete:6, 20 steps: no node waits in a quiescent state',
        twice,
        keepsWithoutRequest,
      ),
      'turns are not counted': mutant(
        'complete:6, 13 steps: each entry has a larger fencing token than every entry before it',
        twice,
        doesNotCountTurns,
      ),
      'a request counts even after its claim': mutant(
        'complete:6, 20 steps: no node waits in a quiescent state',
        twice,
        doesNotCountClaims,
      ),
    },
  );
});

describe('A13 hierarchical: mutual exclusion, 2 turns of a token ring', () => {
  const ringTwice = hierarchical({ turns: 2 });
  everyInterleaving(
    ringTwice,
    [
      ['2 turns, 2 clusters of 2 nodes', complete(4), {}, 17_090],
      [
        '2 turns, clusters of 3 and 2 nodes, 3 of 5',
        complete(5),
        { initiators: ['b', 'c', 'e'] },
        9_448,
      ],
    ],
    {},
  );
});
