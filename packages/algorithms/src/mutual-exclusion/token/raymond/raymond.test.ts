import { readFileSync } from 'node:fs';
import { explore } from '@conclave/core/exploration';
import { isOfRuns, type LocalState, send, start, step } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { chain, star, topology, tree } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { assign, emit } from 'xstate';
import { failing } from '../../../contract/failing.js';
import { withMachine } from '../../../contract/mutant.js';
import { withoutSteps } from '../../../contract/without-steps.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { countedTokenContract } from '../building-blocks/counted-token.contract.js';
import { raymond } from './protocol.js';
import { type Event, machine } from './raymond.js';

const plain = raymond();
const mutant = (refuted: string, changed: typeof machine) => ({ protocol: withMachine(withoutSteps(plain), changed), refuted });
const topologies = [chain(2), chain(3), star(4), tree(2, 6)];
const small = [
  { topology: chain(2), budget: { commands: 2 } },
  { topology: chain(3), budget: { initiators: ['a', 'c'], commands: 2 } },
];
/** All trees of 2, 3 and 4 nodes with the token, which the first node has, at each place: at an end, or further in. */
const trees = [chain(2), chain(3), tree(2, 3), chain(4), tree(2, 4), star(4), topology('edges:a-b,b-c,b-d')];
const explored = (any: number, fifo: number) => [
  {
    what: 'trees of 2 to 4 nodes, the token at each place, 2 entries each',
    systems: trees.map((topology) => ({ topology, budget: { commands: 2 } })),
    states: any,
  },
  {
    what: 'trees of 2 to 4 nodes, the token at each place, 2 entries each, nothing overtakes',
    systems: trees.map((topology) => ({ topology, budget: { commands: 2, order: 'fifo' as const } })),
    states: fifo,
  },
];
const costs = [chain(3), star(5), tree(2, 15), tree(3, 13)];
/** Who has not asked gets no token, and there is no second one. */
const noToken = ['released.away', 'released.here', 'held'].map((state) => `${state}: token`);
const norBoth = noToken.flatMap((place) => [place, `${place}-and-request`]);

mutualExclusionContract({
  protocol: plain,
  topologies,
  small,
  explored: explored(57_979, 46_118),
  covered: [{ topology: tree(2, 4), budget: { commands: 2 }, states: 13_954, transitions: 35_663, depth: 30, undelivered: noToken }],
  costs,
  mutants: {
    'ASKED is not reset when the token is passed on': mutant(
      'chain:2, 9 steps: no node waits in a quiescent state',
      machine.provide({
        guards: { oneWaits: () => false },
        actions: { passTokenAndAsk: emit(({ context }) => send(context.holder, { type: 'token', entries: context.entries })) },
      }),
    ),
    'the request that should follow the token is forgotten': mutant(
      'chain:3, 11 steps: no node waits in a quiescent state',
      machine.provide({
        actions: { passTokenAndAsk: emit(({ context }) => send(context.holder, { type: 'token', entries: context.entries })) },
      }),
    ),
    'HOLDER is not turned when the token is passed on': mutant(
      "chain:2, 1 steps: Node a sends 'token' to a, to which it has no channel in 'chain:2'",
      machine.provide({ actions: { pointToFirst: assign(({ context }) => ({ queue: context.queue.slice(1) })) } }),
    ),
    'the token is kept by whoever waits, in turn or not': mutant(
      "chain:3, 5 steps: Node b sends 'token' to b, to which it has no channel in 'chain:3'",
      machine.provide({
        guards: { ownTurn: () => true },
        actions: { leaveQueue: assign(({ context }) => ({ holder: context.self, queue: context.queue.slice(1) })) },
      }),
    ),
    'relays do not enqueue whom they ask for': mutant(
      "chain:2, 1 steps: Node a sends 'token' to a, to which it has no channel in 'chain:2'",
      machine.provide({ actions: { enqueue: assign({}) } }),
    ),
  },
});

/** A node that has entered before its turn as often as it may wants to enter once more. */
const thrice = { initiators: ['a', 'c', 'd'], commands: 3 };
for (const [options, any, fifo, used] of [
  [{ piggyback: true }, 64_197, 51_840, { budget: { commands: 2 }, states: 15_592, transitions: 38_875, depth: 28, undelivered: norBoth }],
  [{ greedy: 1 }, 98_740, 78_721, { budget: { commands: 2 }, states: 26_365, transitions: 65_743, depth: 32, undelivered: noToken }],
  [
    { piggyback: true, greedy: 2 },
    113_205,
    91_475,
    { budget: thrice, states: 8_687, transitions: 18_370, depth: 35, undelivered: norBoth },
  ],
] as const) {
  const covered = [{ topology: tree(2, 4), ...used }];
  mutualExclusionContract({ protocol: raymond(options), topologies, small, explored: explored(any, fifo), covered, costs, mutants: {} });
}

describe('raymond rules', () => {
  const first = (holder: string, greedy = 0): LocalState => start(machine, 'm', { self: 'm', holder, greedy }).state;
  const after = (state: LocalState, ...events: Event[]) =>
    events.reduce((taken, event) => step(machine, 'm', taken.state, event), { state, effects: [] } as ReturnType<typeof step>);
  const acquire: Event = { type: 'acquire' };
  const release: Event = { type: 'release' };
  const from = (from: string, type: 'request' | 'token' | 'token-and-request'): Event =>
    type === 'request' ? { type, from } : { type, entries: 4, from };
  const request = (to: string) => send(to, { type: 'request' });
  const token = (to: string, entries = 4) => send(to, { type: 'token', entries });

  it('[R1] a wish enters at once where the token is; otherwise it is queued, and the holder asked once', () => {
    expect(after(first('m'), acquire).state).toMatchObject({ value: 'held', context: { entries: 1 } });
    const { state, effects } = after(first('h'), acquire);
    expect(state).toMatchObject({ value: 'wanted', context: { queue: ['m'] } });
    expect(effects).toEqual([request('h')]);
    expect(after(first('h'), from('x', 'request'), acquire).effects).toEqual([]);
  });

  it('[R2] a request is queued, and the holder asked unless it has been', () => {
    const once = after(first('h'), from('x', 'request'));
    expect(once.effects).toEqual([request('h')]);
    const twice = after(once.state, from('y', 'request'));
    expect(twice.effects).toEqual([]);
    expect(twice.state.context.queue).toEqual(['x', 'y']);
  });

  it('[R3] an idle token goes to the first who asks', () => {
    const { state, effects } = after(first('m'), from('x', 'request'));
    expect(effects).toEqual([token('x', 0)]);
    expect(state).toMatchObject({ value: { released: 'away' }, context: { holder: 'x', queue: [] } });
  });

  it('[R4] a token for another is passed on; a request follows it if somebody else waits', () => {
    const one = after(first('h'), from('x', 'request'), from('h', 'token'));
    expect(one.effects).toEqual([token('x')]);
    expect(one.state.value).toEqual({ released: 'away' });
    const two = after(first('h'), from('x', 'request'), acquire, from('h', 'token'));
    expect(two.effects).toEqual([token('x'), request('x')]);
    expect(two.state).toMatchObject({ value: 'wanted', context: { holder: 'x', queue: ['m'] } });
  });

  it('[R5] a token in turn is taken, and the entry counted', () => {
    const { state, effects } = after(first('h'), acquire, from('x', 'request'), from('h', 'token'));
    expect(effects).toEqual([]);
    expect(state).toMatchObject({ value: 'held', context: { holder: 'm', queue: ['x'], entries: 5 } });
  });

  it('[R6] on leaving, the token goes to the first who waits, followed by a request for the others; nobody waits: it stays', () => {
    const held = after(first('m'), acquire).state;
    expect(after(held, release).state.value).toEqual({ released: 'here' });
    expect(after(held, from('x', 'request'), release).effects).toEqual([token('x', 1)]);
    expect(after(held, from('x', 'request'), from('y', 'request'), release).effects).toEqual([token('x', 1), request('x')]);
  });

  it('piggyback: a token and the request that follows it are one message', () => {
    const piggyback = raymond({ piggyback: true }).roles.node?.machine ?? machine;
    const waiting = [acquire, from('x', 'request'), from('y', 'request'), from('h', 'token')].reduce(
      (state, event) => step(piggyback, 'm', state, event).state,
      first('h'),
    );
    expect(step(piggyback, 'm', waiting, release).effects).toEqual([send('x', { type: 'token-and-request', entries: 5 })]);
  });

  it('greedy: a node enters before its turn so many times in a row, then waits for it', () => {
    const busy = after(first('h', 1), from('x', 'request'), acquire, from('h', 'token')).state;
    expect(busy).toMatchObject({ value: 'held', context: { queue: ['x'], favours: 1 } });
    const again = after(busy, release, from('y', 'request'), acquire, from('x', 'token'));
    expect(again.state.value).toBe('wanted');
    expect(again.effects).toEqual([token('y'), request('y')]);
    expect(after(again.state, from('y', 'token')).state).toMatchObject({ value: 'held', context: { favours: 0 } });
  });

  it('holder: the token is there at first, wherever in the network', () => {
    for (const holder of ['a', 'b', 'c', 'd']) {
      const inside = holder === 'b' || holder === 'c';
      const found = explore(raymond({ holder }), chain(4), { commands: 2 });
      expect(found.states).toBe(inside ? 13_954 : 13_994); // as on the trees above
      expect(failing(found)).toEqual([]);
    }
  });

  it('refuses options that cannot be', () => {
    expect(() => raymond({ greedy: -1 })).toThrow(/greedy -1 is no count/);
    expect(() => simulate({ protocol: raymond({ holder: 'z' }), topology: chain(3) })).toThrow(/there is no node 'z' to hold the token/);
    expect(simulate({ protocol: raymond({ holder: 'f' }), topology: tree(2, 7), workload: closedLoop() }).complete).toBe(true);
  });
});

describe('raymond assumptions', () => {
  it.each([
    ['chain of 2', chain(2), 32],
    ['chain of 3', chain(3), 304],
    ['star of 4', star(4), 2_327],
  ])('one lost message, wherever on a %s, breaks liveness, never exclusion: every interleaving', (_name, topology, states) => {
    const found = explore(withoutSteps(plain), topology, { commands: 1, losses: 1 });
    expect(found).toMatchObject({ complete: true, states });
    const [exclusion, enters, , token, , handled] = found.properties;
    expect([exclusion, enters, token, handled].map((property) => property?.verdict)).toEqual(['holds', 'violated', 'violated', 'holds']);
    // A lost request: whoever asked waits for ever. A lost token: asked for, sent, lost.
    expect(enters?.trace?.lines.map(({ event }) => event.kind)).toEqual(['command', 'drop']);
    expect(token?.trace?.lines.map(({ event }) => event.kind)).toEqual(['command', 'deliver', 'drop']);
    for (const trace of [enters?.trace, token?.trace])
      expect(trace && replay(plain, topology, trace)).toEqual({ steps: trace?.lines.length });
  });

  it('a message that comes twice lets in two', () => {
    const { complete, states, properties } = explore(withoutSteps(plain), chain(3), { duplications: 1 });
    expect([complete, states]).toEqual([true, 1_853]);
    const trace = properties[0]?.trace;
    expect(trace && replay(plain, chain(3), trace)).toEqual({ steps: 8 });
    const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    expect(page).toContain(linesText(trace?.lines ?? []));
  });

  it('a node that crashes takes the token, or the way to it, away; nobody enters who should not', () => {
    const { complete, states, properties } = explore(withoutSteps(plain), chain(3), { crashes: 1 });
    expect([complete, states]).toEqual([true, 801]);
    const [exclusion, enters, , , , handled] = properties;
    expect([exclusion, enters, handled].map((property) => property?.verdict)).toEqual(['holds', 'violated', 'holds']);
    expect(enters?.trace && replay(plain, chain(3), enters.trace)).toEqual({ steps: 2 });
  });

  it('a lost message, token or request, breaks liveness, not safety', () => {
    const verdicts = (seed: number) =>
      simulate({
        protocol: withoutSteps(plain),
        topology: tree(2, 6),
        seed,
        conditions: { loss: 0.05 },
        workload: closedLoop({ entries: 3 }),
      }).properties;
    for (let seed = 1; seed <= 200; seed++)
      expect(verdicts(seed)[0]).toMatchObject({ kind: 'always', verdict: expect.stringMatching(/holds|incomplete/) });
    const lostToken = Array.from({ length: 50 }, (_, seed) => verdicts(seed)).filter(([, , , tokens]) => tokens?.verdict === 'violated');
    expect(lostToken.length).toBeGreaterThan(10);
    const stuck = Array.from({ length: 50 }, (_, seed) => verdicts(seed)).filter(([, live]) => live?.verdict === 'violated');
    expect(stuck.length).toBeGreaterThan(0);
  });

  it('a reliable link below makes up for loss, doubling and overtaking', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const conditions = { order: 'any', loss: 0.1, duplication: 0.1, delay: { kind: 'uniform', least: 1, most: 20 } } as const;
      const { properties, complete } = simulate({
        protocol: plain,
        topology: tree(2, 6),
        seed,
        conditions,
        reliable: true,
        workload: closedLoop({ entries: 3 }),
      });
      expect([complete, ...failing({ properties })]).toEqual([true]);
    }
  });
});

describe('raymond symmetry', () => {
  it('leaves with the same neighbour are interchangeable, but for the one that has the token at first', () => {
    for (const [options, topology, budget, states] of [
      [{}, star(4), {}, [1049, 208]],
      [{ piggyback: true, greedy: 1 }, star(4), { losses: 1 }, [2594, 484]],
      [{ holder: 'c' }, star(4), { partitions: 1 }, [18711, 9604]],
      [{}, tree(2, 5), {}, [7597, 4027]],
    ] as const) {
      const full = explore(raymond(options), topology, budget);
      const reduced = explore(raymond(options), topology, { ...budget, reduce: 'symmetry' });
      expect([full.states, reduced.states]).toEqual(states);
      for (const [index, { kind, name, verdict }] of reduced.properties.entries())
        expect([name, verdict]).toEqual([name, isOfRuns({ kind }) ? 'incomplete' : full.properties[index]?.verdict]);
    }
  });
});

countedTokenContract(plain, { topology: chain(3), doubled: 8, restarted: 6 });
