/**
 * Locks that are right in small networks and wrong in larger ones, and the same without mistake;
 * and properties that fail in larger networks only.
 */
import { setup } from 'xstate';
import { defineProtocol } from '../../protocol/define-protocol.js';
import {
  type Effect,
  type Message,
  type NodeId,
  type Received,
  send,
} from '../../protocol/node.js';
import { always, type NodeView, type Property, type SystemView } from '../../protocol/property.js';
import type { Protocol, ProtocolDefinition, Role } from '../../protocol/protocol.js';
import * as needs from '../../topology/needs.js';
import type { Topology } from '../../topology/topology.js';

export type Command = { type: 'acquire' } | { type: 'release' };
type Talk = { type: 'request' } | { type: 'grant' } | { type: 'released' };
type Pass = { type: 'token'; hops: number };

export const exclusion = 'at most one node is inside';

export const lock = (
  part: Pick<Protocol, 'topology' | 'roles' | 'messages'> &
    Pick<ProtocolDefinition<Message, Command>, 'roleOf'>,
): Protocol =>
  defineProtocol({
    name: 'lock',
    title: 'A lock',
    problem: 'mutual-exclusion',
    citation: 'none',
    channels: { order: 'any', loss: false, duplication: false },
    commands: {
      acquire: { kind: 'optional', meaning: 'enter', when: ({ tags }) => tags.has('idle') },
      release: { kind: 'obligatory', meaning: 'leave', when: ({ tags }) => tags.has('inside') },
    },
    properties: [always(exclusion, (system) => system.count('inside') <= 1)],
    ...part,
  });

const clientNode = setup({
  types: {} as {
    input: { keeper: NodeId };
    context: { keeper: NodeId };
    events: Command | Received<Talk>;
    emitted: Effect<Talk>;
  },
});
const client = clientNode
  .extend({
    actions: {
      request: clientNode.emit(({ context }) => send(context.keeper, { type: 'request' })),
      giveBack: clientNode.emit(({ context }) => send(context.keeper, { type: 'released' })),
    },
  })
  .createMachine({
    context: ({ input }) => input,
    initial: 'idle',
    states: {
      idle: { tags: 'idle', on: { acquire: { target: 'waiting', actions: 'request' } } },
      waiting: { on: { grant: 'inside' } },
      inside: { tags: 'inside', on: { release: { target: 'idle', actions: 'giveBack' } } },
    },
  });

interface Keeper {
  readonly clients: number;
  readonly queue: readonly NodeId[];
  readonly known: readonly NodeId[];
  /** How many grants are out. */
  readonly out: number;
  /** How many there were. */
  readonly count: number;
}

const keeperNode = setup({
  types: {} as {
    input: { clients: number };
    context: Keeper;
    events: Received<Talk>;
    emitted: Effect<Talk>;
  },
});

/**
 * @param isWrong when the keeper grants although somebody may be inside
 * @param remembers whether it remembers its clients
 */
const keeper = (isWrong: (context: Keeper, from: NodeId) => boolean, remembers: boolean) =>
  keeperNode.createMachine({
    context: ({ input }) => ({ ...input, queue: [], known: [], out: 0, count: 0 }),
    on: {
      request: {
        actions: keeperNode.enqueueActions(({ context, event, enqueue }) => {
          const { queue, known, out } = context;
          const { from } = event;
          if (remembers && !known.includes(from))
            enqueue.assign({ known: [...known, from].sort() });
          if (out > 0 && !isWrong(context, from)) enqueue.assign({ queue: [...queue, from] });
          else {
            enqueue.assign({ out: 1, count: context.count + 1 });
            enqueue.emit(send(from, { type: 'grant' }));
          }
        }),
      },
      released: {
        actions: keeperNode.enqueueActions(({ context: { queue, count }, enqueue }) => {
          const [first, ...rest] = queue;
          const out = first === undefined ? 0 : 1;
          enqueue.assign({ queue: rest, out, count: count + out });
          if (first !== undefined) enqueue.emit(send(first, { type: 'grant' }));
        }),
      },
    },
  });

const grantingWhen = (
  isWrong: (context: Keeper, from: NodeId) => boolean,
  remembers = false,
): Protocol =>
  lock({
    topology: needs.star,
    roles: {
      keeper: {
        machine: keeper(isWrong, remembers),
        input: (_, { nodes }) => ({ clients: nodes.length - 1 }),
      },
      client: { machine: client, input: (_, { nodes }) => ({ keeper: nodes[0] ?? '' }) },
    },
    roleOf: (id, { nodes }) => (id === nodes[0] ? 'keeper' : 'client'),
    messages: {
      request: { meaning: 'may I enter?' },
      grant: { meaning: 'enter' },
      released: { meaning: 'I have left' },
    },
  });

const voterNode = setup({
  types: {} as {
    input: { peers: readonly NodeId[]; quorum: number };
    context: {
      peers: readonly NodeId[];
      quorum: number;
      votes: readonly NodeId[];
      votedFor: NodeId | null;
    };
    events: Command | Received<Talk>;
    emitted: Effect<Talk>;
  },
});
/** Everybody votes once, for the first that asks. */
const voter = voterNode.createMachine({
  context: ({ input }) => ({ ...input, votes: [], votedFor: null }),
  initial: 'idle',
  on: {
    request: {
      actions: voterNode.enqueueActions(({ context, event, enqueue }) => {
        if (event.type !== 'request') return;
        if (context.votedFor !== null) return;
        enqueue.assign({ votedFor: event.from });
        enqueue.emit(send(event.from, { type: 'grant' }));
      }),
    },
    grant: {
      actions: voterNode.assign(({ context, event }) =>
        event.type === 'grant' ? { votes: [...context.votes, event.from] } : {},
      ),
    },
  },
  states: {
    idle: {
      tags: 'idle',
      on: {
        acquire: {
          target: 'waiting',
          actions: voterNode.enqueueActions(({ context, enqueue }) => {
            for (const peer of context.peers) enqueue.emit(send(peer, { type: 'request' }));
          }),
        },
      },
    },
    waiting: {
      always: { guard: ({ context }) => context.votes.length >= context.quorum, target: 'inside' },
    },
    inside: { tags: 'inside', on: { release: 'gone' } },
    gone: {},
  },
});

const voting = (quorum: number): Protocol =>
  lock({
    topology: needs.complete,
    roles: {
      voter: {
        machine: voter,
        input: (self, { nodes }) => ({
          peers: nodes.filter((id) => id !== self),
          quorum,
        }),
      },
    },
    messages: { request: { meaning: 'vote for me' }, grant: { meaning: 'I vote for you' } },
  });

interface OnRing {
  readonly next: NodeId;
  readonly first: boolean;
}
const ringNode = setup({
  types: {} as {
    input: OnRing;
    context: OnRing;
    events: Command | Received<Pass>;
    emitted: Effect<Pass>;
  },
});
/** @param copies how often a token that has made so many hops is passed on */
const ringMachine = (copies: (hops: number) => number) => {
  const pass = ringNode.enqueueActions(({ context, event, enqueue }) => {
    const hops = event.type === 'token' && !context.first ? event.hops + 1 : 0;
    const count = event.type === 'token' ? copies(hops) : 1;
    for (let copy = 0; copy < count; copy++)
      enqueue.emit(send(context.next, { type: 'token', hops }));
  });
  return ringNode.createMachine({
    context: ({ input }) => input,
    initial: 'start',
    states: {
      start: {
        always: [
          { guard: ({ context }) => context.first, target: 'idle', actions: pass },
          { target: 'idle' },
        ],
      },
      idle: { tags: 'idle', on: { acquire: 'waiting', token: { actions: pass } } },
      waiting: { on: { token: 'inside' } },
      inside: { tags: 'inside', on: { release: { target: 'idle', actions: pass } } },
    },
  });
};

const circulating = (
  isFirst: (index: number) => boolean,
  copies: (hops: number) => number,
): Protocol => {
  const role: Role = {
    machine: ringMachine(copies),
    input: (self: NodeId, ring: Topology) => ({
      next: ring.at(self, 'next') ?? self,
      first: isFirst(ring.nodes.indexOf(self)),
    }),
  };
  return lock({
    topology: needs.oneWayRing,
    roles: { node: role },
    messages: { token: { fields: ['hops'], meaning: 'the token' } },
  });
};

export const oneToken: Property = always(
  'there is exactly one token',
  (system) => system.inFlight('token').length + system.count('inside') === 1,
);

/** Without a mistake. */
export const right: Readonly<Record<string, Protocol>> = {
  'a keeper': grantingWhen(() => false),
  'a token': circulating(
    (index) => index === 0,
    () => 1,
  ),
};

/** Wrong after so many entries, in a network of any size. */
export const wrongAfterNine: Protocol = grantingWhen(({ count }) => count === 9);

/** Wrong, but not in networks so small that all steps of their nodes are compared. */
export const wrongFar: Readonly<Record<string, Protocol>> = {
  'a second token at the twelfth node': circulating(
    (index) => index % 11 === 0,
    () => 1,
  ),
  'the keeper grants at once where 9 wait': grantingWhen(({ queue }) => queue.length === 9),
  'the keeper prefers names behind k': grantingWhen((_, from) => from > 'k'),
  'the keeper knows that it has 12 clients': grantingWhen(({ clients }) => clients === 12),
  'the keeper grants at once after 42 entries': grantingWhen(({ count }) => count === 42),
  'the keeper grants at once after each 97 entries': grantingWhen(({ count }) => count % 97 === 96),
};

/** A lock whose clients have one more guard. Only its source is of interest. */
export const withGuard = (guard: (args: { context: { keeper: NodeId } }) => boolean): Protocol => {
  const protocol = grantingWhen(() => false);
  const machine = client.provide({ guards: { late: guard } } as Parameters<
    typeof client.provide
  >[0]); // nothing refers to it
  return {
    ...protocol,
    roles: { ...protocol.roles, client: { ...protocol.roles.client, machine } as Role },
  };
};

/** Properties that views of two nodes do not decide. */
export const wide: readonly Property[] = Object.entries<(system: SystemView) => boolean>({
  'a queue is never that of four nodes': ({ nodes: [keeper] }) => queueOf(keeper) !== 'b,f,d,c',
  'no five nodes are in the queue': ({ nodes: [keeper] }) => queueOf(keeper).length !== 9,
  'at most 11 nodes wait': ({ nodes }) => waiting(nodes) <= 11,
  'there are never 4 nodes that wait': ({ nodes }) => waiting(nodes) !== 4,
  'there are fewer than 12 nodes': ({ live }) => live < 12,
  'the node k never waits': ({ nodes }) => waiting(nodes.filter(({ id }) => id === 'k')) === 0,
}).map(([name, holds]) => always(name, (system) => holds(system) && system.count('inside') <= 1));

const queueOf = (keeper: NodeView | undefined): string => String(keeper?.context.queue);
const waiting = (nodes: readonly NodeView[]): number =>
  nodes.filter(({ value }) => value === 'waiting').length;

/** A protocol, the smallest number of nodes that shows its mistake, and who enters there. */
type WrongLater = readonly [protocol: Protocol, n: number, initiators?: readonly NodeId[]];

/** By what is wrong: each node enters once. */
export const wrongLater: Readonly<Record<string, WrongLater>> = {
  'the keeper grants at once where 2 wait': [grantingWhen(({ queue }) => queue.length === 2), 5],
  'the keeper grants at once where 3 wait': [grantingWhen(({ queue }) => queue.length === 3), 6],
  'the keeper grants at once where 4 wait': [grantingWhen(({ queue }) => queue.length > 3), 7],
  'the keeper counts the clients that it knows modulo 6': [
    grantingWhen(({ known }) => known.length % 6 === 5, true),
    7,
  ],
  'the keeper prefers the node f': [grantingWhen((_, from) => from === 'f'), 6],
  'the keeper prefers names behind e': [grantingWhen((_, from) => from > 'e'), 6],
  'the keeper fails at one order of its queue': [
    grantingWhen(({ queue }) => queue.join() === 'e,d,c'),
    6,
  ],
  'the keeper knows that it has 6 clients': [grantingWhen(({ clients }) => clients === 6), 7],
  'a quorum of 3 votes': [voting(3), 6, ['a', 'b']],
  'a second token at the sixth node': [
    circulating(
      (index) => index % 5 === 0,
      () => 1,
    ),
    6,
  ],
  'a token that doubles after 5 hops': [
    circulating(
      (index) => index === 0,
      (hops) => (hops === 5 ? 2 : 1),
    ),
    6,
  ],
};
