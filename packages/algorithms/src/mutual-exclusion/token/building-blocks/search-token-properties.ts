/**
 * What holds of each step of a node whose requests spread by waves, and whose token goes back
 * against them.
 */
import {
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { isCommanded, receivedIn, sentIn } from '../../../steps.js';
import { type Counts, countOf, entriesOn, fenceOf } from './token-knowledge.js';
import { countsEntries, nothingTwice, remembersRequests, requestsInOrder } from './token-steps.js';

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
  'a node tells all other neighbours of a request exactly once: when it makes it or first hears of it',
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

export const searchProperties: readonly Property[] = [
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
