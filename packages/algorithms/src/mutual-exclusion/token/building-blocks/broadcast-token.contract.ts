/** What the tests of A4 and A4b share: all but the rule which node is next. */

import { type ExploreOptions, explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { atMost, type LocalState, type Protocol, send } from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign, enqueueActions } from 'xstate';
import { costOf, expectBounds, loads } from '../../../contract/cost.contract.js';
import type { Mutant } from '../../../contract/explored.contract.js';
import { failing } from '../../../contract/findings.contract.js';
import {
  mutantOf,
  takeAll,
  withMachine,
  withoutSteps,
} from '../../../contract/machines.contract.js';
import type { broadcastTokenMachine, Event, Knowledge } from './broadcast-token.js';
import type { Options } from './greedy.js';
import { countOf } from './token.js';
import { everyEntryCounted, reliableLinkContract, withFaults } from './token-faults.contract.js';

// Known-wrong versions of the parts that A4 and A4b share.

export function commonMutants(
  protocol: Protocol,
  machine: BroadcastMachine,
): Readonly<Record<string, Mutant>> {
  const mutant = mutantOf(withoutSteps(protocol));
  return {
    'a late request lowers the known number': mutant(
      'complete:3, 19 steps: no node waits in a quiescent state',
      machine.provide({
        actions: {
          note: assign(({ context, event }) => {
            assertEvent(event, 'request');
            return { requested: { ...context.requested, [event.from]: event.k } };
          }),
        },
      }),
    ),
  };
}

type BroadcastMachine = ReturnType<typeof broadcastTokenMachine>;

interface BroadcastToken {
  readonly make: (options?: Pick<Options, 'holder'>) => Protocol;
  readonly machine: BroadcastMachine;
  /** The initial content of the token, besides the numbers. */
  readonly queue: { readonly queue?: readonly string[] };
  /** The number of states of three nodes with an entry each. */
  readonly states: number;
  /** And with one fault: a lost message, a duplicated one, a crash. */
  readonly faulty: {
    readonly losses: number;
    readonly duplications: number;
    readonly crashes: number;
  };
  readonly page: () => string;
}

const none = { a: 0, b: 0, c: 0, d: 0 };
const peers = ['c', 'd', 'a'];

export const acquire: Event = { type: 'acquire' };
export const release: Event = { type: 'release' };
export const request = (from: string, k: number): Event => ({ type: 'request', k, from });

/**
 * Node b of four: its initial state, and its state after some events, with what it sends at the
 * last one.
 */
export const nodeB = (machine: BroadcastMachine) => ({
  first: (token: Knowledge['token']): LocalState =>
    start(machine, 'b', { self: 'b', peers, requested: none, token: token && { ...token } }).state,
  after: (state: LocalState, ...events: Event[]) => takeAll(machine, 'b', state, events),
});

export function broadcastTokenContract({
  make,
  machine,
  queue,
  states,
  faulty,
  page,
}: BroadcastToken): void {
  const protocol = make();
  const { name } = protocol;

  describe(`${name} rules`, () => {
    const { first, after } = nodeB(machine);
    const token = (served: Partial<typeof none> = {}) => ({
      served: { ...none, ...served },
      ...queue,
    });
    const wanted = () => after(first(null), acquire).state;
    const held = () => after(first(token()), acquire).state;

    it('[BT1] a request is numbered; the node enters at once if it has the token, and otherwise asks all other nodes', () => {
      const { state, effects } = after(first(null), acquire);
      expect(effects).toEqual(peers.map((peer) => send(peer, { type: 'request', k: 1 })));
      expect(state).toMatchObject({ value: 'wanted', context: { requested: { ...none, b: 1 } } });
      const here = after(first(token()), acquire);
      expect(here.effects).toEqual([]);
      expect(here.state).toMatchObject({ value: 'held', context: { token: token({ b: 1 }) } });
    });

    it('[BT2] a node remembers the highest number of each other node, in each state and in any order of arrival', () => {
      for (const state of [first(null), first(token({ c: 2 })), wanted(), held()]) {
        const { state: next, effects } = after(state, request('c', 2), request('c', 1));
        expect(effects).toEqual([]);
        expect(next.value).toEqual(state.value);
        expect(next.context.requested).toMatchObject({ c: 2 });
      }
    });

    it('[BT3] an idle token goes to a node that requests it, unless that request is served', () => {
      const { state, effects } = after(first(token({ c: 1 })), request('c', 2));
      expect(effects).toEqual([send('c', { type: 'token', ...token({ c: 1 }) })]);
      expect(state).toMatchObject({ value: { released: 'away' }, context: { token: null } });
      expect(after(first(token({ c: 1 })), request('c', 1))).toMatchObject({
        effects: [],
        state: { value: { released: 'here' } },
      });
    });

    it('[BT4] a node that gets the token enters and records the entry on it', () => {
      const { state } = after(wanted(), { type: 'token', ...token({ c: 5 }), from: 'c' });
      expect(state).toMatchObject({ value: 'held', context: { token: token({ b: 1, c: 5 }) } });
    });

    it('[BT5] a node that leaves sends the token to an unserved node; if there is none, it keeps it', () => {
      expect(after(held(), release).state.value).toEqual({ released: 'here' });
      const { state, effects } = after(held(), request('d', 1), release);
      expect(effects).toEqual([send('d', { type: 'token', ...token({ b: 1 }) })]);
      expect(state).toMatchObject({ value: { released: 'away' }, context: { token: null } });
    });

    it('holder: the token starts there, at any node, and the rest stays the same', () => {
      for (const holder of ['a', 'b', 'c']) {
        const found = explore(make({ holder }), complete(3), { commands: 1 });
        expect(found.states).toBe(states);
        expect(failing(found)).toEqual([]);
      }
      expect(() => simulate({ protocol: make({ holder: 'z' }), topology: complete(3) })).toThrow(
        /the option holder names the node 'z'/,
      );
      expect(make({ holder: 'z' }).topology.example(3).nodes).toEqual(['z', 'a', 'b']);
    });

    it.each([
      [2, { commands: 3 }],
      [3, { commands: 1 }],
    ] satisfies [number, ExploreOptions][])(
      'a request that arrives twice does not fetch the token twice, however late: %i nodes',
      (n, budget) => {
        const twice = machine.provide({
          actions: {
            requestAll: enqueueActions(({ context: { self, peers, requested }, enqueue }) => {
              for (const peer of [...peers, ...peers])
                enqueue.emit(send(peer, { type: 'request', k: countOf(requested, self) }));
            }),
          },
        });
        const found = explore(withoutSteps(withMachine(protocol, twice)), complete(n), budget);
        expect(found.complete).toBe(true);
        expect(failing(found)).toEqual([]);
      },
    );
  });

  describe(`${name} fencing`, () => {
    const fencing = protocol.properties.filter(({ kind }) => kind === 'increases');

    proof('the numbers on the token add up to the entries so far, in every interleaving', () => {
      const found = explore(protocol, complete(3), {
        commands: 2,
        properties: [everyEntryCounted, ...fencing],
      });
      expect(found).toMatchObject({
        complete: true,
        properties: [{ verdict: 'holds' }, { verdict: 'holds' }, {}, {}, {}],
      });
    });

    it.each([{ losses: 1 }, { crashes: 1 }])(
      'each entry that still happens has a larger number than those before: %o',
      (fault) => {
        const found = explore(protocol, complete(2), {
          commands: 2,
          ...fault,
          properties: fencing,
        });
        expect(found).toMatchObject({
          complete: true,
          properties: [{ verdict: 'holds' }, {}, {}, {}],
        });
      },
    );

    it.each([
      ['the token arrives twice', { commands: 2, duplications: 1 }, 10],
      ['the first holder restarts', { commands: 2, crashes: 1, restarts: 1 }, 4],
    ])('an entry has no larger number than one before it when %s', (_what, budget, steps) => {
      const [found] = explore(protocol, complete(2), { ...budget, properties: fencing }).properties;
      expect(found).toMatchObject({ kind: 'increases', verdict: 'violated' });
      expect(found?.trace?.lines).toHaveLength(steps);
    });
  });

  describe(`${name} assumptions`, () => {
    const safe = { exclusion: 'holds', handled: 'holds' };

    it.each([
      [2, 32, 2, 4],
      [3, faulty.losses, 3, 9],
    ])('one lost message among %i nodes breaks liveness, not safety', (n, states, stuck, rest) => {
      const lossy = withFaults(protocol, complete(n), { losses: 1 });
      expect(lossy.found).toEqual({
        ...safe,
        states,
        enters: `violated in ${stuck}`,
        token: 'violated in 3',
        rest: `violated in ${rest}`,
      });
      if (n === 3) expect(page()).toContain(lossy.text('enters'));
    });

    it.each([
      [2, 79],
      [3, faulty.duplications],
    ])('a token that arrives twice among %i nodes is two tokens', (n, states) => {
      const { found } = withFaults(protocol, complete(n), { duplications: 1 });
      // Exclusion stays open: the explorer does not search beyond an unhandled message.
      expect(found).toMatchObject({
        states,
        exclusion: 'incomplete',
        token: 'violated in 3',
        handled: 'violated in 4',
      });
    });

    it('two nodes enter if one of them requests again before the second copy arrives', () => {
      const duplicating = withFaults(protocol, complete(2), { commands: 2, duplications: 1 });
      expect(duplicating.found).toMatchObject({
        exclusion: 'violated in 10',
        token: 'violated in 3',
      });
      expect(page()).toContain(duplicating.text('exclusion'));
    });

    it.each([
      [2, 84, 2, 4],
      [3, faulty.crashes, 3, 8],
    ])(
      'a crash among %i nodes takes the token away; it breaks liveness, not safety',
      (n, states, stuck, rest) => {
        const { found } = withFaults(protocol, complete(n), { crashes: 1 });
        expect(found).toEqual({
          ...safe,
          states,
          enters: `violated in ${stuck}`,
          token: 'violated in 1',
          rest: `violated in ${rest}`,
        });
      },
    );

    reliableLinkContract(protocol, complete(4), 50);
  });

  describe(`${name} cost`, () => {
    proof.each([
      [2, { commands: 2 }],
      [3, { commands: 2 }],
      [4, { commands: 1 }],
    ] satisfies [number, ExploreOptions][])(
      'on %i nodes, in every interleaving: at most n−1 requests and one token per entry',
      (n, budget) => {
        const all = atMost(n, { per: 'acquire' });
        const dearer = atMost(n - 1, { per: 'acquire' });
        const each = [
          atMost(n - 1, { per: 'acquire', of: ['request'] }),
          atMost(1, { per: 'acquire', of: ['token'] }),
        ];
        expectBounds(protocol, complete(n), budget, [all, ...each], [dearer]);
        expect(costOf(protocol, n)).toEqual(all);
      },
    );

    proof(
      'is exactly n messages per entry that waited and none for one that did not, under light and heavy load, for n in 2 … 20',
      () => {
        for (let n = 2; n <= 20; n += 3)
          for (const workload of loads(5)) {
            const { messages, exclusion } = simulate({
              protocol,
              topology: complete(n),
              workload,
              conditions: { order: 'any', delay: { kind: 'uniform', least: 1, most: 30 } },
            });
            const waited = exclusion.entries.filter(
              ({ requestedAt, enteredAt }) => enteredAt > requestedAt,
            ).length;
            expect(exclusion.entries).toHaveLength(5 * n);
            expect(waited).toBeLessThan(5 * n);
            expect(messages).toEqual({ request: (n - 1) * waited, token: waited });
          }
      },
    );
  });
}
