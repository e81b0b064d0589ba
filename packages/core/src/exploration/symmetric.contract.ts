/** Tiny protocols that declare a symmetry, correctly or not. */
import { assertEvent, assign, cancel, enqueueActions, raise, setup } from 'xstate';
import { type Self, selfAndPeers, tiny } from '../protocol/examples.contract.js';
import {
  type Chosen,
  choose,
  type Effect,
  type NodeId,
  type Received,
  send,
} from '../protocol/node.js';
import { always, sometimes } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { interchangeable, type Permutation } from '../protocol/symmetry.js';
import * as needs from '../topology/needs.js';
import type { Topology } from '../topology/topology.js';

/**
 * The rotation of a ring by one node, which generates all rotations: each node moves to the
 * neighbour at its port `next` or `right`.
 */
export function rotations(ring: Topology): readonly Permutation[] {
  return [new Map(ring.nodes.map((id) => [id, ring.at(id, 'next') ?? ring.at(id, 'right') ?? id]))];
}

export const leavesAlike = ({ nodes }: Topology) => interchangeable(nodes.slice(1));
export const allAlike = ({ nodes }: Topology) => interchangeable(nodes);

export const withSymmetry = (
  protocol: Protocol,
  symmetry: Protocol['symmetry'] & {},
): Protocol => ({ ...protocol, symmetry });

// A token moves around a ring; the first node has it initially. A node that wants it keeps it for a
// while.

interface Member {
  readonly next: NodeId;
  readonly first: boolean;
}
type Token = { type: 'token' };

const member = setup({
  types: {} as {
    input: Member;
    context: Member;
    events: { type: 'acquire' } | { type: 'release' } | Received<Token>;
    emitted: Effect<Token>;
  },
  actions: {
    pass: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(send(context.next, { type: 'token' }));
      enqueue.assign({ first: false }); // otherwise the nodes would differ forever
    }),
  },
  guards: { isFirst: ({ context }) => context.first },
}).createMachine({
  context: ({ input }) => input,
  initial: 'start',
  states: {
    start: { always: [{ guard: 'isFirst', target: 'idle', actions: 'pass' }, { target: 'idle' }] },
    idle: { on: { acquire: 'waiting', token: { actions: 'pass' } } },
    waiting: { tags: 'waiting', on: { token: 'critical' } },
    critical: { tags: 'critical', on: { release: { target: 'idle', actions: 'pass' }, token: {} } },
  },
});

export const tokenRing = tiny(member, {
  name: 'token-ring',
  topology: needs.oneWayRing,
  roles: {
    node: {
      machine: member,
      input: (self, topology) => ({
        next: topology.at(self, 'next') ?? '',
        first: self === topology.nodes[0],
      }),
    },
  },
  messages: { token: { meaning: 'you may' } },
  commands: {
    acquire: { kind: 'optional', meaning: 'enter', when: ({ value }) => value === 'idle' },
    release: { kind: 'obligatory', meaning: 'leave', when: ({ tags }) => tags.has('critical') },
  },
  properties: [
    always('at most one holds', (system) => system.count('critical') <= 1),
    sometimes('a node holds', (system) => system.count('critical') > 0),
  ],
  symmetry: rotations,
});

// Anonymous nodes on a ring: a node that wakes up tosses a coin and sends the result on; the next
// node takes the greater of both.

type Coin = { type: 'coin'; value: number };

const tosser = setup({
  types: {} as {
    input: { next: NodeId };
    context: { next: NodeId; coin: number };
    events: { type: 'wake' } | Chosen | Received<Coin>;
    emitted: Effect<Coin>;
  },
  actions: {
    toss: enqueueActions(({ enqueue }) => enqueue.emit(choose(1, 2))),
    tell: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'chosen');
      const coin = Number(event.value);
      enqueue.assign({ coin });
      enqueue.emit(send(context.next, { type: 'coin', value: coin }));
    }),
    take: assign(({ context, event }) => {
      assertEvent(event, 'coin');
      return { coin: Math.max(context.coin, event.value) };
    }),
  },
}).createMachine({
  context: ({ input }) => ({ next: input.next, coin: 0 }),
  initial: 'asleep',
  on: { coin: { actions: 'take' } },
  states: {
    asleep: { on: { wake: { target: 'awake', actions: 'toss' } } },
    awake: { tags: 'leader', on: { chosen: { actions: 'tell' } } },
  },
});

export const coinRing = tiny(tosser, {
  name: 'coin-ring',
  topology: needs.oneWayRing,
  roles: {
    node: {
      machine: tosser,
      input: (self, topology) => ({ next: topology.at(self, 'next') ?? '' }),
    },
  },
  messages: { coin: { fields: ['value'], meaning: 'what I tossed' } },
  commands: { wake: { kind: 'optional', meaning: 'toss a coin' } },
  symmetry: rotations,
});

// A centre that counts its visitors in an object of ids, and sends one id to another visitor.

type Visit = { type: 'visit' } | { type: 'seen'; who: NodeId };

const host = setup({
  types: {} as {
    input: Self;
    context: { visits: Record<NodeId, number>; last: NodeId };
    events: { type: 'call' } | Received<Visit>;
    emitted: Effect<Visit>;
  },
  actions: {
    visit: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(send(context.last, { type: 'visit' })),
    ),
    count: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'visit');
      enqueue.emit(send(event.from, { type: 'seen', who: context.last }));
      enqueue.assign({
        visits: { ...context.visits, [event.from]: (context.visits[event.from] ?? 0) + 1 },
        last: event.from,
      });
    }),
    remember: assign(({ context, event }) => {
      assertEvent(event, 'seen');
      return { visits: { ...context.visits, [event.who]: 1 } };
    }),
  },
}).createMachine({
  context: ({ input }) => ({
    visits: {},
    last: input.peers.length === 1 ? (input.peers[0] ?? '') : input.self,
  }),
  on: { call: { actions: 'visit' }, visit: { actions: 'count' }, seen: { actions: 'remember' } },
});

export const guestBook = tiny(host, {
  name: 'guest-book',
  topology: needs.star,
  roleOf: (node, topology) => (node === topology.nodes[0] ? 'host' : 'guest'),
  roles: {
    host: { machine: host, input: selfAndPeers },
    guest: { machine: host, input: selfAndPeers },
  },
  messages: {
    visit: { meaning: 'I am here' },
    seen: { fields: ['who'], meaning: 'who came before you' },
  },
  commands: { call: { kind: 'optional', meaning: 'visit the centre' } },
  symmetry: leavesAlike,
});

// Each leaf gives the centre an address for letters, and the centre picks one that it knows: ids in
// commands, choices, timers and events.

type Letter = { type: 'letter'; to: NodeId };

const sorting = setup({
  types: {} as {
    input: Self;
    context: { centre: NodeId; known: readonly NodeId[] };
    events:
      | { type: 'post'; to: NodeId }
      | { type: 'leave'; to: NodeId }
      | Chosen
      | Received<Letter>;
    emitted: Effect<Letter>;
  },
  actions: {
    post: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'post');
      enqueue.emit(send(context.centre, { type: 'letter', to: event.to }));
    }),
    pick: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'letter');
      const known = context.known.includes(event.to) ? context.known : [...context.known, event.to];
      enqueue.assign({ known });
      enqueue.emit(choose(...known));
    }),
    stop: cancel('later'),
    wait: raise(
      ({ event }) => {
        assertEvent(event, 'chosen');
        return { type: 'leave', to: String(event.value) };
      },
      { id: 'later', delay: 5 },
    ),
    deliver: enqueueActions(({ event, enqueue }) => {
      assertEvent(event, 'leave');
      enqueue.emit(send(event.to, { type: 'letter', to: event.to }));
    }),
  },
  guards: { isCentre: ({ context }) => context.centre === '' },
}).createMachine({
  context: ({ input }) => ({
    centre: input.peers.length === 1 ? (input.peers[0] ?? '') : '',
    known: [],
  }),
  on: {
    post: { actions: 'post' },
    letter: [{ guard: 'isCentre', actions: 'pick' }, {}],
    chosen: { actions: ['stop', 'wait'] },
    leave: { actions: 'deliver' },
  },
});

export const postOffice = tiny(sorting, {
  name: 'post-office',
  topology: needs.star,
  messages: { letter: { fields: ['to'], meaning: 'for you, or to be sent on' } },
  commands: { post: { kind: 'optional', fields: ['to'], meaning: 'send a letter' } },
  symmetry: leavesAlike,
});

// Two nodes that play ball, each counting beyond the number it received: numbers grow forever, and
// only their order matters.

type Tick = { type: 'tick'; clock: number };

const ticker = setup({
  types: {} as {
    input: Self;
    context: Self & { clock: number };
    events: { type: 'begin' } | Received<Tick>;
    emitted: Effect<Tick>;
  },
  actions: {
    tell: enqueueActions(({ context, enqueue }) => {
      const clock = context.clock + 1;
      enqueue.assign({ clock });
      enqueue.emit(send(context.peers[0] ?? '', { type: 'tick', clock }));
    }),
    witness: assign(({ context, event }) => {
      assertEvent(event, 'tick');
      return { clock: Math.max(context.clock, event.clock) };
    }),
  },
  guards: {
    isNews: ({ context, event }) => {
      assertEvent(event, 'tick');
      return event.clock > context.clock;
    },
  },
}).createMachine({
  context: ({ input }) => ({ ...input, clock: 0 }),
  initial: 'ahead',
  on: { begin: { actions: 'tell' } },
  states: {
    ahead: {
      on: {
        tick: [
          { guard: 'isNews', target: 'behind', actions: ['witness', 'tell'] },
          { actions: 'witness' },
        ],
      },
    },
    behind: {
      on: {
        tick: [
          { guard: 'isNews', actions: ['witness', 'tell'] },
          { target: 'ahead', actions: 'witness' },
        ],
      },
    },
  },
});

export const clocks = tiny(ticker, {
  name: 'clocks',
  channels: { order: 'fifo', loss: true, duplication: false },
  messages: { tick: { fields: ['clock'], meaning: 'so far I have counted' } },
  commands: { begin: { kind: 'optional', meaning: 'tell the other' } },
  symmetry: allAlike,
});

// A lock whose server grants to the least waiting id: names matter.

const judge = setup({
  types: {} as {
    context: { queue: readonly NodeId[] };
    events: Received<{ type: 'request' } | { type: 'free' }>;
    emitted: Effect;
  },
  actions: {
    enqueue: assign(({ context, event }) => ({ queue: [...context.queue, event.from].sort() })),
    grant: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(send(context.queue[0] ?? '', { type: 'grant' }));
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

/** A lock with the clients of `lock`, whose server prefers some of them. */
export const unfair = (lock: Protocol): Protocol => ({
  ...lock,
  name: 'unfair-lock',
  roles: { ...lock.roles, keeper: { machine: judge, input: () => ({}) } },
  symmetry: leavesAlike,
});
