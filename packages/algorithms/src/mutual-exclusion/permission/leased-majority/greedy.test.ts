import { explore } from '@conclave/check';
import { fire, start } from '@conclave/core/internal';
import { type LocalState, overtaken, send } from '@conclave/core/protocol';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign, type EventObject } from 'xstate';
import { everyInterleavingOfVariant } from '../../../contract/explored.contract.js';
import { mutantOf } from '../../../contract/mutant.js';
import { takeAll } from '../../../contract/take-all.js';
import { greedyKeepingMachine } from './keeping.js';
import { leasedMajority } from './protocol.js';
import { shortBlocks } from './reduced.contract.js';

const times = { lease: 5_000, renewal: 2_000, keep: 3_000 };
const protocol = shortBlocks(leasedMajority({ ...times, greedy: 1 }), 3);
const time = { kind: 'exact', delay: [0, 0], stays: { critical: [0, 0] } } as const;
const inputs = [{ type: 'acquire' }];
const mutant = mutantOf(protocol);

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
  everyInterleavingOfVariant(
    protocol,
    [
      [
        '2 nodes, 2 entries each, all in no time',
        complete(2),
        { commands: 2, inputs, time },
        7_156,
      ],
    ],
    {
      'the entries before others are not counted': mutant(
        'complete:2, 7 steps: a node counts each entry before others that wait',
        greedyKeepingMachine.provide({ actions: { countFavour: assign({}) } }),
      ),
      'a node keeps its votes with no favour left': mutant(
        'complete:2, 8 steps: a node that leaves while others wait keeps its votes for a turn only if it may enter before them',
        greedyKeepingMachine.provide({ guards: { hasFavour: () => true } }),
      ),
      'a node that stays enters with the same token': mutant(
        'complete:2, 5 steps: each entry has a larger fencing token than every entry before it',
        greedyKeepingMachine.provide({ actions: { countEntry: assign({}) } }),
      ),
    },
  );

  proof(
    'each other node enters at most k + 1 times while a node waits, and k is not enough',
    () => {
      for (const greedy of [1, 2]) {
        const { complete: all, properties } = explore(
          shortBlocks(leasedMajority({ ...times, greedy }), greedy + 2),
          complete(2),
          {
            commands: greedy + 1,
            inputs,
            time: { ...time, stays: { critical: [500, 500] } },
            properties: [overtaken(greedy), overtaken(greedy + 1)],
          },
        );
        expect(all).toBe(true);
        expect(properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['violated', 'holds']);
      }
    },
  );

  it('under load k + 1 entries share the messages of one, and few more', () => {
    const messages = (greedy: number) => {
      const result = simulate({
        protocol: leasedMajority({ keep: 60_000, greedy }),
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
      const { properties } = explore(protocol, complete(3), {
        initiators: ['a', 'b'],
        commands: 2,
        inputs,
        crashes: 1,
        restarts: 1,
        time,
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
