/**
 * For each condition of the reduction, a small system for which a search without this condition
 * gives a wrong verdict.
 */

import { expect, it } from 'vitest';
import { type AnyStateMachine, assign, enqueueActions, setup } from 'xstate';
import { type Self, selfAndPeers, tiny } from '../../../protocol/examples.contract.js';
import {
  type Chosen,
  choose,
  type Effect,
  type NodeId,
  type Received,
  send,
} from '../../../protocol/node.js';
import { type Property, sometimes } from '../../../protocol/property.js';
import type { Protocol } from '../../../protocol/protocol.js';
import { standardProperties } from '../../../protocol/unhandled-messages.js';
import { complete, star } from '../../../topology/generators.js';
import * as needs from '../../../topology/needs.js';
import type { Topology } from '../../../topology/topology.js';
import { explore } from '../../explore/explore.js';
import type { ExploreOptions } from '../../explore/options.js';

type Talk = { type: 'poke' } | { type: 'nudge' };

const part = setup({
  types: {} as {
    input: Self;
    context: Self & { n: number };
    events: { type: 'go' } | { type: 'stop' } | Received<Talk> | Chosen;
    emitted: Effect<Talk>;
  },
  actions: {
    pokeAll: enqueueActions(({ context, enqueue }) => {
      for (const to of context.peers) enqueue.emit(send(to, { type: 'poke' }));
    }),
    poke: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(send(context.peers[0] ?? '', { type: 'poke' })),
    ),
    nudge: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(send(context.peers[0] ?? '', { type: 'nudge' })),
    ),
    toss: enqueueActions(({ enqueue }) => enqueue.emit(choose(0, 1))),
    count: assign(({ context }) => ({ n: context.n + 1 })),
  },
});
const context = ({ input }: { input: Self }) => ({ ...input, n: 0 });

const base = tiny(part.createMachine({ context }), {
  topology: { ...needs.complete, refuses: () => undefined },
});

/** A protocol with one machine for each node. */
const system = (machines: Readonly<Record<NodeId, AnyStateMachine>>): Protocol => ({
  ...base,
  roles: Object.fromEntries(
    Object.entries(machines).map(([id, machine]) => [id, { machine, input: selfAndPeers }]),
  ),
  roleOf: (id) => id,
  messages: { poke: { meaning: 'now' }, nudge: { meaning: 'now, please' } },
  commands: {
    go: { kind: 'optional', meaning: 'go' },
    stop: { kind: 'optional', meaning: 'stop' },
  },
});

const starter = part.createMachine({ context, on: { go: { actions: 'pokeAll' } } });
/** A node that is `done` once it is poked. */
const poked = part.createMachine({
  context,
  initial: 'idle',
  states: { idle: { on: { poke: 'done' } }, done: { tags: 'done', on: { poke: {} } } },
});
/** A node that may go by itself. */
const goer = part.createMachine({
  context,
  initial: 'idle',
  states: { idle: { on: { go: 'done' } }, done: { tags: 'done' } },
});
/** A node that sends two messages in the order of its commands, and may omit the second. */
const speaker = part.createMachine({
  context,
  initial: 'silent',
  states: {
    silent: { on: { go: { target: 'begun', actions: 'poke' } } },
    begun: { on: { go: { target: 'over', actions: 'nudge' }, stop: 'over' } },
    over: {},
  },
});
/** A node that is `late` if the nudge comes first. */
const listener = part.createMachine({
  context,
  initial: 'idle',
  on: { poke: {}, nudge: {} },
  states: { idle: { on: { poke: 'poked', nudge: 'late' } }, poked: {}, late: { tags: 'late' } },
});
/** A node that tosses a coin when it is poked. */
const tosser = part.createMachine({
  context,
  initial: 'idle',
  on: { chosen: '.picked' },
  states: {
    idle: { on: { poke: { target: 'asking', actions: 'toss' } } },
    asking: {},
    picked: { tags: 'picked', on: { poke: {} } },
  },
});
/** A node that handles a poke only when it is awake. */
const sleeper = part.createMachine({
  context,
  initial: 'asleep',
  states: { asleep: { on: { go: 'awake' } }, awake: { on: { poke: {} } } },
});
/** A node that is `early` if it is poked before it is ready. */
const slow = part.createMachine({
  context,
  initial: 'idle',
  on: { poke: {} },
  states: { idle: { on: { go: 'ready', poke: 'early' } }, ready: {}, early: { tags: 'early' } },
});
/** A node that handles a poke only before it is ready, and reacts to a nudge only after. */
const fickle = part.createMachine({
  context,
  initial: 'idle',
  states: {
    idle: { on: { go: 'ready', poke: {}, nudge: {} } },
    ready: { on: { nudge: 'done' } },
    done: { tags: 'done', on: { poke: {}, nudge: {} } },
  },
});
/** A node that passes on what it is told. */
const relay = part.createMachine({ context, on: { poke: { actions: 'nudge' } } });
const waiter = part.createMachine({
  context,
  initial: 'idle',
  states: { idle: { tags: 'waiting', on: { poke: 'served' } }, served: {} },
});
const server = part.createMachine({ context, entry: 'poke', on: { poke: { actions: 'poke' } } });
const returner = part.createMachine({ context, on: { poke: { actions: 'poke' } } });
const chatterbox = part.createMachine({
  context,
  on: { go: { actions: 'poke' }, stop: { actions: 'nudge' } },
});
const counter = part.createMachine({ context, on: { go: { actions: 'count' } } });

const reached = (tag: string): Property => sometimes(tag, (world) => world.count(tag) > 0);
const before = (first: NodeId, second: NodeId): Property =>
  sometimes(`${first} before ${second}`, (world) => {
    const isDone = (id: NodeId) => world.node(id).tags.has('done');
    return isDone(first) && !isDone(second);
  });
const [handled = '', noDeadlock = ''] = standardProperties;

const conditions: readonly (readonly [
  condition: string,
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions,
  properties: readonly Property[],
  verdicts: Readonly<Record<string, string>>,
])[] = [
  [
    'channels keep their order; otherwise a later message may come first',
    system({ a: speaker, b: listener }),
    complete(2),
    { order: 'any', commands: 2 },
    [reached('late')],
    { late: 'reached' },
  ],
  [
    'in fifo channels, the order of sends matters',
    system({ a: chatterbox, b: listener }),
    complete(2),
    { order: 'fifo' },
    [reached('late')],
    { late: 'reached' },
  ],
  [
    'no step of the set asks for a choice; otherwise the answer comes before other steps',
    system({ a: starter, b: tosser, c: poked }),
    star(3),
    { order: 'fifo' },
    [
      sometimes(
        'c is done, b has not picked',
        (world) => world.count('done') > 0 && world.count('picked') === 0,
      ),
    ],
    { 'c is done, b has not picked': 'reached' },
  ],
  [
    'no step before a free step is an unhandled message; otherwise it is missed',
    system({ a: sleeper, b: starter }),
    complete(2),
    { order: 'fifo' },
    [],
    { [handled]: 'violated' },
  ],
  [
    'no step after a free step is an unhandled message; otherwise what follows is missed',
    system({ a: fickle, b: speaker }),
    complete(2),
    { order: 'fifo', commands: 2 },
    [reached('done')],
    { done: 'reached', [handled]: 'violated' },
  ],
  [
    'no free step is visible to a property',
    system({ a: counter, b: goer, c: goer }),
    complete(3),
    {},
    [before('b', 'c'), before('c', 'b')],
    { 'b before c': 'reached', 'c before b': 'reached' },
  ],
  [
    'no step of a settled node is visible to a property',
    system({ a: starter, b: poked, c: poked }),
    star(3),
    { order: 'fifo' },
    [before('b', 'c'), before('c', 'b')],
    { 'b before c': 'reached', 'c before b': 'reached' },
  ],
  [
    'each channel to a settled node holds a message; otherwise one of another channel may come first',
    system({ a: listener, b: starter, c: relay }),
    complete(3),
    { order: 'fifo' },
    [reached('late')],
    { late: 'reached' },
  ],
  [
    'a step leads to a world that is not yet expanded; otherwise the other steps are never taken',
    system({ a: server, b: returner, c: goer }),
    complete(3),
    { order: 'fifo' },
    [reached('done')],
    { done: 'reached' },
  ],
  [
    'a step that is assumed free is free after all steps that were found',
    system({ a: slow, b: starter }),
    complete(2),
    { order: 'fifo' },
    [reached('early')],
    { early: 'reached' },
  ],
  [
    'the search starts again when properties read more',
    system({ a: starter, b: poked, c: listener }),
    star(3),
    { order: 'fifo' },
    [
      sometimes(
        'b is done, c has received nothing',
        (world) => world.count('done') > 0 && world.node('c').value === 'idle',
      ),
    ],
    { 'b is done, c has received nothing': 'reached' },
  ],
  [
    'properties do not look at messages in flight',
    system({ a: starter, b: listener, c: listener }),
    star(3),
    { order: 'fifo' },
    [
      sometimes(
        'the only message in flight goes to b',
        (world) => world.inFlight().length === 1 && world.inFlight()[0]?.to === 'b',
      ),
    ],
    { 'the only message in flight goes to b': 'reached' },
  ],
  [
    'the environment has no step',
    system({ a: starter, b: waiter }),
    complete(2),
    { order: 'fifo', crashes: 1 },
    [],
    { [noDeadlock]: 'violated' },
  ],
];

it.each(conditions)('%s', (_condition, protocol, topology, options, properties, verdicts) => {
  const found = (more: ExploreOptions) =>
    Object.fromEntries(
      explore(protocol, topology, { ...options, ...more, properties }).properties.map(
        ({ name, verdict }) => [name, verdict],
      ),
    );
  const full = found({});
  expect(full).toMatchObject(verdicts);
  for (const more of [{}, { search: 'depth' }, { coverage: true }] as const)
    expect(found({ ...more, reduce: 'order' })).toEqual(full);
});
