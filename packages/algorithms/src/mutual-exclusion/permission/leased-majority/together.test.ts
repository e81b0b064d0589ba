/** Options that change the same machine, together: the properties of each hold. */
import { type ExploreOptions, explore } from '@conclave/check';
import type { Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { quick } from '../../../contract/explored.contract.js';
import { failing } from '../../../contract/findings.contract.js';
import { withMachine } from '../../../contract/machines.contract.js';
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

type System = readonly [nodes: number, budget: ExploreOptions, states: number];
type Row = readonly [protocol: Protocol, systems: readonly System[]];

const bunches: readonly Row[] = [
  [
    of({ keep, greedy: 1, priority: true }),
    [
      [2, { commands: 2, inputs: plain, time: points }, 16_406],
      [3, { initiators: ['b'], inputs: plain, ...faults, time: points }, 927],
    ],
  ],
  [
    only(of({ keep, greedy: 1, revoke: true }), ['a', 'b'], ['a']),
    [[2, { inputs: revoking, time: points }, 9_125]],
  ],
  [
    only(of({ keep, greedy: 1, revoke: true }), ['a'], ['b']),
    [
      [2, { commands: 2, inputs: revoking, losses: 1, time: points }, 8_936],
      [3, { inputs: revoking, ...faults, time: points }, 26_964],
    ],
  ],
];

const clients: readonly Row[] = [
  [
    of({ keep, servers: 1 }),
    [
      [2, { initiators: ['b'], commands: 2, time: points }, 351],
      [3, { initiators: ['b', 'c'], inputs, losses: 1, duplications: 1, time: points }, 108_724],
      [3, { initiators: ['b', 'c'], inputs, ...ofClient, time }, 499_965],
    ],
  ],
  [of({ keep, servers: 2 }), [[3, { initiators: ['a', 'c'], inputs, time: points }, 5_421]]],
  [
    of({ keep, servers: 3 }),
    [
      [4, { initiators: ['d'], commands: 2, inputs, time: points }, 21_907],
      [4, { initiators: ['d'], inputs, order: 'fifo', ...ofVoter, time: points }, 1_913],
    ],
  ],
  [
    of({ keep, greedy: 1, servers: 1 }),
    [
      [3, { initiators: ['b', 'c'], commands: 2, inputs, time: points }, 57_486],
      [3, { initiators: ['b', 'c'], inputs, ...ofClient, time: points }, 6_740],
    ],
  ],
  [
    of({ revoke: true, servers: 1 }),
    [
      [2, { time: points }, 460],
      [2, { losses: 1, time }, 93_535],
    ],
  ],
  [
    only(of({ revoke: true, servers: 1 }), ['b', 'c'], ['a']),
    [[3, { inputs: revoking, time: points }, 10_296]],
  ],
  [
    only(of({ revoke: true, servers: 3 }), ['d'], ['a']),
    [[4, { inputs: revoking, order: 'fifo', ...ofVoter, time }, 619_656]],
  ],
  [
    only(of({ keep, revoke: true, servers: 1 }), ['b'], ['a']),
    [[2, { commands: 2, inputs: revoking, time: points }, 8_556]],
  ],
  [
    of({ priority: true, servers: 1 }),
    [
      [3, { initiators: ['b', 'c'], inputs: ranked, time: points }, 443_933],
      [3, { initiators: ['b', 'c'], inputs: plain, ...ofClient, time: points }, 3_140],
    ],
  ],
  [
    of({ priority: true, servers: 2 }),
    [
      [3, { initiators: ['a', 'c'], inputs: plain, order: 'fifo', time: points }, 600],
      [4, { initiators: ['c', 'd'], inputs: plain, order: 'fifo', time: points }, 4_542],
    ],
  ],
  [
    of({ priority: true, servers: 3 }),
    [[4, { initiators: ['d'], inputs: plain, order: 'fifo', ...ofVoter, time }, 15_480]],
  ],
];

const changing: readonly Row[] = [
  [
    wishing(of({ keep, voters }), { a: ['b', 'c'] }),
    [
      [3, { initiators: ['a'], commands: 2, inputs, time: change }, 1_125],
      [3, { initiators: ['a'], inputs, ...faults, time: change }, 8_498],
      [3, { initiators: ['b'], commands: 2, inputs, ...faults, time: change }, 20_761],
      [3, { initiators: ['a', 'b'], inputs, time: change }, 31_276],
    ],
  ],
  [
    wishing(of({ keep, voters }), { d: ['b', 'c'] }),
    [[4, { initiators: ['d'], inputs, ...faults, time: change }, 65_333]],
  ],
  [
    of({ keep, voters: ['a'] }),
    [[3, { initiators: ['b', 'c'], commands: 2, inputs, time: points }, 176_762]],
  ],
  [
    of({ keep, greedy: 1, voters: ['a'] }),
    [[3, { initiators: ['b', 'c'], commands: 2, inputs, time: points }, 182_919]],
  ],
  [
    only(wishing(of({ revoke: true, voters }), { a: ['b', 'c'] }), ['a'], ['b']),
    [[3, { inputs: revoking, ...faults, time: change }, 132_348]],
  ],
  [
    wishing(of({ priority: true, voters }), { a: ['b', 'c'] }),
    [[3, { initiators: ['a', 'b'], inputs: plain, time: change }, 32_013]],
  ],
];

describe.each([
  ['in bunches', bunches],
  ['with clients', clients],
  ['with voters that change', changing],
])('leased-majority %s', (_where, rows) => {
  const systems = rows.flatMap(([protocol, of]) =>
    of.map((system) => [JSON.stringify(protocol.options), protocol, ...system] as const),
  );
  it.each(quickOf(systems, ([, , , , states]) => states <= quick))(
    'its properties hold in every interleaving: %s, system %#',
    (_options, protocol, n, budget, states) => {
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
