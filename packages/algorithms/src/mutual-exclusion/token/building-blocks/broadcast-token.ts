/**
 * A token that a node requests by broadcast: what Ricart and Agrawala (CACM 26:2, 1983) and Suzuki
 * and Kasami (ACM TOCS 3:4, 1985) have in common. Rules BT1–BT5, and GR1–GR3 for `greedy`, on the pages of both. They differ
 * in which node is next.
 */
import {
  defineProtocol,
  type Effect,
  everyStep,
  type FencedProtocol,
  type NodeId,
  type NodeView,
  type ProtocolDefinition,
  type Received,
  send,
} from '@conclave/core/protocol';
import { type AnyStateMachine, and, assertEvent, setup } from 'xstate';
import { completeWith } from '../../../options.js';
import { isCommanded, receivedIn, sentIn } from '../../../steps.js';
import { type Command, commands, nodesIn, properties, tokensGrow } from '../../mutual-exclusion.js';
import { bunchesPerVisit, inBunches, type Options } from './greedy.js';
import {
  type Counts,
  countOf,
  countsEntries,
  cyclicallyAfter,
  entriesOn,
  fenceOf,
  isOpen,
  noCounts,
  noteRequest,
  nothingTwice,
  oneToken,
  remembersRequests as remembers,
  requestsInOrder,
  waitingAmong,
  withEntry,
  withRequest,
} from './token.js';

/** What travels with the token. */
export interface Token {
  /**
   * LN of Suzuki and Kasami: for each node, the number of the request with which it last entered.
   */
  readonly served: Counts;
  /** Q of Suzuki and Kasami: the nodes that get the token next, in this order. */
  readonly queue?: readonly NodeId[];
}

/** REQUEST carries its number among the requests of its sender. */
export type Message =
  | { readonly type: 'request'; readonly k: number }
  | ({ readonly type: 'token' } & Token);

export interface Knowledge {
  readonly self: NodeId;
  /** The other nodes, in cyclic order after this one. */
  readonly peers: readonly NodeId[];
  /** RN of Suzuki and Kasami: the number of each node's latest known request, its own included. */
  readonly requested: Counts;
  /** While the node has it; otherwise null. */
  readonly token: Token | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Knowledge; context: Knowledge; events: Event; emitted: Effect<Message> },
});

const countRequest = node.assign(({ context }) => withRequest(context));

const requestAll = node.enqueueActions(({ context: { self, peers, requested }, enqueue }) => {
  for (const peer of peers)
    enqueue.emit(send(peer, { type: 'request', k: countOf(requested, self) }));
});

const note = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { requested: noteRequest(context.requested, event.from, event.k) };
});

const takeToken = node.assign(({ event }) => {
  assertEvent(event, 'token');
  return { token: { served: event.served, ...(event.queue && { queue: event.queue }) } };
});

const countEntry = node.assign(({ context }) => withEntry(context));

/** The node that gets the token next, and the token as it then is; undefined when no node waits. */
export type HandOver = (
  knowledge: Knowledge,
  token: Token,
) => readonly [next: NodeId, token: Token] | undefined;

const passTokenBy = (handOver: HandOver) =>
  node.enqueueActions(({ context, enqueue }) => {
    const [next, token] = (context.token && handOver(context, context.token)) ?? [];
    if (next === undefined || !token) return;
    enqueue.emit(send(next, { type: 'token', ...token }));
    enqueue.assign({ token: null });
  });

const passingBy = (handOver: HandOver) =>
  node.extend({
    actions: {
      countRequest,
      requestAll,
      note,
      takeToken,
      countEntry,
      passToken: passTokenBy(handOver),
    },
    guards: {
      tokenIsHere: ({ context }) => context.token !== null,
      anotherWaits: ({ context }) =>
        context.token !== null && handOver(context, context.token) !== undefined,
      isUnserved: ({ context, event }) => {
        assertEvent(event, 'request');
        return isOpen(context.token, event.from, event.k);
      },
    },
  });

/** The machine of a node that passes the token on by this rule. */
export const broadcastTokenMachine = (id: string, handOver: HandOver) =>
  passingBy(handOver).createMachine({
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
              acquire: {
                target: '#wanted',
                actions: ['countRequest', 'requestAll'],
                description: 'BT1',
              },
              request: { actions: 'note', description: 'BT2' },
            },
          },
          here: {
            tags: 'token',
            on: {
              acquire: {
                target: '#held',
                actions: ['countRequest', 'countEntry'],
                description: 'BT1',
              },
              request: [
                {
                  guard: 'isUnserved',
                  target: 'away',
                  actions: ['note', 'passToken'],
                  description: 'BT3',
                },
                { actions: 'note', description: 'BT2' },
              ],
            },
          },
        },
      },
      wanted: {
        id: 'wanted',
        tags: 'waiting',
        on: {
          request: { actions: 'note', description: 'BT2' },
          token: { target: 'held', actions: ['takeToken', 'countEntry'], description: 'BT4' },
        },
      },
      held: {
        id: 'held',
        tags: ['critical', 'token'],
        on: {
          request: { actions: 'note', description: 'BT2' },
          release: [
            {
              guard: 'anotherWaits',
              target: 'released.away',
              actions: 'passToken',
              description: 'BT5',
            },
            { target: 'released.here', description: 'BT5' },
          ],
        },
      },
    },
  });

/** The machine with `greedy`. */
export const greedyBroadcastToken = (
  machine: ReturnType<typeof broadcastTokenMachine>,
): AnyStateMachine => inBunches(machine, { othersWait: and(['anotherWaits']) });

const remembersRequests = remembers((step) => {
  const request = receivedIn(step, 'request');
  return request && [request.from, Number(request.k)];
});

/** An entry costs a request to each other node and the token, or nothing. */
const asksOnce = everyStep(
  'a node sends requests only when it wants to enter without the token: one to each other node',
  (step) => {
    const { before } = step;
    const asks = isCommanded('acquire', step) && !before.tags.has('token');
    const asked = sentIn(step, 'request').map(({ to }) => to);
    // as the machine's own type says
    const peers = asks ? (before.context.peers as readonly NodeId[]) : [];
    return asked.length === peers.length && peers.every((id) => asked.includes(id));
  },
);

/** Whether a node that has the token knows of a request that is not served. */
const knowsOfOthers = ({ context }: NodeView): boolean => {
  // as the machine's own type says
  const { peers, requested, token } = context as unknown as Knowledge;
  if (token === null) return false;
  const { served, queue = [] } = token;
  return queue.length > 0 || waitingAmong(peers, requested, served).length > 0;
};

type Own = Pick<ProtocolDefinition<Message, Command>, 'id' | 'name' | 'title' | 'citation'> & {
  readonly machine: ReturnType<typeof broadcastTokenMachine>;
  /** Whether the token carries a queue. */
  readonly queue: boolean;
};

/** The protocol of such nodes. */
export function broadcastToken(
  { machine, queue, ...named }: Own,
  { greedy = 0, holder }: Options,
): FencedProtocol<Command> {
  const first = (nodes: readonly NodeId[]): Token => ({
    served: noCounts(nodes),
    ...(queue && { queue: [] }),
  });
  const served = '`served`: the number of the request with which each node last entered';
  return defineProtocol<Message, Command>({
    ...named,
    problem: 'mutual-exclusion',
    options: { ...(greedy > 0 && { greedy }), ...(holder === undefined ? {} : { holder }) },
    topology: completeWith('holder', holder),
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine: greedy > 0 ? greedyBroadcastToken(machine) : machine,
        input: (self, { nodes }) => ({
          self,
          peers: cyclicallyAfter(self, nodes),
          requested: noCounts(nodes),
          token: self === (holder ?? nodes[0]) ? { ...first(nodes) } : null,
          ...(greedy > 0 && { greedy }),
        }),
      },
    },
    messages: {
      request: { fields: ['k'], counters: ['k'], meaning: 'my k-th request to enter' },
      token: {
        fields: queue ? ['served', 'queue'] : ['served'],
        counters: ['served.*'],
        meaning: `the receiver may enter; ${served}${queue ? '; `queue`: the nodes that get it next' : ''}`,
      },
    },
    commands,
    properties: [
      ...properties,
      oneToken,
      tokensGrow(fenceOf),
      countsEntries(fenceOf, entriesOn),
      requestsInOrder,
      remembersRequests,
      asksOnce,
      nothingTwice,
      ...(greedy > 0 ? bunchesPerVisit(greedy, knowsOfOthers) : []),
    ],
    fence: fenceOf,
    waitsFor: nodesIn('peers'),
    cost: {
      per: 'entry',
      formula: 'n',
      remark: 'or 0 with the token',
      messages: (n) => ({ least: 0, most: n }),
    },
  });
}
