/** The option `priority`: the request of the highest priority is served first. */
import { explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { type Protocol, send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { failing } from '../../../contract/findings.contract.js';
import { takeAll, withMachine } from '../../../contract/machines.contract.js';
import { type Given, newBallot } from './actions.js';
import { machine } from './leased-majority.js';
import { prioritized } from './prioritized.js';
import { leasedMajority } from './protocol.js';

const plain = leasedMajority({ lease: 5_000, renewal: 2_000, priority: true });
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;
const inputs = [{ type: 'acquire', priority: 0 }];
const ranked = prioritized(machine);

/** The requests of b have the priority 2, those of other nodes 0. */
const ofB = ranked.provide({
  actions: {
    takeBallot: assign(({ context, event }: Given) => {
      const first = context.self === 'b' ? 2 : 0;
      const priority = event.type === 'acquire' ? first : (context.priority ?? 0) + 1;
      return { ...newBallot(context, event), priority };
    }),
  },
});
const protocol = withMachine(plain, ofB);

describe('leased-majority rules of priority', () => {
  const input = {
    ...{ self: 'b', nodes: ['a', 'b', 'c'], lease: 5, validity: 4, renewal: 2 },
    ...{ ballot: 0, floor: 0, vote: 0 },
  };
  const after = (...events: Parameters<typeof takeAll>[3]) =>
    takeAll(ranked, 'b', start(ranked, 'b', input).state, events);
  const request = (from: string, ballot: number, priority: number) => ({
    ...{ type: 'request', from, ballot, round: 1, floor: 0, priority },
  });

  it('[PQ1] a request carries its priority; a voter serves the highest, and the oldest of these', () => {
    expect(after({ type: 'acquire', ...{ priority: 3 } }).effects).toContainEqual(
      send('a', { type: 'request', ballot: 1, round: 1, floor: 0, priority: 3 }),
    );
    const queue = after(
      request('a', 3, 9),
      request('c', 2, 1),
      request('b', 4, 1),
      request('c', 5, 2),
    );
    expect(queue.state.context).toMatchObject({
      vote: 3,
      votePriority: 9,
      queue: [{ ballot: 5 }, { ballot: 4 }],
    });
  });

  it('[PQ2] a voter inquires for a request of a higher priority, and for an older one of the same', () => {
    const inquired = (ballot: number, priority: number) =>
      after(request('a', 3, 1), request('c', ballot, priority)).effects.some(
        (effect) => effect.type === 'send' && effect.message.type === 'inquire',
      );
    expect([inquired(5, 2), inquired(2, 1), inquired(5, 1), inquired(2, 0)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('[PQ3] a client that gives up its ballot has the next priority with the new one', () => {
    const inquiry = { type: 'inquire', ...{ from: 'a', ballot: 1 } };
    expect(after({ type: 'acquire', ...{ priority: 3 } }, inquiry).state.context).toMatchObject({
      ballot: 4,
      priority: 4,
    });
  });
});

it.each<readonly [string, Protocol, number, object, number]>(
  quickOf(
    [
      ['2 nodes, an entry each, messages of 1 s', protocol, 2, { inputs, time }, 22_907],
      [
        '2 nodes, an entry each, messages that take no time',
        protocol,
        2,
        { inputs, time: { ...time, delay: [0, 0] } },
        571,
      ],
      [
        '2 nodes, two entries of one',
        protocol,
        2,
        { inputs, commands: 2, initiators: ['b'], time },
        179,
      ],
      [
        '3 nodes, one enters, any other crashes and restarts',
        protocol,
        3,
        { inputs, initiators: ['b'], crashes: 1, restarts: 1, time },
        2_855,
      ],
    ],
    ([, , , , states]) => states <= 1_000,
  ),
)(
  'leased-majority with priority its properties hold in every interleaving: %s',
  (_what, of, n, budget, states) => {
    const found = explore(of, complete(n), budget);
    expect([failing(found), found.complete, found.states]).toEqual([[], true, states]);
  },
);
