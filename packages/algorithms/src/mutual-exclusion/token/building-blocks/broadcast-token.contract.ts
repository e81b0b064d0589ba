/** What the tests of A4 and A4b share: whoever is next, the token is sought, kept and counted in the same way. */
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { atMost, costOf, type LocalState, type Protocol, send, start, step } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { failing } from '../../../contract/failing.js';
import { withMachine } from '../../../contract/mutant.js';
import { withoutSteps } from '../../../contract/without-steps.js';
import type { asker, BroadcastTokenOptions, Event, Knowledge } from './broadcast-token.js';
import { everyEntryCounted } from './token-knowledge.contract.js';
import { countOf } from './token-knowledge.js';

export type BroadcastMachine = ReturnType<typeof asker>;

interface BroadcastToken {
  readonly make: (options?: BroadcastTokenOptions) => Protocol;
  readonly machine: BroadcastMachine;
  /** What is on a token at first, besides the numbers. */
  readonly queue: { readonly queue?: readonly string[] };
  /** How many states three nodes have with an entry each. */
  readonly states: number;
  /** And with one fault: a lost message, one that comes twice, a crash. */
  readonly faulty: { readonly losses: number; readonly duplications: number; readonly crashes: number };
  readonly page: () => string;
}

const none = { a: 0, b: 0, c: 0, d: 0 };
const peers = ['c', 'd', 'a'];

export const acquire: Event = { type: 'acquire' };
export const release: Event = { type: 'release' };
export const request = (from: string, k: number): Event => ({ type: 'request', k, from });

/** Node b of four: where it is at first, and where it is after some events, with what it sends at the last. */
export const nodeB = (machine: BroadcastMachine) => ({
  first: (token: Knowledge['token']): LocalState =>
    start(machine, 'b', { self: 'b', peers, requested: none, token: token && { ...token } }).state,
  after: (state: LocalState, ...events: Event[]) =>
    events.reduce((taken, event) => step(machine, 'b', taken.state, event), { state, effects: [] } as ReturnType<typeof step>),
});

export function broadcastTokenContract({ make, machine, queue, states, faulty, page }: BroadcastToken): void {
  const protocol = make();
  const { name } = protocol;

  describe(`${name} rules`, () => {
    const { first, after } = nodeB(machine);
    const token = (served: Partial<typeof none> = {}) => ({ served: { ...none, ...served }, ...queue });
    const wanted = () => after(first(null), acquire).state;
    const held = () => after(first(token()), acquire).state;

    it('[T1] a wish is numbered; it enters at once where the token is, and asks everybody elsewhere', () => {
      const { state, effects } = after(first(null), acquire);
      expect(effects).toEqual(peers.map((peer) => send(peer, { type: 'request', k: 1 })));
      expect(state).toMatchObject({ value: 'wanted', context: { requested: { ...none, b: 1 } } });
      const here = after(first(token()), acquire);
      expect(here.effects).toEqual([]);
      expect(here.state).toMatchObject({ value: 'held', context: { token: token({ b: 1 }) } });
    });

    it('[T2] the highest number of each node is remembered, in any state and in whatever order they come', () => {
      for (const state of [first(null), first(token({ c: 2 })), wanted(), held()]) {
        const { state: next, effects } = after(state, request('c', 2), request('c', 1));
        expect(effects).toEqual([]);
        expect(next.value).toEqual(state.value);
        expect(next.context.requested).toMatchObject({ c: 2 });
      }
    });

    it('[T3] an idle token goes to whoever asks, but not on a request that has been served', () => {
      const { state, effects } = after(first(token({ c: 1 })), request('c', 2));
      expect(effects).toEqual([send('c', { type: 'token', ...token({ c: 1 }) })]);
      expect(state).toMatchObject({ value: { released: 'away' }, context: { token: null } });
      expect(after(first(token({ c: 1 })), request('c', 1))).toMatchObject({ effects: [], state: { value: { released: 'here' } } });
    });

    it('[T4] whoever gets the token writes the entry on it', () => {
      const { state } = after(wanted(), { type: 'token', ...token({ c: 5 }), from: 'c' });
      expect(state).toMatchObject({ value: 'held', context: { token: token({ b: 1, c: 5 }) } });
    });

    it('[T5] on leaving, the token goes to one who has not been served; if there is none, it stays', () => {
      expect(after(held(), release).state.value).toEqual({ released: 'here' });
      const { state, effects } = after(held(), request('d', 1), release);
      expect(effects).toEqual([send('d', { type: 'token', ...token({ b: 1 }) })]);
      expect(state).toMatchObject({ value: { released: 'away' }, context: { token: null } });
    });

    it('holder: the token is there at first, wherever in the network, and nothing else changes', () => {
      for (const holder of ['a', 'b', 'c']) {
        const found = explore(make({ holder }), complete(3), { commands: 1 });
        expect(found.states).toBe(states);
        expect(failing(found)).toEqual([]);
      }
      expect(() => simulate({ protocol: make({ holder: 'z' }), topology: complete(3) })).toThrow(/there is no node 'z' to hold the token/);
      expect(make({ holder: 'z' }).topology.example(3).nodes).toEqual(['z', 'a', 'b']);
    });

    it.each([
      [2, { commands: 3 }],
      [3, { commands: 1 }],
    ] satisfies [number, ExploreOptions][])(
      'a request that comes twice does not fetch the token twice, however late: %i nodes',
      (n, budget) => {
        const twice = machine.provide({
          actions: {
            requestAll: enqueueActions(({ context: { self, peers, requested }, enqueue }) => {
              for (const peer of [...peers, ...peers]) enqueue.emit(send(peer, { type: 'request', k: countOf(requested, self) }));
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
    it('the numbers on the token add up to the entries so far, in every interleaving', () => {
      const found = explore(protocol, complete(3), {
        commands: 2,
        properties: [everyEntryCounted, ...protocol.properties.filter(({ kind }) => kind === 'increases')],
      });
      expect(found.complete).toBe(true);
      expect(found.properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['holds', 'holds']);
    });

    it.each([{ losses: 1 }, { crashes: 1 }])('entries that still happen are numbered rightly, whatever else breaks: %o', (fault) => {
      const { properties } = explore(protocol, complete(2), { commands: 2, ...fault });
      expect(properties.find(({ kind }) => kind === 'increases')?.verdict).toBe('holds');
    });

    it.each([
      ['the token comes twice', { commands: 2, duplications: 1 }, 10],
      ['the node that had it first starts anew', { commands: 2, crashes: 1, restarts: 1 }, 4],
    ])('an entry has no larger number than one before it when %s', (_what, budget, steps) => {
      const found = explore(protocol, complete(2), budget).properties.find(({ kind }) => kind === 'increases');
      expect(found).toMatchObject({ kind: 'increases', verdict: 'violated' });
      expect(found?.trace?.lines).toHaveLength(steps);
    });
  });

  describe(`${name} assumptions`, () => {
    const dropped = (n: number, budget: ExploreOptions) => {
      const found = explore(withoutSteps(protocol), complete(n), budget);
      expect(found.complete).toBe(true);
      const [exclusion, enters, , token, , handled, rest] = found.properties.map(({ verdict, trace }) => {
        if (verdict === 'violated') expect(trace && replay(protocol, complete(n), trace)).toEqual({ steps: trace?.lines.length });
        return verdict === 'violated' ? `violated in ${trace?.lines.length}` : verdict;
      });
      return {
        found: { states: found.states, exclusion, enters, token, handled, rest },
        traces: found.properties.map(({ trace }) => trace),
      };
    };
    /** Nobody enters who should not. */
    const safe = { exclusion: 'holds', handled: 'holds' };

    it.each([
      [2, 32, 2, 4],
      [3, faulty.losses, 3, 9],
    ])('one lost message among %i nodes breaks liveness, not safety', (n, states, stuck, rest) => {
      const { found, traces } = dropped(n, { losses: 1 });
      expect(found).toEqual({ ...safe, states, enters: `violated in ${stuck}`, token: 'violated in 3', rest: `violated in ${rest}` });
      if (n === 3) expect(page()).toContain(linesText(traces[1]?.lines ?? []));
    });

    it.each([
      [2, 79],
      [3, faulty.duplications],
    ])('a token that comes twice among %i nodes is two tokens', (n, states) => {
      const { found } = dropped(n, { duplications: 1 });
      // Nothing is said of the rest: behind a message that is not handled nothing is looked at.
      expect(found).toMatchObject({ states, exclusion: 'incomplete', token: 'violated in 3', handled: 'violated in 4' });
    });

    it('it lets in two, if one of them wishes again before the second comes', () => {
      const { found, traces } = dropped(2, { commands: 2, duplications: 1 });
      expect(found).toMatchObject({ exclusion: 'violated in 10', token: 'violated in 3' });
      expect(page()).toContain(linesText(traces[0]?.lines ?? []));
    });

    it.each([
      [2, 75, 2, 3],
      [3, faulty.crashes, 3, 7],
    ])('a node that crashes with the token among %i nodes takes it away; nobody enters who should not', (n, states, stuck, rest) => {
      const { found } = dropped(n, { crashes: 1 });
      expect(found).toEqual({ ...safe, states, enters: `violated in ${stuck}`, token: 'violated in 1', rest: `violated in ${rest}` });
    });

    it('a reliable link below makes up for loss, doubling and overtaking', () => {
      for (let seed = 1; seed <= 50; seed++) {
        const { properties } = simulate({
          protocol,
          topology: complete(4),
          conditions: { order: 'any', loss: 0.1, duplication: 0.1, delay: { kind: 'uniform', least: 1, most: 20 } },
          workload: closedLoop({ entries: 3 }),
          reliable: true,
          seed,
        });
        expect(failing({ properties })).toEqual([]);
      }
    });
  });

  describe(`${name} cost`, () => {
    it.each([
      [2, { commands: 2 }],
      [3, { commands: 2 }],
      [4, { commands: 1 }],
    ] satisfies [number, ExploreOptions][])(
      'on %i nodes, in every interleaving: at most n−1 requests and one token per entry',
      (n, budget) => {
        const all = atMost(n, { per: 'acquire' });
        const dearer = atMost(n - 1, { per: 'acquire' });
        const each = [atMost(n - 1, { per: 'acquire', of: ['request'] }), atMost(1, { per: 'acquire', of: ['token'] })];
        const found = explore(protocol, complete(n), { ...budget, properties: [all, ...each, dearer] });
        expect(found.complete).toBe(true);
        expect(found.properties.slice(0, 4).map(({ verdict }) => verdict)).toEqual(['holds', 'holds', 'holds', 'violated']);
        expect(costOf(protocol, n)).toEqual(all);
      },
    );

    it('is exactly n messages per entry that waited and none for one that did not, under light and heavy load, for n in 2 … 20', () => {
      for (let n = 2; n <= 20; n += 3)
        for (const workload of [closedLoop({ entries: 5, think: { kind: 'fixed', ms: 0 } }), poisson({ mean: 10_000, entries: 5 })]) {
          const { messages, exclusion } = simulate({
            protocol,
            topology: complete(n),
            workload,
            conditions: { order: 'any', delay: { kind: 'uniform', least: 1, most: 30 } },
          });
          const waited = exclusion.entries.filter(({ requestedAt, enteredAt }) => enteredAt > requestedAt).length;
          expect(exclusion.entries).toHaveLength(5 * n);
          expect(waited).toBeLessThan(5 * n);
          expect(messages).toEqual({ request: (n - 1) * waited, token: waited });
        }
    });
  });
}
