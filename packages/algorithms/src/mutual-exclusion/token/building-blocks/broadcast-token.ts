/**
 * A token that is sought by asking everybody: what Ricart and Agrawala (CACM 26:2, 1983) and Suzuki and Kasami (ACM TOCS 3:4, 1985) have in
 * common. Rules T1–T5, on the pages of both; they differ in who is next.
 */
import {
  defineProtocol,
  type Effect,
  everyStep,
  type NodeId,
  type Protocol,
  type ProtocolDefinition,
  type Received,
  send,
} from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { type Command, commands, fenced, properties } from '../../mutual-exclusion.js';
import { completeWith, oneToken } from './one-token.js';
import {
  type Counts,
  countOf,
  cyclicallyAfter,
  entriesOn,
  fenceOf,
  isOpen,
  noCounts,
  noted,
  withEntry,
  withRequest,
} from './token-knowledge.js';
import { countsEntries, nothingTwice, receivedIn, remembersRequests as remembers, requestsInOrder, sentIn } from './token-steps.js';

/** What travels with the token. */
export interface Token {
  /** For each node, the number of the wish it has entered with last. */
  readonly served: Counts;
  /** Where the token knows who is next: they get it in this order. */
  readonly queue?: readonly NodeId[];
}

/** REQUEST carries the number of the requester's wish. */
export type Message = { readonly type: 'request'; readonly k: number } | ({ readonly type: 'token' } & Token);

export interface Knowledge {
  readonly self: NodeId;
  /** The other nodes, going around from behind this one. */
  readonly peers: readonly NodeId[];
  /** The latest wish of each node, its own included, as far as it has been heard of. */
  readonly requested: Counts;
  /** While it is here; otherwise null. */
  readonly token: Token | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Knowledge; context: Knowledge; events: Event; emitted: Effect<Message> },
});

const countRequest = node.assign(({ context }) => withRequest(context));

const requestAll = node.enqueueActions(({ context: { self, peers, requested }, enqueue }) => {
  for (const peer of peers) enqueue.emit(send(peer, { type: 'request', k: countOf(requested, self) }));
});

const note = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { requested: noted(context.requested, event.from, event.k) };
});

const takeToken = node.assign(({ event }) => {
  assertEvent(event, 'token');
  return { token: { served: event.served, ...(event.queue && { queue: event.queue }) } };
});

const countEntry = node.assign(({ context }) => withEntry(context));

/** Who gets the token that is here, and what it says then; undefined when nobody waits. */
export type HandOver = (knowledge: Knowledge, token: Token) => readonly [next: NodeId, token: Token] | undefined;

const passTokenBy = (handOver: HandOver) =>
  node.enqueueActions(({ context, enqueue }) => {
    const [next, token] = (context.token && handOver(context, context.token)) ?? [];
    if (next === undefined || !token) return;
    enqueue.emit(send(next, { type: 'token', ...token }));
    enqueue.assign({ token: null });
  });

/** The machine of a node that hands the token over in this way. */
export const asker = (id: string, handOver: HandOver) =>
  node
    .extend({
      actions: { countRequest, requestAll, note, takeToken, countEntry, passToken: passTokenBy(handOver) },
      guards: {
        tokenIsHere: ({ context }) => context.token !== null,
        somebodyWaits: ({ context }) => context.token !== null && handOver(context, context.token) !== undefined,
        isUnserved: ({ context, event }) => {
          assertEvent(event, 'request');
          return isOpen(context.token, event.from, event.k);
        },
      },
    })
    .createMachine({
      id,
      context: ({ input }) => ({ ...input }),
      initial: 'released',
      states: {
        released: {
          initial: 'away',
          states: {
            away: {
              always: { guard: 'tokenIsHere', target: 'here' },
              on: {
                acquire: { target: '#wanted', actions: ['countRequest', 'requestAll'] }, // T1
                request: { actions: 'note' }, // T2
              },
            },
            here: {
              tags: 'token',
              on: {
                acquire: { target: '#held', actions: ['countRequest', 'countEntry'] }, // T1
                request: [
                  { guard: 'isUnserved', target: 'away', actions: ['note', 'passToken'] }, // T3
                  { actions: 'note' }, // T2
                ],
              },
            },
          },
        },
        wanted: {
          id: 'wanted',
          tags: 'waiting',
          on: {
            request: { actions: 'note' }, // T2
            token: { target: 'held', actions: ['takeToken', 'countEntry'] }, // T4
          },
        },
        held: {
          id: 'held',
          tags: ['critical', 'token'],
          on: {
            request: { actions: 'note' }, // T2
            release: [
              { guard: 'somebodyWaits', target: 'released.away', actions: 'passToken' }, // T5
              { target: 'released.here' }, // T5
            ],
          },
        },
      },
    });

const remembersRequests = remembers((step) => {
  const request = receivedIn(step, 'request');
  return request && [request.from, Number(request.k)];
});

/** A wish costs a request to each other node and the token, or nothing. */
const askedOnce = everyStep('requests are sent only by a node that wants to enter without the token: one to each other node', (step) => {
  const { before, cause } = step;
  const asks = cause.kind === 'command' && cause.command.type === 'acquire' && !before.tags.has('token');
  const asked = sentIn(step, 'request').map(({ to }) => to);
  const peers = asks ? (before.context.peers as readonly NodeId[]) : []; // as the machine's own type says
  return asked.length === peers.length && peers.every((id) => asked.includes(id));
});

export type BroadcastTokenOptions = {
  /** Where the token is at first. Default the network's first node. */
  readonly holder?: NodeId;
};

type Own = Pick<ProtocolDefinition<Message, Command>, 'id' | 'name' | 'title' | 'citation'> & {
  readonly machine: ReturnType<typeof asker>;
  /** Whether the token knows who is next. */
  readonly queue: boolean;
};

/** The protocol of such nodes. */
export function broadcastToken({ machine, queue, ...named }: Own, { holder }: BroadcastTokenOptions): Protocol<Message, Command> {
  const first = (nodes: readonly NodeId[]): Token => ({ served: noCounts(nodes), ...(queue && { queue: [] }) });
  const served = '`served` is the number of the last wish with which each node has';
  return defineProtocol<Message, Command>({
    ...named,
    problem: 'mutual-exclusion',
    options: holder === undefined ? {} : { holder },
    topology: completeWith(holder),
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine,
        input: (self, { nodes }) => ({
          self,
          peers: cyclicallyAfter(self, nodes),
          requested: noCounts(nodes),
          token: self === (holder ?? nodes[0]) ? { ...first(nodes) } : null,
        }),
      },
    },
    messages: {
      request: { fields: ['k'], meaning: 'I want to enter, with my k-th wish; whoever has the token, remember' },
      token: {
        fields: queue ? ['served', 'queue'] : ['served'],
        meaning: `whoever has it may enter; ${served}${queue ? '; `queue`: who gets it next' : ''}`,
      },
    },
    commands,
    properties: [
      ...properties,
      oneToken,
      fenced(fenceOf),
      countsEntries(fenceOf, entriesOn),
      requestsInOrder,
      remembersRequests,
      askedOnce,
      nothingTwice,
    ],
    fence: fenceOf,
    cost: { per: 'entry', formula: 'n, or 0 where the token is', messages: (n) => ({ least: 0, most: n }) },
  });
}
