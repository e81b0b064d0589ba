/** Tiny protocols that the tests of several modules share. */
import { type AnyStateMachine, assertEvent, assign, enqueueActions, setup } from 'xstate';
import * as needs from '../topology/needs.js';
import type { Topology } from '../topology/topology.js';
import { defineProtocol } from './define-protocol.js';
import {
  type Chosen,
  choose,
  type Effect,
  type Json,
  type NodeId,
  notify,
  type Received,
  send,
} from './node.js';
import { always, leadsTo, sometimes } from './property.js';
import type { Protocol, ProtocolDefinition } from './protocol.js';

type Definition = ProtocolDefinition<{ type: string }, { type: string }>;

export interface Self {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
}

/** A node's own id, and the ids of its neighbours. */
export const selfAndPeers = (self: NodeId, topology: Topology) => ({
  self,
  peers: topology.successors(self),
});

/** A protocol of one role on a complete network, with short descriptions. */
export function minimalProtocol(
  machine: AnyStateMachine,
  definition: Partial<Definition> = {},
): Protocol {
  return defineProtocol({
    name: 'tiny',
    title: 'Tiny',
    problem: 'none',
    citation: 'none',
    topology: needs.complete,
    channels: { order: 'any', loss: false, duplication: false },
    roles: { node: { machine, input: selfAndPeers } },
    messages: {},
    commands: {},
    properties: [],
    ...definition,
  });
}

/** Replaces the machine in a protocol of one role, without the checks of `defineProtocol`. */
export const withMachine = (protocol: Protocol, machine: AnyStateMachine): Protocol => ({
  ...protocol,
  roles: {
    node: { ...protocol.roles.node, machine, input: protocol.roles.node?.input ?? selfAndPeers },
  },
});

// A lock; the centre of a star is the server.

type LockMessage = { type: 'request' } | { type: 'grant' } | { type: 'free' };

export const keeper = setup({
  types: {} as {
    context: { queue: readonly NodeId[] };
    events: Received<LockMessage>;
    emitted: Effect<LockMessage>;
  },
  actions: {
    enqueue: assign(({ context, event }) => ({ queue: [...context.queue, event.from] })),
    grant: enqueueActions(({ context, enqueue }) => {
      const [first = ''] = context.queue;
      enqueue.emit(send(first, { type: 'grant' }));
      enqueue.assign({ queue: context.queue.slice(1) });
    }),
  },
  guards: { someoneWaits: ({ context }) => context.queue.length > 0 },
}).createMachine({
  context: { queue: [] },
  initial: 'free',
  on: { request: { actions: 'enqueue' } },
  states: {
    free: { always: { guard: 'someoneWaits', target: 'given', actions: 'grant' } },
    given: { on: { free: 'free' } },
  },
});

export const client = setup({
  types: {} as {
    input: Self;
    context: { centre: NodeId };
    events: { type: 'acquire' } | { type: 'release' } | Received<LockMessage>;
    emitted: Effect<LockMessage>;
  },
  actions: {
    ask: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(send(context.centre, { type: 'request' })),
    ),
    giveBack: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(send(context.centre, { type: 'free' })),
    ),
  },
}).createMachine({
  context: ({ input }) => ({ centre: input.peers[0] ?? '' }),
  initial: 'idle',
  states: {
    idle: { on: { acquire: { target: 'waiting', actions: 'ask' } } },
    waiting: { tags: 'waiting', on: { grant: 'critical' } },
    critical: { tags: 'critical', on: { release: { target: 'idle', actions: 'giveBack' } } },
  },
});

export const centralLock = minimalProtocol(client, {
  name: 'central-lock',
  title: 'Central lock',
  topology: needs.star,
  roles: {
    keeper: { machine: keeper, input: () => ({}) },
    client: { machine: client, input: selfAndPeers },
  },
  roleOf: (node, topology) => (node === topology.nodes[0] ? 'keeper' : 'client'),
  messages: {
    request: { meaning: 'may I?' },
    grant: { meaning: 'you may' },
    free: { meaning: 'thank you' },
  },
  commands: {
    acquire: { kind: 'optional', meaning: 'enter', when: ({ value }) => value === 'idle' },
    release: { kind: 'obligatory', meaning: 'leave', when: ({ tags }) => tags.has('critical') },
  },
  properties: [
    always('at most one holds', (system) => system.count('critical') <= 1),
    sometimes('a node holds', (system) => system.count('critical') > 0),
    leadsTo(
      'a waiting node enters',
      (node) => node.tags.has('waiting'),
      (node) => node.tags.has('critical'),
    ),
  ],
});

// A caller that repeats a call without an answer; its number of calls survives a crash.

type CallMessage = { type: 'ping'; n: number } | { type: 'pong'; n: number };

const caller = setup({
  types: {} as {
    input: Self & { calls?: number };
    context: Self & { calls: number; tries: number };
    events: { type: 'call' } | Received<CallMessage>;
    emitted: Effect<CallMessage, { type: 'answered' } | { type: 'gave-up'; tries: number }>;
  },
  delays: { ring: 10 },
  actions: {
    count: assign(({ context }) => ({ calls: context.calls + 1, tries: 0 })),
    ping: enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ tries: context.tries + 1 });
      enqueue.emit(send(context.peers[0] ?? '', { type: 'ping', n: context.calls }));
    }),
    pong: enqueueActions(({ event, enqueue }) => {
      assertEvent(event, 'ping');
      enqueue.emit(send(event.from, { type: 'pong', n: event.n }));
    }),
    answered: enqueueActions(({ enqueue }) => enqueue.emit(notify({ type: 'answered' }))),
    giveUp: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(notify({ type: 'gave-up', tries: context.tries })),
    ),
  },
  guards: {
    mayTryAgain: ({ context }) => context.tries < 2,
    isOurs: ({ context, event }) => {
      assertEvent(event, 'pong');
      return event.n === context.calls;
    },
  },
}).createMachine({
  context: ({ input }) => ({
    self: input.self,
    peers: input.peers,
    calls: input.calls ?? 0,
    tries: 0,
  }),
  initial: 'idle',
  on: { ping: { actions: 'pong' }, pong: {} },
  states: {
    idle: { on: { call: { target: 'calling', actions: 'count' } } },
    calling: {
      tags: 'waiting',
      entry: 'ping',
      after: {
        ring: [
          { guard: 'mayTryAgain', target: 'calling', reenter: true },
          { target: 'idle', actions: 'giveUp' },
        ],
      },
      on: { pong: { guard: 'isOurs', target: 'idle', actions: 'answered' } },
    },
  },
});

export const calls = minimalProtocol(caller, {
  name: 'calls',
  channels: { order: 'any', loss: true, duplication: true },
  roles: { node: { machine: caller, input: selfAndPeers, stable: ['calls'] } },
  messages: {
    ping: { fields: ['n'], meaning: 'are you there?' },
    pong: { fields: ['n'], meaning: 'I am' },
  },
  commands: { call: { kind: 'optional', meaning: 'ring the first peer' } },
});

// A player that draws at its start and on command: two choices in one step, and a third that an
// answer leads to.

type Draw = { type: 'drew'; value: Json };

const player = setup({
  types: {} as {
    input: Self;
    context: Self & { drawn: readonly Json[] };
    events: { type: 'play' } | Chosen | Received<Draw>;
    emitted: Effect<Draw>;
  },
  actions: {
    deal: enqueueActions(({ enqueue }) => enqueue.emit(choose(1, 2))),
    drawTwice: enqueueActions(({ enqueue }) => {
      enqueue.emit(choose('high', 'low'));
      enqueue.emit(choose('left', 'right'));
    }),
    drawHigh: enqueueActions(({ enqueue }) => enqueue.emit(choose('king', 'ace'))),
    tell: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'chosen');
      enqueue.assign({ drawn: [...context.drawn, event.value] });
      for (const peer of context.peers)
        enqueue.emit(send(peer, { type: 'drew', value: event.value }));
    }),
  },
  guards: { isHigh: ({ event }) => event.type === 'chosen' && event.value === 'high' },
}).createMachine({
  context: ({ input }) => ({ self: input.self, peers: input.peers, drawn: [] }),
  entry: 'deal',
  on: {
    play: { actions: 'drawTwice' },
    chosen: [{ guard: 'isHigh', actions: ['tell', 'drawHigh'] }, { actions: 'tell' }],
    drew: {},
  },
});

export const cards = minimalProtocol(player, {
  name: 'cards',
  messages: { drew: { fields: ['value'], meaning: 'this is what I drew' } },
  commands: { play: { kind: 'optional', meaning: 'draw two' } },
});

// A node that leads tells all others, one after the other; who hears of a leader follows it, and
// does not lead.

type Mine = { type: 'mine'; round: number };

export const leader = setup({
  types: {} as {
    input: Self;
    context: Self & { leader: NodeId | null; stored: number };
    events: { type: 'lead' } | Received<Mine>;
    emitted: Effect<Mine>;
  },
  actions: {
    announce: enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ leader: context.self, stored: context.stored + 1 });
      for (const round of [1, 2])
        for (const peer of context.peers) enqueue.emit(send(peer, { type: 'mine', round }));
    }),
    follow: assign(({ event }) => {
      assertEvent(event, 'mine');
      return { leader: event.from };
    }),
  },
}).createMachine({
  context: ({ input }) => ({ leader: null, stored: 0, ...input }),
  initial: 'free',
  states: {
    free: {
      on: {
        lead: { target: 'leading', actions: 'announce' },
        mine: { target: 'following', actions: 'follow' },
      },
    },
    leading: { tags: 'leading', on: { lead: {}, mine: {} } },
    following: { on: { lead: {}, mine: {} } },
  },
});

export const leaders = minimalProtocol(leader, {
  name: 'leaders',
  channels: { order: 'fifo', loss: false, duplication: false },
  messages: { mine: { fields: ['round'], meaning: 'I lead' } },
  commands: { lead: { kind: 'optional', meaning: 'lead, if you know no leader' } },
  properties: [],
});
