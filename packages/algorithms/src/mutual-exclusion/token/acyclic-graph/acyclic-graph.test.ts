import { explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { type LocalState, send } from '@conclave/core/protocol';
import { chain, complete, grid, ring, type Topology, topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { StateValue } from 'xstate';
import { allGraphs } from '../../../checks/networks.js';
import { type Explored, everyInterleavingOfVariant } from '../../../contract/explored.contract.js';
import { exploreAll, failing } from '../../../contract/findings.contract.js';
import { takeAll, withMachine, withoutSteps } from '../../../contract/machines.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import { type Event, type Options, statecharts } from './acyclic-graph.js';
import { acyclicGraph } from './protocol.js';

const machine = statecharts.travelled.first;
const acknowledged = statecharts.acknowledged.first;
const numbered = statecharts.numbered.first;

const plain = acyclicGraph({ startUp: 'given' });
const told = acyclicGraph({ startUp: 'given', reversal: 'acknowledged' });
const counted = acyclicGraph({ startUp: 'given', reversal: 'numbered' });
/** Two triangles that share the edge b–c, with two paths from d to a. */
const diamond = topology('edges:a-b,a-c,b-c,b-d,c-d');

const topologies = [chain(2), complete(3), diamond];
const small = [
  { topology: chain(2), budget: { commands: 2 } },
  { topology: complete(3), budget: { initiators: ['b', 'c'] } },
];
/**
 * The first node has the token. Ids break ties between nodes with the same distance from it, so
 * each labelled graph is explored.
 */
const explored = (two: number, three: number): readonly Explored[] => [
  ['2 nodes, 2 entries each', allGraphs(2), { commands: 2 }, two],
  [
    'all graphs of 3 nodes, the token at each, 2 entries each',
    allGraphs(3),
    { commands: 2 },
    three,
  ],
];
const costs = [chain(3), complete(5), ring(8, { oneWay: false }), grid(3, 3)];

mutualExclusionContract({
  protocol: plain,
  topologies,
  small,
  explored: [
    ...explored(69, 4_032),
    ['all graphs of 4 nodes, the token at each, an entry each', allGraphs(4), {}, 41_794],
  ],
  costs,
  mutants: {
    'the request that should follow the token is forgotten': {
      protocol: withMachine(
        withoutSteps(plain),
        machine.provide({ guards: { oneWaits: () => true } }),
      ),
      refuted: 'edges:a,b,c,a-b,a-c, 12 steps: no node waits in a quiescent state',
    },
  },
});

mutualExclusionContract({
  protocol: told,
  topologies,
  small,
  explored: [...explored(69, 7_749), [diamond, {}, 4_796]],
  costs,
});

describe('acyclic-graph numbered', () => {
  const paw = topology('edges:a,b,c,d,a-b,a-c,a-d,b-c');
  everyInterleavingOfVariant(counted, [...explored(87, 21_078), [paw, {}, 2_491]]);
});

proof.each([
  ['travelled', 3, 2, 7_539],
  ['acknowledged', 3, 2, 14_567],
  ['numbered', 3, 1, 1_545],
] as const)(
  'acyclic-graph edges any outgoing edge will do: %s, all graphs of %i nodes, %i entries each',
  (reversal, n, commands, states) => {
    const found = exploreAll(
      acyclicGraph({ startUp: 'given', reversal, edge: 'any' }),
      allGraphs(n),
      { commands },
    );
    expect(found).toEqual({ complete: true, states, broken: [] });
  },
);

describe('acyclic-graph rules', () => {
  const first = (out: readonly string[]): LocalState =>
    start(machine, 'm', { self: 'm', out }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'm', state, events);
  const acquire: Event = { type: 'acquire' };
  const release: Event = { type: 'release' };
  const from = (from: string, type: 'request' | 'reversed' | 'acknowledged'): Event => ({
    type,
    from,
  });
  const tokenFrom = (from: string, entries = 3): Event => ({ type: 'token', entries, from });
  const request = (to: string) => send(to, { type: 'request' });
  const token = (to: string, entries = 3) => send(to, { type: 'token', entries });

  it('[AG1] a node with the token enters at once; another one queues itself and asks a neighbour, once', () => {
    expect(after(first([]), acquire).state).toMatchObject({
      value: 'held',
      context: { entries: 1 },
    });
    const { state, effects } = after(first(['x', 'y']), acquire);
    expect(effects).toEqual([request('x')]);
    expect(state).toMatchObject({ value: 'wanted', context: { queue: ['m'] } });
    expect(after(first(['x']), from('z', 'request'), acquire).effects).toEqual([]);
  });

  it('[AG2] a node queues a request, and asks a neighbour unless it has asked already', () => {
    const once = after(first(['x', 'y']), from('z', 'request'));
    expect(once.effects).toEqual([request('x')]);
    const twice = after(once.state, from('w', 'request'));
    expect(twice.effects).toEqual([]);
    expect(twice.state.context.queue).toEqual(['z', 'w']);
  });

  it('[AG3] an idle token goes to the neighbour that requests it', () => {
    const { state, effects } = after(first([]), from('x', 'request'));
    expect(effects).toEqual([token('x', 0)]);
    expect(state).toMatchObject({
      value: { released: 'away' },
      context: { out: ['x'], queue: [] },
    });
  });

  it('[AG4] a token for another node is passed on, and a request follows it if the queue is not empty', () => {
    const one = after(first(['x', 'y']), from('z', 'request'), tokenFrom('x'));
    expect(one.effects).toEqual([token('z')]);
    expect(one.state).toMatchObject({
      value: { released: 'away' },
      context: { out: ['z'], entries: 0 },
    });
    const two = after(first(['x', 'y']), from('z', 'request'), acquire, tokenFrom('x'));
    expect(two.effects).toEqual([token('z'), request('z')]);
    expect(two.state).toMatchObject({ value: 'wanted', context: { out: ['z'], queue: ['m'] } });
  });

  it('[AG5] a node enters in its turn; when it leaves, the token goes to the first node in the queue, or stays', () => {
    const held = after(first(['x', 'y']), acquire, tokenFrom('x')).state;
    expect(held).toMatchObject({ value: 'held', context: { out: [], queue: [], entries: 4 } });
    expect(after(held, release).state.value).toEqual({ released: 'here' });
    expect(after(held, from('z', 'request'), release).effects).toEqual([token('z', 4)]);
    expect(after(held, from('z', 'request'), from('w', 'request'), release).effects).toEqual([
      token('z', 4),
      request('z'),
    ]);
  });

  it('[AG6] a node that receives the token has no outgoing edge, and tells the other neighbours in OUT', () => {
    const effectsOf = (chart: typeof machine) => {
      const asked = step(
        chart,
        'm',
        start(chart, 'm', { self: 'm', out: ['x', 'y', 'z'] }).state,
        acquire,
      ).state;
      const { state, effects } = step(chart, 'm', asked, tokenFrom('x'));
      expect(state.context.out).toEqual([]);
      return effects;
    };
    expect(effectsOf(machine)).toEqual([]);
    expect(effectsOf(acknowledged)).toEqual([
      send('y', { type: 'reversed' }),
      send('z', { type: 'reversed' }),
    ]);
    expect(effectsOf(numbered)).toEqual(
      ['y', 'z'].map((to) => send(to, { type: 'reversed', entries: 4 })),
    );
  });

  it('[AG7] a node that is told reverses the edge, and asks over it first', () => {
    const { state, effects } = [from('y', 'reversed'), acquire].reduce(
      (taken, event) => step(acknowledged, 'm', taken.state, event),
      start(acknowledged, 'm', { self: 'm', out: ['x'] }) as ReturnType<typeof step>,
    );
    expect(effects).toEqual([request('y')]);
    expect(state.context.out).toEqual(['y', 'x']);
  });

  it('[AG7] numbered: not so if the token has visited the node since', () => {
    const away = [acquire, tokenFrom('x', 3), from('z', 'request'), release].reduce(
      (state, event) => step(numbered, 'm', state, event).state,
      start(numbered, 'm', { self: 'm', out: ['x', 'y'] }).state,
    );
    const news = (entries: number): Event => ({ type: 'reversed', entries, from: 'y' });
    const outAfter = (entries: number) =>
      step(numbered, 'm', away, news(entries)).state.context.out;
    expect([outAfter(5), outAfter(6)]).toEqual([['z'], ['y', 'z']]);
  });

  it('[AG8] acknowledged: the token stays until all neighbours that were told have answered; the node may enter before', () => {
    const values: StateValue[] = [];
    let state = start(acknowledged, 'm', { self: 'm', out: ['x', 'y'] }).state;
    for (const event of [acquire, tokenFrom('x'), from('x', 'request'), release]) {
      state = step(acknowledged, 'm', state, event).state;
      values.push(state.value);
    }
    expect(values).toEqual([{ wanted: 'asked' }, 'held', 'held', { released: 'settling' }]);
    const { state: away, effects } = step(acknowledged, 'm', state, from('y', 'acknowledged'));
    expect(effects).toEqual([token('x', 4)]);
    expect(away.value).toEqual({ released: 'away' });
  });

  const waving = acyclicGraph().roles.node?.machine ?? machine;
  const begun = (holder: boolean, ...events: Event[]) =>
    events.reduce(
      (taken, event) => step(waving, 'm', taken.state, event),
      start(waving, 'm', {
        self: 'm',
        out: [],
        holder,
        wave: { neighbours: ['x', 'y', 'z'] },
      }) as ReturnType<typeof step>,
    );
  const explorer = (from: string, height: number): Event => ({
    type: 'wave-explorer',
    height,
    from,
  });
  const echo = (from: string): Event => ({ type: 'wave-echo', from });
  const explorers = (height: number, ...to: string[]) =>
    to.map((id) => send(id, { type: 'wave-explorer', height }));

  it('[AG9] the holder of the token starts an echo wave, in which explorers carry heights', () => {
    expect(begun(true).effects).toEqual(explorers(0, 'x', 'y', 'z'));
    expect(begun(false).effects).toEqual([]);
    expect(begun(false, explorer('y', 4)).effects).toEqual(explorers(5, 'x', 'z'));
  });

  it('[AG10] when its wave is over, the edges of a node point to the neighbours with a lower height, or the same and a lower id', () => {
    const { state, effects } = begun(false, explorer('z', 4), explorer('x', 5), explorer('y', 6));
    expect(effects).toEqual([send('z', { type: 'wave-echo' })]);
    expect(state).toMatchObject({
      value: { released: 'away' },
      context: { out: ['z'], wave: null },
    });
    const other = begun(false, explorer('z', 4), explorer('a', 5), echo('x'), echo('y'));
    expect(other.state).toMatchObject({ context: { out: ['z', 'a'] } });
    expect(begun(true, echo('x'), explorer('z', 1), echo('y')).state).toMatchObject({
      value: { released: 'here' },
      context: { out: [] },
    });
  });

  it('[AG11] until then it queues requests, and its own', () => {
    const asking = begun(false, acquire, explorer('z', 4), from('x', 'request'));
    expect(asking.effects).toEqual([]);
    expect(asking.state.context.queue).toEqual(['m', 'x']);
    const asked = [echo('x'), echo('y')].reduce(
      (taken, event) => step(waving, 'm', taken.state, event),
      asking,
    );
    expect(asked.effects).toEqual([send('z', { type: 'wave-echo' }), request('z')]);
    expect(asked.state.value).toBe('wanted');
    const over = [echo('x'), echo('y'), echo('z')];
    expect(begun(true, acquire, ...over).state.value).toBe('held');
    expect(begun(true, from('x', 'request'), ...over).effects).toEqual([token('x', 0)]);
    expect(begun(true, from('x', 'request'), acquire, ...over)).toMatchObject({
      state: { value: 'wanted' },
      effects: [token('x', 0), request('x')],
    });
  });

  it('holder: the token starts there, at any node', () => {
    for (const holder of ['a', 'c', 'd'])
      expect(failing(explore(acyclicGraph({ startUp: 'given', holder }), diamond))).toEqual([]);
  });
});

const given = (more: Options, topology: (n: number) => Topology, two: number, three: number) =>
  greedyContract({
    make: (options) => acyclicGraph({ ...options, ...more, startUp: 'given' }),
    topology,
    states: [
      [2, { commands: 2 }, two],
      [3, { commands: 2 }, three],
    ],
  });

given({}, chain, 81, 1_240);
given({ reversal: 'acknowledged' }, complete, 81, 5_943);
given({ reversal: 'numbered' }, complete, 101, 16_563);
