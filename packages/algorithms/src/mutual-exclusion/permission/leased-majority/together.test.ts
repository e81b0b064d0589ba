/** Options that change the same machine, together: the properties of each hold. */
import { type ExploreOptions, explore } from '@conclave/check';
import type { Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { quick } from '../../../contract/explored.contract.js';
import { failing } from '../../../contract/findings.js';
import { withMachine } from '../../../contract/mutant.js';
import { withVote } from './actions.js';
import { machine } from './leased-majority.js';
import type { Context, Event } from './node.js';
import { leasedMajority } from './protocol.js';
import { only, shortBlocks, wishing } from './reduced.contract.js';
import { servingOf } from './serving.js';
import type { Options } from './settings.js';

const of = (options: Options) =>
  shortBlocks(leasedMajority({ lease: 5_000, renewal: 2_000, ...options }), options.greedy ? 3 : 2);
const keep = 3_000;
const exact = (delay: number, longest: number) =>
  ({ kind: 'exact', delay: [delay, delay], stays: { critical: [0, longest] } }) as const;
const [points, time] = [exact(0, 0), exact(1_000, 1_000)];
/** Stays that are long enough for a change of the voters. */
const change = { ...exact(500, 0), stays: { critical: [2_000, 2_000] } } as const;
const inputs = [{ type: 'acquire' }];
const plain = [{ type: 'acquire', priority: 0 }];
const ranked = [...plain, { type: 'acquire', priority: 1 }];
const revoking = [...inputs, { type: 'revoke', reason: 'by hand' }];
const faults = { crashes: 1, restarts: 1 } as const;
const ofVoter = { ...faults, mayCrash: ['voter'] } as const;
const ofClient = { crashes: 1, mayCrash: ['client'] } as const;
const voters = ['a', 'b', 'c'];

type Row = readonly [
  what: string,
  protocol: Protocol,
  nodes: number,
  budget: ExploreOptions,
  states: number,
];

const bunches: readonly Row[] = [
  [
    'greedy and priority, two entries each',
    of({ keep, greedy: 1, priority: true }),
    2,
    { commands: 2, inputs: plain, time: points },
    16_406,
  ],
  [
    'greedy and priority, one of three enters, any other crashes and restarts',
    of({ keep, greedy: 1, priority: true }),
    3,
    { initiators: ['b'], inputs: plain, ...faults, time: points },
    927,
  ],
  [
    'greedy and revoke, two enter, one revokes',
    only(of({ keep, greedy: 1, revoke: true }), ['a', 'b'], ['a']),
    2,
    { inputs: revoking, time: points },
    9_125,
  ],
  [
    'greedy and revoke, one enters twice, the other revokes, a loss',
    only(of({ keep, greedy: 1, revoke: true }), ['a'], ['b']),
    2,
    { commands: 2, inputs: revoking, losses: 1, time: points },
    8_936,
  ],
  [
    'greedy and revoke, one enters, another revokes, any crashes and restarts',
    only(of({ keep, greedy: 1, revoke: true }), ['a'], ['b']),
    3,
    { inputs: revoking, ...faults, time: points },
    26_964,
  ],
];

const clients: readonly Row[] = [
  [
    'keep, a client of a server enters twice',
    of({ keep, servers: 1 }),
    2,
    { initiators: ['b'], commands: 2, time: points },
    351,
  ],
  [
    'keep, two clients of a server, a loss and a copy',
    of({ keep, servers: 1 }),
    3,
    { initiators: ['b', 'c'], inputs, losses: 1, duplications: 1, time: points },
    108_724,
  ],
  [
    'keep, two clients of a server, one crashes, messages of 1 s',
    of({ keep, servers: 1 }),
    3,
    { initiators: ['b', 'c'], inputs, ...ofClient, time },
    499_965,
  ],
  [
    'keep, a server of two and a client enter',
    of({ keep, servers: 2 }),
    3,
    { initiators: ['a', 'c'], inputs, time: points },
    5_421,
  ],
  [
    'keep, a client of three servers enters twice',
    of({ keep, servers: 3 }),
    4,
    { initiators: ['d'], commands: 2, inputs, time: points },
    21_907,
  ],
  [
    'keep, a client of three servers, of which any crashes and restarts',
    of({ keep, servers: 3 }),
    4,
    { initiators: ['d'], inputs, order: 'fifo', ...ofVoter, time: points },
    1_913,
  ],
  [
    'greedy, two clients of a server enter twice',
    of({ keep, greedy: 1, servers: 1 }),
    3,
    { initiators: ['b', 'c'], commands: 2, inputs, time: points },
    57_486,
  ],
  [
    'greedy, two clients of a server, one crashes',
    of({ keep, greedy: 1, servers: 1 }),
    3,
    { initiators: ['b', 'c'], inputs, ...ofClient, time: points },
    6_740,
  ],
  [
    'revoke, a client enters, its server revokes',
    of({ revoke: true, servers: 1 }),
    2,
    { time: points },
    460,
  ],
  [
    'revoke, a client of a server enters, a loss, messages of 1 s',
    of({ revoke: true, servers: 1 }),
    2,
    { losses: 1, time },
    93_535,
  ],
  [
    'revoke, two clients of a server, which revokes',
    only(of({ revoke: true, servers: 1 }), ['b', 'c'], ['a']),
    3,
    { inputs: revoking, time: points },
    10_296,
  ],
  [
    'revoke, a client of three servers, of which any crashes and restarts',
    only(of({ revoke: true, servers: 3 }), ['d'], ['a']),
    4,
    { inputs: revoking, order: 'fifo', ...ofVoter, time },
    619_656,
  ],
  [
    'keep and revoke, a client of a server enters twice, its server revokes',
    only(of({ keep, revoke: true, servers: 1 }), ['b'], ['a']),
    2,
    { commands: 2, inputs: revoking, time: points },
    8_556,
  ],
  [
    'priority, two clients of a server',
    of({ priority: true, servers: 1 }),
    3,
    { initiators: ['b', 'c'], inputs: ranked, time: points },
    443_933,
  ],
  [
    'priority, a server of two and a client',
    of({ priority: true, servers: 2 }),
    3,
    { initiators: ['a', 'c'], inputs: plain, order: 'fifo', time: points },
    600,
  ],
  [
    'priority, two clients of two servers',
    of({ priority: true, servers: 2 }),
    4,
    { initiators: ['c', 'd'], inputs: plain, order: 'fifo', time: points },
    4_542,
  ],
  [
    'priority, two clients of a server, one crashes',
    of({ priority: true, servers: 1 }),
    3,
    { initiators: ['b', 'c'], inputs: plain, ...ofClient, time: points },
    3_140,
  ],
  [
    'priority, a client of three servers, of which any crashes and restarts',
    of({ priority: true, servers: 3 }),
    4,
    { initiators: ['d'], inputs: plain, order: 'fifo', ...ofVoter, time },
    15_480,
  ],
];

const changing: readonly Row[] = [
  [
    'keep, the holder removes itself, and enters twice',
    wishing(of({ keep, voters }), { a: ['b', 'c'] }),
    3,
    { initiators: ['a'], commands: 2, inputs, time: change },
    1_125,
  ],
  [
    'keep, the holder removes itself, any crashes and restarts',
    wishing(of({ keep, voters }), { a: ['b', 'c'] }),
    3,
    { initiators: ['a'], inputs, ...faults, time: change },
    8_498,
  ],
  [
    'keep, a holder enters twice without a change, any crashes and restarts',
    wishing(of({ keep, voters }), { a: ['b', 'c'] }),
    3,
    { initiators: ['b'], commands: 2, inputs, ...faults, time: change },
    20_761,
  ],
  [
    'keep, two enter, of which one removes itself',
    wishing(of({ keep, voters }), { a: ['b', 'c'] }),
    3,
    { initiators: ['a', 'b'], inputs, time: change },
    31_276,
  ],
  [
    'keep, a node that does not vote changes the voters, any crashes and restarts',
    wishing(of({ keep, voters }), { d: ['b', 'c'] }),
    4,
    { initiators: ['d'], inputs, ...faults, time: change },
    65_333,
  ],
  [
    'keep, two nodes that do not vote enter twice',
    of({ keep, voters: ['a'] }),
    3,
    { initiators: ['b', 'c'], commands: 2, inputs, time: points },
    176_762,
  ],
  [
    'greedy, two nodes that do not vote enter twice',
    of({ keep, greedy: 1, voters: ['a'] }),
    3,
    { initiators: ['b', 'c'], commands: 2, inputs, time: points },
    182_919,
  ],
  [
    'greedy, the holder removes itself, any crashes and restarts',
    wishing(of({ keep, greedy: 1, voters }), { a: ['b', 'c'] }),
    3,
    { initiators: ['a'], inputs, ...faults, time: change },
    8_498,
  ],
  [
    'revoke, the holder removes itself, another node revokes, any crashes and restarts',
    only(wishing(of({ revoke: true, voters }), { a: ['b', 'c'] }), ['a'], ['b']),
    3,
    { inputs: revoking, ...faults, time: change },
    132_348,
  ],
  [
    'priority, the holder removes itself, any crashes and restarts',
    wishing(of({ priority: true, voters }), { a: ['b', 'c'] }),
    3,
    { initiators: ['a'], inputs: plain, ...faults, time: change },
    8_498,
  ],
  [
    'priority, two enter, of which one removes itself',
    wishing(of({ priority: true, voters }), { a: ['b', 'c'] }),
    3,
    { initiators: ['a', 'b'], inputs: plain, time: change },
    32_013,
  ],
];

describe.each([
  ['in bunches', bunches],
  ['with clients', clients],
  ['with voters that change', changing],
])('leased-majority %s', (_where, rows) => {
  it.each(quickOf(rows, ([, , , , states]) => states <= quick))(
    'its properties hold in every interleaving: %s',
    (...row) => {
      const [, protocol, n, budget, states] = row;
      const found = explore(protocol, complete(n), budget);
      expect([failing(found), found.complete, found.states]).toEqual([[], true, states]);
    },
  );
});

describe('leased-majority with keep and clients', () => {
  const protocol = of({ keep, servers: 1 });
  const violated = (role: string, actions: object) => {
    const own = protocol.roles[role]?.machine;
    if (!own) throw new Error(`there is no role ${role}`);
    const mutant = withMachine(protocol, own.provide({ actions }), role);
    const limits = { states: 2_000 };
    const { properties } = explore(mutant, complete(3), { inputs, time: points, limits });
    return properties.flatMap(({ name, verdict }) => (verdict === 'violated' ? [name] : []));
  };

  it('[LQ23] the properties notice a voter that tells nobody, and a client that does not listen', () => {
    expect(
      violated('voter', { enqueue: servingOf(machine).implementations.actions.enqueue }),
    ).toContain('a voter whose vote a client has that does not vote tells it when a request waits');
    const takeVote = assign(({ context, event }: { context: Context; event: Event }) => ({
      ...withVote(context, event),
      wanted: false,
    }));
    expect(violated('client', { takeVote })).toContain(
      'a client that is told that others wait knows it',
    );
  });

  it('[LQ23] lets another client in as soon as it asks, long before `keep` has passed', () => {
    const { exclusion } = simulate({
      protocol: leasedMajority({ keep: 60_000, servers: 3 }),
      topology: complete(5),
      workload: closedLoop({ entries: 10, nodes: ['d', 'e'], think: { kind: 'fixed', ms: 100 } }),
      conditions: { order: 'any', delay: { kind: 'fixed', ms: 5 } },
    });
    const waits = exclusion.entries.map(({ requestedAt, enteredAt }) => enteredAt - requestedAt);
    expect(waits).toHaveLength(20);
    expect(Math.max(...waits)).toBeLessThan(60);
  });
});
