/** What the tests of A5 and A6 share: however a wish spreads, the token walks in the same way. */
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { always, type LocalState, type NodeId, type Property, type Protocol, send, start, step } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { chain, complete } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { failing } from '../../../contract/failing.js';
import { withMachine } from '../../../contract/mutant.js';
import { withoutSteps } from '../../../contract/without-steps.js';
import { everyEntryCounted } from './token-knowledge.contract.js';
import { noCounts } from './token-knowledge.js';
import { type Event, type Token, type WalkingTokenOptions, walker } from './walking-token.js';
import type { Heard, Spread, Wave } from './wave.js';

export type WalkingMachine = ReturnType<typeof walker>;

export const ids = ['m', 'x', 'y', 'z'];
export const none = noCounts(ids);
export const acquire: Event = { type: 'acquire' };
export const release: Event = { type: 'release' };
export const search = (from: NodeId, initiator: NodeId, k: number): Event => ({ type: 'search', initiator, k, from });
export const token = (from: NodeId, to: NodeId, served: Readonly<Record<NodeId, number>> = none): Event => ({
  type: 'token',
  served,
  to,
  from,
});

/** Any two of them. */
export const pairs = (nodes: readonly NodeId[]): readonly (readonly NodeId[])[] =>
  nodes.flatMap((one, place) => nodes.slice(place + 1).map((other) => [one, other]));

/** Node m, whose neighbours are x and y: where it is at first, and where it is after some events, with what it sends at the last. */
export const nodeM = (machine: WalkingMachine, wave: Wave) => ({
  first: (token: Token | null): LocalState =>
    start(machine, 'm', {
      self: 'm',
      neighbours: ['x', 'y'],
      peers: ['x', 'y', 'z'],
      requested: none,
      towards: {},
      ...(wave.comesBack && { awaited: none }),
      token: token && { ...token },
    }).state,
  after: (state: LocalState, ...events: Event[]) =>
    events.reduce((taken, event) => step(machine, 'm', taken.state, event), { state, effects: [] } as ReturnType<typeof step>),
});

/** From whoever has heard of a node's wish, the way to that node leads there. */
export const waysLeadThere: Property = always(
  'whoever has heard of a node knows the way to it, and so does everybody on that way',
  (system) => {
    const towards = new Map(system.nodes.map(({ id, context }) => [id, (context as unknown as Heard).towards])); // as the machines' own types say
    const leads = (from: NodeId, to: NodeId, most = system.nodes.length): boolean => {
      const next = towards.get(from)?.[to];
      return from === to || (next !== undefined && most > 0 && leads(next, to, most - 1));
    };
    return [...towards].every(([from, known]) => Object.keys(known).every((to) => leads(from, to)));
  },
);

interface WalkingToken {
  readonly make: (options?: WalkingTokenOptions) => Protocol;
  readonly machine: WalkingMachine;
  readonly wave: Wave;
  /** How many states a chain of three has with an entry each and the token at its end; and with one fault: a lost message, a crash. */
  readonly states: number;
  readonly faulty: { readonly losses: number; readonly crashes: number };
  readonly page: () => string;
}

export function walkingTokenContract({ make, machine, wave, states, faulty, page }: WalkingToken): void {
  const protocol = make();
  const { name } = protocol;
  const at = (name: string) => protocol.properties.findIndex((property) => property.name.includes(name));

  describe(`${name} rules`, () => {
    const { first, after } = nodeM(machine, wave);
    const idle = (served: Readonly<Record<NodeId, number>> = {}): LocalState => first({ served: { ...none, ...served }, to: 'm' });
    const passed = (over: NodeId, to: NodeId, served: Readonly<Record<NodeId, number>> = {}) =>
      send(over, { type: 'token', served: { ...none, ...served }, to });

    it('[W1] a wish is numbered; it enters at once where the token is, and tells the neighbours elsewhere', () => {
      const { state, effects } = after(first(null), acquire);
      expect(effects).toEqual(['x', 'y'].map((id) => send(id, { type: 'search', initiator: 'm', k: 1 })));
      expect(state).toMatchObject({ value: 'wanted', context: { requested: { ...none, m: 1 } } });
      const here = after(idle(), acquire);
      expect(here.effects).toEqual([]);
      expect(here.state).toMatchObject({ value: 'held', context: { token: { served: { ...none, m: 1 } } } });
    });

    it('[W2] what is news is remembered, with the way it came, and told to the other neighbours, in any state', () => {
      for (const state of [first(null), idle({ z: 1 }), after(first(null), acquire).state, after(idle(), acquire).state]) {
        const { state: next, effects } = after(state, search('y', 'z', 1));
        expect(effects).toEqual([send('x', { type: 'search', initiator: 'z', k: 1 })]);
        expect(next.value).toEqual(state.value);
        expect(next.context).toMatchObject({ requested: { z: 1 }, towards: { z: 'y' } });
        const again = after(next, search('x', 'z', 0));
        expect(again.effects).toEqual([]);
        expect(again.state).toEqual(next);
      }
    });

    it('[W3] an idle token sets out for whoever searches, but not for one that has been served', () => {
      const { state, effects } = after(idle({ z: 1 }), search('y', 'z', 2));
      expect(effects.at(-1)).toEqual(passed('y', 'z', { z: 1 }));
      expect(state).toMatchObject({ value: { released: 'away' }, context: { token: null } });
      expect(after(idle({ z: 1 }), search('y', 'z', 1)).state.value).toEqual({ released: 'here' });
    });

    it('[W4] where nobody waits, the token goes on to the node that it is for', () => {
      const { state, effects } = after(first(null), search('y', 'z', 1), search('x', 'x', 1), token('x', 'z'));
      expect(effects).toEqual([passed('y', 'z')]);
      expect(state).toMatchObject({ value: { released: 'away' }, context: { token: null } });
    });

    it('[W5] where one waits, they enter, and that is written on the token, for whomever it is', () => {
      for (const to of ['m', 'z']) {
        const { state, effects } = after(first(null), search('y', 'z', 1), acquire, token('x', to, { ...none, x: 5 }));
        expect(effects).toEqual([]);
        expect(state).toMatchObject({ value: 'held', context: { token: { served: { ...none, m: 1, x: 5 }, to } } });
      }
    });

    it('[W6] on leaving, the token goes on to the node that it is for, then to the first behind that; if nobody waits, it stays', () => {
      const held = after(first(null), search('x', 'x', 1), search('y', 'z', 1), acquire).state;
      expect(after(held, token('x', 'z'), release).effects).toEqual([passed('y', 'z', { m: 1 })]);
      expect(after(held, token('x', 'm'), release).effects).toEqual([passed('x', 'x', { m: 1 })]);
      expect(after(held, token('x', 'm', { ...none, x: 1 }), release).effects).toEqual([passed('y', 'z', { m: 1, x: 1 })]);
      expect(after(held, token('x', 'm', { ...none, x: 1, z: 1 }), release).state.value).toEqual({ released: 'here' });
    });

    it('whoever has heard of a node knows the way to it, and so does everybody on that way, in every interleaving', () => {
      const found = explore(protocol, chain(3), { commands: wave.comesBack ? 1 : 2, properties: [waysLeadThere] });
      expect(found).toMatchObject({ complete: true, properties: [{ verdict: 'holds' }, {}, {}] });
    });

    it('a search or an echo that comes twice does not harm the token, however late', () => {
      const doubled = ({ known, sent }: Spread): Spread => ({ known, sent: [...sent, ...sent] });
      const twice: Wave = {
        ...wave,
        begun: (node) => doubled(wave.begun(node)),
        heard: (node, message) => doubled(wave.heard(node, message)),
      };
      const found = explore(withoutSteps(withMachine(protocol, walker('twice', twice))), chain(3), { commands: 1, initiators: ['a', 'c'] });
      expect(found.complete).toBe(true);
      // One that is written for single echoes may be confused about who has heard of what.
      expect(failing(found).filter((name) => !name.startsWith('everybody has heard'))).toEqual([]);
    });

    it('holder: the token is there at first, wherever in the network', () => {
      for (const holder of ['a', 'b', 'c']) {
        const found = explore(make({ holder }), chain(3), { commands: 1 });
        if (holder !== 'b') expect(found.states).toBe(states);
        expect(failing(found)).toEqual([]);
      }
      expect(() => simulate({ protocol: make({ holder: 'z' }), topology: chain(3) })).toThrow(/there is no node 'z' to hold the token/);
      expect(make({ holder: 'z' }).topology.example(3).nodes).toEqual(['z', 'a', 'b']);
    });
  });

  describe(`${name} fencing`, () => {
    it.each([{}, { losses: 1 }, { crashes: 1 }])('each entry has a larger number than those before, whatever else breaks: %o', (fault) => {
      const found = explore(protocol, chain(2), { commands: 2, ...fault });
      expect(found.complete).toBe(true);
      expect(found.properties[at('fencing')]).toMatchObject({ kind: 'increases', verdict: 'holds' });
    });

    it('it is how many entries there have been, in every interleaving', () => {
      const found = explore(protocol, chain(2), { commands: 3, properties: [everyEntryCounted] });
      expect(found).toMatchObject({ complete: true, properties: [{ verdict: 'holds' }, {}, {}] });
    });

    it.each([
      ['the token comes twice', { commands: 2, duplications: 1 }, 10],
      ['the node that had it first starts anew', { commands: 2, crashes: 1, restarts: 1 }, 4],
    ])('an entry has no larger number than one before it when %s', (_what, budget, steps) => {
      const found = explore(protocol, chain(2), budget).properties[at('fencing')];
      expect(found).toMatchObject({ kind: 'increases', verdict: 'violated' });
      expect(found?.trace?.lines).toHaveLength(steps);
    });
  });

  describe(`${name} assumptions`, () => {
    const dropped = (n: number, budget: ExploreOptions) => {
      const found = explore(withoutSteps(protocol), chain(n), budget);
      expect(found.complete).toBe(true);
      const shown = found.properties.map(({ verdict, trace }) => {
        if (verdict === 'violated') expect(trace && replay(protocol, chain(n), trace)).toEqual({ steps: trace?.lines.length });
        return verdict === 'violated' ? `violated in ${trace?.lines.length}` : verdict;
      });
      const [exclusion, enters] = shown;
      const [handled, rest] = shown.slice(-2);
      return {
        found: {
          states: found.states,
          exclusion,
          enters,
          token: shown[found.properties.findIndex(({ name }) => name.includes('one token'))],
          handled,
          rest,
        },
        run: (place: number) => linesText(found.properties[place]?.trace?.lines ?? []),
      };
    };
    /** Nobody enters who should not. */
    const safe = { exclusion: 'holds', handled: 'holds' };

    it('one lost message in a chain of three breaks liveness, not safety', () => {
      const { found, run } = dropped(3, { losses: 1 });
      expect(found).toMatchObject({ ...safe, states: faulty.losses, enters: 'violated in 2', token: 'violated in 3' });
      expect(page()).toContain(run(1));
    });

    it('a token that comes twice is two tokens, and lets in two', () => {
      const { found, run } = dropped(3, { duplications: 1 });
      expect(found).toMatchObject({ exclusion: 'violated in 8', token: 'violated in 3', handled: 'violated in 4' });
      expect(page()).toContain(run(0));
    });

    it('a node that crashes with the token takes it away, one on the way cuts others off; nobody enters who should not', () => {
      const { found } = dropped(3, { crashes: 1 });
      expect(found).toMatchObject({ ...safe, states: faulty.crashes, enters: 'violated in 2', token: 'violated in 1' });
    });

    it('a reliable link below makes up for loss, doubling and overtaking', () => {
      for (let seed = 1; seed <= 30; seed++) {
        const { properties } = simulate({
          protocol,
          topology: wave.comesBack ? complete(4) : chain(5),
          conditions: { order: 'any', loss: 0.1, duplication: 0.1, delay: { kind: 'uniform', least: 1, most: 20 } },
          workload: closedLoop({ entries: 3 }),
          reliable: true,
          seed,
        });
        expect(failing({ properties })).toEqual([]);
      }
    });
  });
}
