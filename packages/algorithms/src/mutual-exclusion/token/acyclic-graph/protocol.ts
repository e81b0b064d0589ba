import {
  defineProtocol,
  everyStep,
  type FencedProtocol,
  leadsTo,
  type NodeId,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import {
  type AnyStateMachine,
  and,
  createMachine,
  stateIn,
  type UnknownMachineConfig,
} from 'xstate';
import { partShapes } from '../../../composition/part.js';
import { region } from '../../../composition/region.js';
import { connectedWith, validOptions } from '../../../options.js';
import { receivedIn, sentIn } from '../../../steps.js';
import { part as echoPart } from '../../../waves/echo/echo.js';
import { echo } from '../../../waves/echo/protocol.js';
import { type Command, commands, nodesIn, properties, tokensGrow } from '../../mutual-exclusion.js';
import { orientedToOwner, orientedTowards } from '../building-blocks/edge-orientation.js';
import { bunchesPerVisit, keeps, queuesOthers } from '../building-blocks/greedy.js';
import {
  countsEntries,
  entriesSoFar,
  inTurn,
  nothingTwice,
  oneToken,
  queuesEachOnce,
  requestsForItsQueue,
} from '../building-blocks/token.js';
import {
  acyclicGraphOptions,
  context,
  greedyMachine,
  type Message,
  node,
  type Options,
  statecharts,
} from './acyclic-graph.js';

// The start-up: an echo wave (C2) from the holder of the token tells each node where its edges
// point. Rules AG9–AG11: README.md

/** Where the token goes on, and how it leaves: these depend on the variant. */
interface Onward {
  readonly passing: 'released.passing' | 'released.settling';
  readonly passToken: 'passToken' | 'passTokenAndRemember';
}

/** A node that does not know its edges. Its part in the wave is one more region: start-up.ts. */
const starting = ({ passing, passToken }: Onward) =>
  node.createStateConfig({
    type: 'parallel',
    always: [
      {
        guard: and(['waveIsOver', 'queueIsEmpty']),
        target: 'released.away',
        actions: 'orient',
        description: 'AG10',
      },
      {
        guard: and(['waveIsOver', 'isHolder', 'ownTurn']),
        target: 'held',
        actions: ['orient', 'enter'],
        description: 'AG5, AG10',
      },
      {
        guard: and(['waveIsOver', 'isHolder', 'isWaiting']),
        target: 'wanted',
        actions: ['orient', passToken, 'ask'],
        description: 'AG4, AG10',
      },
      {
        guard: and(['waveIsOver', 'isHolder']),
        target: passing,
        actions: 'orient',
        description: 'AG4, AG10',
      },
      {
        guard: and(['waveIsOver', 'isWaiting']),
        target: 'wanted',
        actions: ['orient', 'ask'],
        description: 'AG1, AG10',
      },
      {
        guard: 'waveIsOver',
        target: 'released.asked',
        actions: ['orient', 'ask'],
        description: 'AG2, AG10',
      },
    ],
    on: { request: { actions: 'enqueue', description: 'AG11' } },
    states: {
      token: {
        initial: 'elsewhere',
        states: {
          elsewhere: {
            always: { guard: 'isHolder', target: 'here', actions: 'startWave', description: 'AG9' },
          },
          here: { tags: 'token' },
        },
      },
      application: {
        id: 'application',
        initial: 'idle',
        states: {
          idle: {
            on: { acquire: { target: 'waiting', actions: 'enqueueSelf', description: 'AG11' } },
          },
          waiting: { tags: 'waiting' },
        },
      },
      edges: { on: { 'wave-explorer': { actions: 'noteHeight', description: 'AG9' } } },
    },
  });

/** A node that does not know its edges at first. The wave is a region of its state `starting`. */
function withWave(machine: AnyStateMachine, onward: Onward): AnyStateMachine {
  const wave = region('wave', echoPart);
  const { states, ...config } = machine.config;
  const first = starting(onward);
  const { actions, guards, delays } = machine.implementations;
  return createMachine(
    {
      ...config,
      context: (args: {
        readonly input: Parameters<typeof context>[0]['input'] & { readonly wave: unknown };
      }) => ({
        ...context(args),
        heights: {},
        wave: wave.context(args.input.wave),
      }),
      initial: 'starting',
      states: { starting: { ...first, states: { ...first.states, wave: wave.state } }, ...states },
    } as UnknownMachineConfig, // of the same form
    {
      actions: { ...actions, ...wave.implementations.actions },
      guards: {
        ...guards,
        ...wave.implementations.guards,
        waveIsOver: stateIn('#wave.green'),
        isWaiting: stateIn('#application.waiting'),
      },
      delays,
    },
  );
}

export type { Command, Options };

// Invariants of the steps of variants in which neighbours are told of the token; rules AG6 and AG7.

/** The neighbours to which the edges of a node point. */
// as the machine's own types say
const pointersOf = ({ context }: NodeView) => context.out as readonly NodeId[];

const tellsPointers = everyStep(
  'a node that receives the token tells exactly the neighbours that its other edges pointed to',
  (step) => {
    const token = receivedIn(step, 'token');
    const expected = token ? pointersOf(step.before).filter((id) => id !== token.from) : [];
    const sent = sentIn(step, 'reversed');
    const isRight = (number: unknown) =>
      number === undefined || number === Number(token?.entries) + 1;
    return (
      sent.length === expected.length &&
      expected.every((id) => sent.some(({ to, message }) => to === id && isRight(message.entries)))
    );
  },
);

const turnsEdge = everyStep(
  'news of the token reverse the edge, unless the token has visited the receiver since',
  (step) => {
    const news = receivedIn(step, 'reversed');
    if (!news) return true;
    const [before, after] = [pointersOf(step.before), pointersOf(step.after)];
    const isLate =
      news.entries !== undefined && Number(news.entries) <= Number(step.before.context.entries);
    if (isLate) return after.join() === before.join();
    return after[0] === news.from && before.every((id) => after.includes(id));
  },
);

const reversalRules: readonly Property[] = [tellsPointers, turnsEdge];

/** Whether the node knows its edges. */
const isStarted = ({ value }: NodeView): boolean =>
  typeof value !== 'object' || !('starting' in value);

const startUpRules: readonly Property[] = [
  leadsTo('every node learns where its edges point', (node) => !isStarted(node), isStarted),
  everyStep('a node sends no token and no request before it knows its edges', (step) => {
    return isStarted(step.after) || sentIn(step, 'token', 'request').length === 0;
  }),
  everyStep(
    'a node that knows its edges does not forget them',
    ({ before, after }) => !isStarted(before) || isStarted(after),
  ),
];

type Reversal = NonNullable<Options['reversal']>;

/** The number of messages for each neighbour that is told, and the cost. */
const costs: Readonly<
  Record<Reversal, { readonly perNeighbour: number; readonly formula: string }>
> = {
  travelled: { perNeighbour: 0, formula: '2·path' },
  all: { perNeighbour: 1, formula: '2·path + neighbours told' },
  acknowledged: { perNeighbour: 2, formula: '2·path + 2·neighbours told' },
  numbered: { perNeighbour: 1, formula: '2·path + neighbours told' },
};

/** The messages that belong to an entry, not to the start-up. */
const ofEntries: Readonly<Record<Reversal, readonly string[]>> = {
  travelled: ['request', 'token'],
  all: ['request', 'token', 'reversed'],
  acknowledged: ['request', 'token', 'reversed', 'acknowledged'],
  numbered: ['request', 'token', 'reversed'],
};

const onward = {
  travelled: { passing: 'released.passing', passToken: 'passToken' },
  all: { passing: 'released.passing', passToken: 'passToken' },
  acknowledged: { passing: 'released.settling', passToken: 'passToken' },
  numbered: { passing: 'released.passing', passToken: 'passTokenAndRemember' },
} as const;

/**
 * Of e edges at most e − n + 1 are told of between two entries; e = n(n−1)/2 in a complete network.
 */
const messagesOf = (reversal: Reversal) => ({
  request: { meaning: 'the sender, or a node behind it, requests the token' },
  token: {
    fields: ['entries'] as const,
    counters: ['entries'] as const,
    meaning: 'the receiver may enter; `entries` so far, or with `numbered` entries and visits',
  },
  ...(reversal !== 'travelled' && {
    reversed: {
      ...(reversal === 'numbered' && { fields: ['entries'], counters: ['entries'] }),
      meaning: 'the token is at the sender: the receiver reverses its end of the edge',
    },
  }),
  ...(reversal === 'acknowledged' && {
    acknowledged: { meaning: 'the receiver of `reversed` has done so' },
  }),
});

const mostTold = (n: number): number => ((n - 1) * (n - 2)) / 2;

/**
 * A9: the token on a directed acyclic graph.
 *
 * With `reversal: 'all'` requests may go round in a cycle: see README.md.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example acyclicGraph({ reversal: 'acknowledged', holder: 'b' })
 */
export function acyclicGraph(options: Options = {}): FencedProtocol<Command> {
  const {
    reversal = 'travelled',
    edge = 'first',
    startUp = 'wave',
    greedy = 0,
    holder,
  } = validOptions('acyclicGraph', acyclicGraphOptions, options);
  const isWave = startUp === 'wave';
  const { perNeighbour, formula } = costs[reversal];
  const chart = isWave
    ? withWave(statecharts[reversal][edge], onward[reversal])
    : statecharts[reversal][edge];
  return defineProtocol<Extract<Message, { type: 'request' | 'token' }>, Command>({
    id: 'A9',
    name: 'acyclic-graph',
    title: 'Token on a directed acyclic graph',
    problem: 'mutual-exclusion',
    citation:
      'F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000, on generalising the directed tree of A7 to any connected graph',
    options: {
      ...(reversal === 'travelled' ? {} : { reversal }),
      ...(edge === 'first' ? {} : { edge }),
      ...(isWave ? {} : { startUp }),
      ...(greedy > 0 && { greedy }),
      ...(holder === undefined ? {} : { holder }),
    },
    topology: connectedWith('holder', holder),
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine: greedy > 0 ? greedyMachine(chart) : chart,
        input: (self, topology) => ({
          ...(greedy > 0 && { greedy }),
          self,
          ...(isWave ? withoutEdges : withEdges)(self, topology, holder),
        }),
      },
    },
    messages: { ...(isWave && partShapes('wave', echo().messages)), ...messagesOf(reversal) },
    commands,
    properties: [
      ...properties,
      oneToken,
      tokensGrow(entriesSoFar),
      ...orientedToOwner(pointersOf, isStarted),
      countsEntries(entriesSoFar, undefined, reversal === 'numbered' ? 1 : 0),
      queuesEachOnce,
      requestsForItsQueue,
      inTurn(keeps),
      nothingTwice,
      ...(greedy > 0 ? bunchesPerVisit(greedy, queuesOthers) : []),
      ...(reversal === 'travelled' ? [] : reversalRules),
      ...(isWave ? startUpRules : []),
    ],
    fence: entriesSoFar,
    waitsFor: (node) =>
      nodesIn('out')(node).slice(0, reversal === 'travelled' && edge === 'first' ? 1 : undefined),
    cost: {
      per: 'entry',
      ...(isWave ? { of: ofEntries[reversal], remark: 'and 2e at the start' } : {}),
      formula,
      messages: (n) => ({ least: 0, most: 2 * (n - 1) + perNeighbour * mostTold(n) }),
    },
  });
}

/** How a node starts where a wave directs the edges. */
const withoutEdges = (self: NodeId, topology: Topology, holder?: NodeId) => ({
  out: [],
  holder: self === (holder ?? topology.nodes[0]),
  wave: { neighbours: topology.successors(self) },
});

/** How a node starts where its edges are given. */
const withEdges = (self: NodeId, topology: Topology, holder = topology.nodes[0] ?? self) => ({
  out: orientedTowards(topology, holder).get(self) ?? [],
});
