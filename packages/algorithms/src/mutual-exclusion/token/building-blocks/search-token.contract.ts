/**
 * Shared tests of A5 and A6: the token moves by the same rules, though searches spread differently.
 */

import { type ExploreOptions, explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import {
  always,
  type LocalState,
  type NodeId,
  type Property,
  type Protocol,
  send,
} from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import { chain, complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assertEvent, enqueueActions } from 'xstate';
import type { Mutant } from '../../../contract/explored.contract.js';
import { failing } from '../../../contract/findings.contract.js';
import {
  mutantOf,
  takeAll,
  withMachine,
  withoutSteps,
} from '../../../contract/machines.contract.js';
import type { machine } from '../tree-token/tree-token.js';
import type { Options } from './greedy.js';
import { type Event, knowledgeOf, type Token } from './search-token.js';
import { countOf, noCounts } from './token.js';
import { everyEntryCounted, reliableLinkContract, withFaults } from './token-faults.contract.js';

// Known-wrong versions of the parts that A5 and A6 share.

/** Other actions and guards for one of the machines. */
type Changed = Parameters<(typeof machine)['provide']>[0];

/** Sends each search twice. */
export const searchTwice: Changed = {
  actions: {
    search: enqueueActions(({ context: { self, neighbours, requested }, enqueue }) => {
      for (const id of [...neighbours, ...neighbours])
        enqueue.emit(send(id, { type: 'search', initiator: self, k: countOf(requested, self) }));
    }),
    forward: enqueueActions(({ context: { neighbours }, event, enqueue }) => {
      assertEvent(event, 'search');
      const { initiator, k, from } = event;
      for (const id of [...neighbours, ...neighbours])
        if (id !== from) enqueue.emit(send(id, { type: 'search', initiator, k }));
    }),
  },
};

/**
 * Both explore 2 nodes with several entries each, then the trees of 3 nodes.
 *
 * @param mute the machine whose nodes send nothing when they receive a search.
 */
export function searchMutants(
  protocol: Protocol,
  provide: (changed: Changed) => AnyStateMachine,
  { mute, echoes }: { readonly mute: AnyStateMachine; readonly echoes: boolean },
): Readonly<Record<string, Mutant>> {
  const mutant = mutantOf(withoutSteps(protocol));
  /** Where waves return, one more message must arrive before the system is quiescent. */
  const quiescent = echoes ? 9 : 8;
  return {
    'only the neighbours are told': mutant(
      'edges:a,b,c,a-b,a-c, 8 steps: no node waits in a quiescent state',
      mute,
    ),
    'a node that leaves keeps the token': mutant(
      `chain:2, ${quiescent} steps: no node waits in a quiescent state`,
      provide({ guards: { anotherWaits: () => false } }),
    ),
  };
}

const ids = ['m', 'x', 'y', 'z'];
export const none = noCounts(ids);
export const acquire: Event = { type: 'acquire' };
const release: Event = { type: 'release' };
export const search = (from: NodeId, initiator: NodeId, k: number): Event => ({
  type: 'search',
  initiator,
  k,
  from,
});
const token = (
  from: NodeId,
  to: NodeId,
  served: Readonly<Record<NodeId, number>> = none,
): Event => ({ type: 'token', served, to, from });

/** Any two of them. */
export const pairs = (nodes: readonly NodeId[]): readonly (readonly NodeId[])[] =>
  nodes.flatMap((one, place) => nodes.slice(place + 1).map((other) => [one, other]));

/**
 * Node m with neighbours x and y: its initial state, and its state after some events, with what it
 * sends at the last one.
 */
export const nodeM = (machine: AnyStateMachine, echoes: boolean) => ({
  first: (token: Token | null): LocalState =>
    start(machine, 'm', {
      self: 'm',
      neighbours: ['x', 'y'],
      peers: ['x', 'y', 'z'],
      requested: none,
      nextHop: {},
      ...(echoes && { pendingReplies: none }),
      token: token && { ...token },
    }).state,
  after: (state: LocalState, ...events: Event[]) => takeAll(machine, 'm', state, events),
});

export const nextHopsLeadThere: Property = always(
  'from each node that knows a request, the next hops lead to its initiator',
  (system) => {
    const hops = new Map(system.nodes.map((node) => [node.id, knowledgeOf(node).nextHop]));
    const leads = (from: NodeId, to: NodeId, most = system.nodes.length): boolean => {
      const next = hops.get(from)?.[to];
      return from === to || (next !== undefined && most > 0 && leads(next, to, most - 1));
    };
    return [...hops].every(([from, known]) => Object.keys(known).every((to) => leads(from, to)));
  },
);

interface SearchToken {
  readonly make: (options?: Pick<Options, 'holder'>) => Protocol;
  readonly machine: AnyStateMachine;
  /** The same machine, but it sends each search and each echo twice. */
  readonly twice: AnyStateMachine;
  readonly echoes: boolean;
  /**
   * The number of states of a chain of three with an entry each and the token at its end; and with
   * one fault: a lost message, a crash.
   */
  readonly states: number;
  readonly faulty: { readonly losses: number; readonly crashes: number };
  readonly page: () => string;
}

export function searchTokenContract({
  make,
  machine,
  twice,
  echoes,
  states,
  faulty,
  page,
}: SearchToken): void {
  const protocol = make();
  const { name } = protocol;

  describe(`${name} rules`, () => {
    const { first, after } = nodeM(machine, echoes);
    const idle = (served: Readonly<Record<NodeId, number>> = {}): LocalState =>
      first({ served: { ...none, ...served }, to: 'm' });
    const passed = (over: NodeId, to: NodeId, served: Readonly<Record<NodeId, number>> = {}) =>
      send(over, { type: 'token', served: { ...none, ...served }, to });

    it('[ST1] a request is numbered; the node enters at once if it has the token, and otherwise tells its neighbours', () => {
      const { state, effects } = after(first(null), acquire);
      expect(effects).toEqual(
        ['x', 'y'].map((id) => send(id, { type: 'search', initiator: 'm', k: 1 })),
      );
      expect(state).toMatchObject({ value: 'wanted', context: { requested: { ...none, m: 1 } } });
      const here = after(idle(), acquire);
      expect(here.effects).toEqual([]);
      expect(here.state).toMatchObject({
        value: 'held',
        context: { token: { served: { ...none, m: 1 } } },
      });
    });

    it('[ST2] a node notes a new request and the neighbour that told of it, and tells the other neighbours, in each state', () => {
      for (const state of [
        first(null),
        idle({ z: 1 }),
        after(first(null), acquire).state,
        after(idle(), acquire).state,
      ]) {
        const { state: next, effects } = after(state, search('y', 'z', 1));
        expect(effects).toEqual([send('x', { type: 'search', initiator: 'z', k: 1 })]);
        expect(next.value).toEqual(state.value);
        expect(next.context).toMatchObject({ requested: { z: 1 }, nextHop: { z: 'y' } });
        const again = after(next, search('x', 'z', 0));
        expect(again.effects).toEqual([]);
        expect(again.state).toEqual(next);
      }
    });

    it('[ST3] an idle token goes to a node that searches, unless its request is served', () => {
      const { state, effects } = after(idle({ z: 1 }), search('y', 'z', 2));
      expect(effects.at(-1)).toEqual(passed('y', 'z', { z: 1 }));
      expect(state).toMatchObject({ value: { released: 'away' }, context: { token: null } });
      expect(after(idle({ z: 1 }), search('y', 'z', 1)).state.value).toEqual({ released: 'here' });
    });

    it('[ST4] a node that does not wait passes the token on toward its destination', () => {
      const { state, effects } = after(
        first(null),
        search('y', 'z', 1),
        search('x', 'x', 1),
        token('x', 'z'),
      );
      expect(effects).toEqual([passed('y', 'z')]);
      expect(state).toMatchObject({ value: { released: 'away' }, context: { token: null } });
    });

    it('[ST5] a node that waits takes the token, whatever its destination, enters and records the entry on it', () => {
      for (const to of ['m', 'z']) {
        const { state, effects } = after(
          first(null),
          search('y', 'z', 1),
          acquire,
          token('x', to, { ...none, x: 5 }),
        );
        expect(effects).toEqual([]);
        expect(state).toMatchObject({
          value: 'held',
          context: { token: { served: { ...none, m: 1, x: 5 }, to } },
        });
      }
    });

    it('[ST6] a node that leaves sends the token to its destination, then to the first unserved node in cyclic order; if none waits, it keeps it', () => {
      const held = after(first(null), search('x', 'x', 1), search('y', 'z', 1), acquire).state;
      expect(after(held, token('x', 'z'), release).effects).toEqual([passed('y', 'z', { m: 1 })]);
      expect(after(held, token('x', 'm'), release).effects).toEqual([passed('x', 'x', { m: 1 })]);
      expect(after(held, token('x', 'm', { ...none, x: 1 }), release).effects).toEqual([
        passed('y', 'z', { m: 1, x: 1 }),
      ]);
      expect(after(held, token('x', 'm', { ...none, x: 1, z: 1 }), release).state.value).toEqual({
        released: 'here',
      });
    });

    proof(
      'from each node that knows a request, the next hops lead to its initiator, in every interleaving',
      () => {
        const found = explore(protocol, chain(3), {
          commands: echoes ? 1 : 2,
          properties: [nextHopsLeadThere],
        });
        expect(found).toMatchObject({
          complete: true,
          properties: [{ verdict: 'holds' }, {}, {}, {}],
        });
      },
    );

    it('a search or an echo that arrives twice does not harm the token, at any time', () => {
      const found = explore(withoutSteps(withMachine(protocol, twice)), chain(3), {
        commands: 1,
        initiators: ['a', 'c'],
      });
      expect(found.complete).toBe(true);
      // Chang's rule counts messages, so a wave may return before it has reached all nodes.
      expect(failing(found).filter((name) => !name.startsWith('all nodes know'))).toEqual([]);
    });

    proof('holder: the token starts there, at any node of the network', () => {
      for (const holder of ['a', 'b', 'c']) {
        const found = explore(make({ holder }), chain(3), { commands: 1 });
        if (holder !== 'b') expect(found.states).toBe(states);
        expect(failing(found)).toEqual([]);
      }
      expect(() => simulate({ protocol: make({ holder: 'z' }), topology: chain(3) })).toThrow(
        /the option holder names the node 'z'/,
      );
      expect(make({ holder: 'z' }).topology.example(3).nodes).toEqual(['z', 'a', 'b']);
    });
  });

  describe(`${name} fencing`, () => {
    const fencing = protocol.properties.filter(({ kind }) => kind === 'increases');

    it.each([{}, { losses: 1 }, { crashes: 1 }])(
      'each entry has a larger number than those before, though other properties break: %o',
      (fault) => {
        const found = explore(protocol, chain(2), { commands: 2, ...fault, properties: fencing });
        expect(found.complete).toBe(true);
        expect(found.properties[0]).toMatchObject({ kind: 'increases', verdict: 'holds' });
      },
    );

    it('is the number of entries so far, in every interleaving', () => {
      const found = explore(protocol, chain(2), { commands: 3, properties: [everyEntryCounted] });
      expect(found).toMatchObject({
        complete: true,
        properties: [{ verdict: 'holds' }, {}, {}, {}],
      });
    });

    it.each([
      ['the token arrives twice', { commands: 2, duplications: 1 }, 10],
      ['the first holder restarts', { commands: 2, crashes: 1, restarts: 1 }, 4],
    ])('an entry has no larger number than one before it when %s', (_what, budget, steps) => {
      const [found] = explore(protocol, chain(2), { ...budget, properties: fencing }).properties;
      expect(found).toMatchObject({ kind: 'increases', verdict: 'violated' });
      expect(found?.trace?.lines).toHaveLength(steps);
    });
  });

  describe(`${name} assumptions`, () => {
    const dropped = (budget: ExploreOptions) => withFaults(protocol, chain(3), budget);
    const safe = { exclusion: 'holds', handled: 'holds' };

    it('one lost message in a chain of three breaks liveness, not safety', () => {
      const lossy = dropped({ losses: 1 });
      expect(lossy.found).toMatchObject({
        ...safe,
        states: faulty.losses,
        enters: 'violated in 2',
        token: 'violated in 3',
      });
      expect(page()).toContain(lossy.text('enters'));
    });

    proof('a token that arrives twice is two tokens, and two nodes enter', () => {
      const duplicating = dropped({ duplications: 1 });
      expect(duplicating.found).toMatchObject({
        exclusion: 'violated in 8',
        token: 'violated in 3',
        handled: 'violated in 4',
      });
      expect(page()).toContain(duplicating.text('exclusion'));
    });

    it('a crash takes the token away, or cuts the chain; it breaks liveness, not safety', () => {
      const { found } = dropped({ crashes: 1 });
      expect(found).toMatchObject({
        ...safe,
        states: faulty.crashes,
        enters: 'violated in 2',
        token: 'violated in 1',
      });
    });

    reliableLinkContract(protocol, echoes ? complete(4) : chain(5), 30);
  });
}
