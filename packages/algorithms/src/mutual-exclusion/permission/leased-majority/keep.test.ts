/** The option `keep`: a node that has left keeps its votes, and enters again without a message. */
import { explore } from '@conclave/check';
import { fire, start } from '@conclave/core/internal';
import { type LocalState, overtaken, send } from '@conclave/core/protocol';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { EventObject } from 'xstate';
import { everyInterleavingOfVariant } from '../../../contract/explored.contract.js';
import { propertyNamed } from '../../../contract/findings.contract.js';
import { takeAll } from '../../../contract/machines.contract.js';
import { conditionsFor, seedsTo, sweep } from '../../../contract/sweep.contract.js';
import { greedyKeepingMachine } from './keeping.js';
import { withoutClocks } from './properties.js';
import { leasedMajority } from './protocol.js';
import { shortBlocks } from './reduced.contract.js';

const protocol = shortBlocks(leasedMajority({ lease: 5_000, renewal: 2_000, keep: 3_000 }));
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;
const long = { ...time, stays: { critical: [0, 8_000] } } as const;
const instant = { ...time, delay: [0, 0] } as const;

describe('leased-majority with keep', () => {
  everyInterleavingOfVariant(protocol, [
    [complete(2), { initiators: ['a'], commands: 2, time }, 951],
    [complete(2), { initiators: ['a'], commands: 3, time }, 3_070],
    [complete(2), { initiators: ['a'], commands: 2, losses: 3, time: long }, 34_328],
    [complete(2), { commands: 2, inputs: [{ type: 'acquire' }], time: instant }, 32_595],
    [complete(2), {}, 73_925],
    [complete(3), { initiators: ['b'], commands: 2, crashes: 1, restarts: 1, time }, 223_746],
    [complete(3), { initiators: ['b'], crashes: 1, restarts: 1 }, 113_556],
    [complete(3), { initiators: ['a', 'b'], time }, 1_201_482],
  ]);

  it('is safe and live in seeded runs, and handles every message', () => {
    const { runs, failure } = sweep({
      protocol,
      topologies: [2, 3, 4].map((n) => complete(n)),
      workload: () =>
        closedLoop({
          entries: 3,
          think: { kind: 'exponential', mean: 500 },
          hold: { kind: 'uniform', least: 0, most: 500 },
        }),
      seeds: seedsTo(2),
    });
    expect(failure).toBeUndefined();
    expect(runs).toBe(2 * 3 * conditionsFor(protocol).length);
  });

  it('costs 2(n−1) messages for the first entry and none for the next; then the votes go back', () => {
    for (const n of [3, 5, 9]) {
      const result = simulate({
        protocol: leasedMajority({ keep: 1_500 }),
        topology: complete(n),
        workload: closedLoop({ entries: 5, nodes: ['a'], think: { kind: 'fixed', ms: 100 } }),
        conditions: { order: 'any', delay: { kind: 'fixed', ms: 5 } },
      });
      expect(totalMessages(result)).toBe(3 * (n - 1));
      expect(
        result.exclusion.entries.map(({ requestedAt, enteredAt }) => enteredAt - requestedAt),
      ).toEqual([10, 0, 0, 0, 0]);
    }
  });

  it('lets a node that asks in after a round trip and a message: it waits for no time to pass', () => {
    const result = simulate({
      protocol: leasedMajority({ keep: 60_000 }),
      topology: complete(3),
      workload: closedLoop({ entries: 20, think: { kind: 'fixed', ms: 100 } }),
      conditions: { order: 'any', delay: { kind: 'fixed', ms: 5 } },
    });
    const waits = result.exclusion.entries.map(
      ({ requestedAt, enteredAt }) => enteredAt - requestedAt,
    );
    expect(Math.max(...waits)).toBeLessThanOrEqual(60);
    expect(waits).toHaveLength(60);
  });

  proof('drift up to its bound: no vote ends while a node keeps it', () => {
    const drifting = shortBlocks(
      leasedMajority({ lease: 4_000, drift: 0.2, renewal: 1_000, keep: 1_500 }),
    );
    const names = [
      'at most one node is in the critical section',
      'a majority is bound to the ballot of a node in the critical section',
      'each entry has a larger fencing token than every entry before it',
    ];
    const found = explore(drifting, complete(3), {
      initiators: ['a'],
      commands: 2,
      losses: 1,
      time: { kind: 'exact', delay: [0, 0], stays: { critical: [0, 6_000] }, drift: 0.2 },
      properties: drifting.properties.filter(({ name }) => names.includes(name)),
    });
    expect([found.complete, found.states]).toEqual([true, 722_743]);
    for (const name of names) expect(propertyNamed(found.properties, name).verdict).toBe('holds');
  });

  proof(
    'needs no timers for what tokens rest on: a majority has recorded each ballot that has entered',
    () => {
      const recorded = explore(protocol, complete(3), {
        commands: 2,
        time: 'untimed',
        initiators: ['a', 'b'],
        crashes: 1,
        restarts: 1,
        properties: withoutClocks,
        limits: { states: 60_000 },
      });
      expect(recorded.properties.map(({ verdict }) => verdict)).not.toContain('violated');
    },
  );
});

// The option `greedy`, with `keep`.

const times = { lease: 5_000, renewal: 2_000, keep: 3_000 };
const greedy = shortBlocks(leasedMajority({ ...times, greedy: 1 }), 3);
const points = { kind: 'exact', delay: [0, 0], stays: { critical: [0, 0] } } as const;
const inputs = [{ type: 'acquire' }];

describe('leased-majority rules with greedy', () => {
  const input = { self: 'a', nodes: ['a', 'b', 'c'], lease: 5, validity: 4, renewal: 1 };
  const more = { ballot: 0, floor: 0, vote: 0, keep: 3, block: 9, greedy: 1 };
  const first = start(greedyKeepingMachine, 'a', { ...input, ...more }).state;
  const after = (state: LocalState, ...events: readonly EventObject[]) =>
    takeAll(greedyKeepingMachine, 'a', state, events);
  const [acquire, release] = [{ type: 'acquire' }, { type: 'release' }];
  const vote = { type: 'vote', from: 'b', ballot: 3, round: 1 };
  const request = { type: 'request', from: 'c', ballot: 5, round: 1, floor: 0 };
  const client = ({ value }: LocalState) => Object(value).client;
  const staying = () => after(first, acquire, vote, request, release).state;

  it('[GR1] a client that leaves while others wait keeps its votes for a turn, as long as it may enter before them', () => {
    expect(client(staying())).toBe('staying');
    const again = after(staying(), acquire, release);
    expect(client(again.state)).toBe('idle');
    expect(again.effects).toContainEqual(send('b', { type: 'released', ballot: 3, floor: 4 }));
  });

  it('[GR2] a client that requests entry in that turn enters at once, with the next token', () => {
    const { state, effects } = after(staying(), acquire);
    expect([client(state), state.context.again, state.context.favours]).toEqual(['held', 1, 1]);
    expect(effects.filter(({ type }) => type === 'send')).toEqual([]);
  });

  it('[GR3] when that turn ends, the votes go back', () => {
    const turn = staying().timers.find(({ delay }) => delay === 0);
    const { state, effects } = fire(greedyKeepingMachine, 'a', staying(), turn?.id ?? '');
    expect(client(state)).toBe('idle');
    expect(effects).toContainEqual(send('b', { type: 'released', ballot: 3, floor: 4 }));
  });
});

describe('leased-majority with greedy', () => {
  everyInterleavingOfVariant(greedy, [[complete(2), { commands: 2, inputs, time: points }, 7_156]]);

  proof(
    'each other node enters at most k + 1 times while a node waits, and k is not enough',
    () => {
      for (const favours of [1, 2]) {
        const { complete: all, properties } = explore(
          shortBlocks(leasedMajority({ ...times, greedy: favours }), favours + 2),
          complete(2),
          {
            commands: favours + 1,
            inputs,
            time: { ...points, stays: { critical: [500, 500] } },
            properties: [overtaken(favours), overtaken(favours + 1)],
          },
        );
        expect(all).toBe(true);
        expect(properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['violated', 'holds']);
      }
    },
  );

  it('under load k + 1 entries share the messages of one, and few more', () => {
    const messages = (favours: number) => {
      const result = simulate({
        protocol: leasedMajority({ keep: 60_000, greedy: favours }),
        topology: complete(3),
        properties: [],
        workload: closedLoop({ entries: 60, think: { kind: 'fixed', ms: 0 } }),
        conditions: { order: 'any', delay: { kind: 'fixed', ms: 5 } },
      });
      expect(result.exclusion.entries).toHaveLength(180);
      return totalMessages(result);
    };
    expect((messages(9) * 10) / messages(0)).toBeLessThan(2);
  });

  proof(
    'three nodes, of which one crashes and restarts: nothing is violated in the worlds next to the start',
    () => {
      const { properties } = explore(greedy, complete(3), {
        initiators: ['a', 'b'],
        commands: 2,
        inputs,
        crashes: 1,
        restarts: 1,
        time: points,
        limits: { states: 60_000 },
      });
      expect(properties.map(({ verdict }) => verdict)).not.toContain('violated');
    },
  );

  it('needs keep', () => {
    expect(() => leasedMajority({ greedy: 1 })).toThrow(
      'leasedMajority: greedy is 1, and the node keeps no votes to enter again with. Give keep, too.',
    );
  });
});
