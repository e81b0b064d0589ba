/**
 * A token that is searched for by a wave, and goes back edge by edge, against the direction of the
 * wave. A5 and A6 share its messages, actions and guards (rules ST1–ST6, and GR1–GR3 for `greedy`, on the pages of both).
 * They differ in how a search spreads: each shows that in its own statechart.
 */

import {
  defineProtocol,
  type Effect,
  everyStep,
  type FencedProtocol,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type ProtocolDefinition,
  type Received,
  send,
} from '@conclave/core/protocol';
import { type AnyStateMachine, and, assertEvent, setup } from 'xstate';
import { ofNode } from '../../../by-node.js';
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
  remembersRequests,
  requestsInOrder,
  waitingAmong,
  withEntry,
  withRequest,
} from './token.js';

/** The `k`-th request of `initiator` spreads through the network. */
interface Search {
  readonly type: 'search';
  readonly initiator: NodeId;
  readonly k: number;
}

/** The reply to a search, where the wave returns to its initiator. */
export interface Echo {
  readonly type: 'echo';
  readonly initiator: NodeId;
  readonly k: number;
}

export type Message = Search | Echo | ({ readonly type: 'token' } & Token);

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Knowledge; context: Knowledge; events: Event; emitted: Effect<Message> },
});

/**
 * The node that the token must reach: its present destination; once that is served, the first
 * unserved peer.
 */
export const destination = ({ peers, requested, token }: Knowledge): NodeId | undefined => {
  if (!token) return undefined;
  const { served, to } = token;
  return isOpen(token, to, countOf(requested, to)) ? to : waitingAmong(peers, requested, served)[0];
};

const countRequest = node.assign(({ context }) => withRequest(context));

const search = node.enqueueActions(({ context: { self, neighbours, requested }, enqueue }) => {
  for (const id of neighbours)
    enqueue.emit(send(id, { type: 'search', initiator: self, k: countOf(requested, self) }));
});

const note = node.assign(({ context: { requested, nextHop }, event }) => {
  assertEvent(event, 'search');
  const { initiator, k, from } = event;
  return {
    requested: noteRequest(requested, initiator, k),
    nextHop: { ...nextHop, [initiator]: from },
  };
});

const forward = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'search');
  const { initiator, k, from } = event;
  for (const id of context.neighbours)
    if (id !== from) enqueue.emit(send(id, { type: 'search', initiator, k }));
});

const takeToken = node.assign(({ event }) => {
  assertEvent(event, 'token');
  return { token: { served: event.served, to: event.to } };
});

const countEntry = node.assign(({ context }) => withEntry(context));

const passToken = node.enqueueActions(({ context, enqueue }) => {
  const to = destination(context);
  const next = to === undefined ? undefined : ofNode(context.nextHop, to);
  if (to === undefined || next === undefined || !context.token) return;
  enqueue.emit(send(next, { type: 'token', served: context.token.served, to }));
  enqueue.assign({ token: null });
});

/** What the statecharts of A5 and A6 are made of. */
export const searchToken = node.extend({
  actions: { countRequest, search, note, forward, takeToken, countEntry, passToken },
  guards: {
    tokenIsHere: ({ context }) => context.token !== null,
    anotherWaits: ({ context }) => destination(context) !== undefined,
    isNews: ({ context, event }) => {
      assertEvent(event, 'search');
      return event.k > countOf(context.requested, event.initiator);
    },
    isUnserved: ({ context, event }) => {
      assertEvent(event, 'search');
      return isOpen(context.token, event.initiator, event.k);
    },
  },
});

type Own<M extends Message> = Pick<
  ProtocolDefinition<M, Command>,
  'id' | 'name' | 'title' | 'citation' | 'topology' | 'messages' | 'properties' | 'cost'
> & {
  /** Whether waves return to their initiators. */
  readonly echoes: boolean;
  readonly machine: AnyStateMachine;
};

/** The messages of both protocols. */
export const searchMessages = {
  search: {
    fields: ['initiator', 'k'],
    counters: ['k'],
    meaning: 'the k-th request of `initiator`; note the sender as next hop towards it, and forward',
  },
  token: {
    fields: ['served', 'to'],
    counters: ['served.*'],
    meaning:
      'on its way to `to`; a waiting node on the way may enter; `served`: the number of each node’s last served request',
  },
} as const;

/** The machine with `greedy`. */
const greedySearchToken = (machine: AnyStateMachine): AnyStateMachine =>
  inBunches(machine, { othersWait: and(['anotherWaits']) });

// as the machine's own type says
const knowsOfOthers = ({ context }: NodeView): boolean =>
  destination(context as unknown as Knowledge) !== undefined;

/** The protocol of such nodes. */
export function searchTokenProtocol<M extends Message>(
  { echoes, machine, ...own }: Own<M>,
  { greedy = 0, holder }: Options,
): FencedProtocol<Command> {
  return defineProtocol<M, Command>({
    ...own,
    problem: 'mutual-exclusion',
    options: { ...(greedy > 0 && { greedy }), ...(holder === undefined ? {} : { holder }) },
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine: greedy > 0 ? greedySearchToken(machine) : machine,
        input: (self, topology) => {
          const { nodes } = topology;
          return {
            self,
            neighbours: topology.successors(self),
            peers: cyclicallyAfter(self, nodes),
            requested: noCounts(nodes),
            nextHop: {},
            ...(echoes && { pendingReplies: noCounts(nodes) }),
            token: self === (holder ?? nodes[0]) ? { served: noCounts(nodes), to: self } : null,
            ...(greedy > 0 && { greedy }),
          };
        },
      },
    },
    commands,
    properties: [
      ...properties,
      oneToken,
      tokensGrow(fenceOf),
      ...searchProperties,
      ...own.properties,
      ...(greedy > 0 ? bunchesPerVisit(greedy, knowsOfOthers) : []),
    ],
    fence: fenceOf,
    waitsFor: nodesIn('neighbours'),
  });
}

// What holds of each step of a node whose requests spread by waves, and whose token goes back
// against them.

/** What travels with the token. */
export interface Token {
  /** For each node, the number of the request with which it last entered. */
  readonly served: Counts;
  /** The node that the token is sent to, over several edges. */
  readonly to: NodeId;
}

/** What a node of a searched token knows. */
export interface Knowledge {
  readonly self: NodeId;
  readonly neighbours: readonly NodeId[];
  /** The other nodes, in cyclic order after this one. */
  readonly peers: readonly NodeId[];
  /** The number of each node's latest known request, its own included. */
  readonly requested: Counts;
  /**
   * For each other node, the neighbour that first told of its latest known request: the next hop
   * towards that node.
   */
  readonly nextHop: Readonly<Record<NodeId, NodeId>>;
  /**
   * Where waves return: from how many neighbours the node still expects the latest known search of
   * each node, or its echo.
   */
  readonly pendingReplies?: Counts;
  /** While the node has it; otherwise null. */
  readonly token: Token | null;
}

// as the machines' own type says
export const knowledgeOf = ({ context }: NodeView): Knowledge => context as unknown as Knowledge;

const waveIn = (step: NodeStep, ...types: readonly string[]) => {
  const heard = receivedIn(step, ...types);
  return heard && { initiator: String(heard.initiator), k: Number(heard.k), from: heard.from };
};

/**
 * The neighbours that a step must tell of a request: all but the one that it comes from, and only
 * if it is news.
 */
function toldIn(step: NodeStep): Knowledge['neighbours'] {
  const { requested, neighbours } = knowledgeOf(step.before);
  const search = waveIn(step, 'search');
  if (search)
    return search.k > countOf(requested, search.initiator)
      ? neighbours.filter((id) => id !== search.from)
      : [];
  return isCommanded('acquire', step) && !step.before.tags.has('token') ? neighbours : [];
}

const spreads = everyStep(
  'a node tells all other neighbours of a request exactly once: when it makes the request or first hears of it',
  (step) => {
    const told = toldIn(step);
    const sent = sentIn(step, 'search').map(({ to }) => to);
    return sent.length === told.length && told.every((id) => sent.includes(id));
  },
);

/**
 * Messages of this type go to the neighbour that first told of the request of the node in this
 * field.
 */
const goesBack = (type: string, field: string) => (step: NodeStep) => {
  const { nextHop } = knowledgeOf(step.after);
  return sentIn(step, type).every(({ to, message }) => to === nextHop[String(message[field])]);
};

const tokenGoesBack = everyStep(
  "the token goes to the neighbour that first told of its destination's request",
  goesBack('token', 'to'),
);

export const echoGoesBack: Property = everyStep(
  'an echo goes to the neighbour that first told of the request',
  goesBack('echo', 'initiator'),
);

/** Chang's rule. It ignores older requests of the same node. */
export const echoes: Property = everyStep(
  'a node sends an echo if and only if it has now heard of the latest request of another node from all neighbours',
  (step) => {
    const heard = waveIn(step, 'search', 'echo');
    const sent = sentIn(step, 'echo');
    if (!heard) return sent.length === 0;
    const { self, neighbours, requested, pendingReplies = {} } = knowledgeOf(step.before);
    const { initiator, k } = heard;
    const pending = countOf(pendingReplies, initiator);
    const isNews = k > countOf(requested, initiator);
    const isOfLatest = isNews || (k === countOf(requested, initiator) && pending > 0);
    const left = (isNews ? neighbours.length : pending) - (isOfLatest ? 1 : 0);
    const isDue = isOfLatest && left === 0 && initiator !== self;
    return (
      countOf(knowledgeOf(step.after).pendingReplies ?? {}, initiator) === left &&
      sent.length === (isDue ? 1 : 0)
    );
  },
);

const searchProperties: readonly Property[] = [
  countsEntries(fenceOf, entriesOn),
  requestsInOrder,
  remembersRequests((step) => {
    const search = waveIn(step, 'search');
    return search && [search.initiator, search.k];
  }),
  spreads,
  tokenGoesBack,
  nothingTwice,
];
