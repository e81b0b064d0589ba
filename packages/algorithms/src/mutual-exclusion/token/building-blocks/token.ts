/**
 * A token of which there is exactly one: the request numbers that nodes and token know, and the
 * properties of each step of a node that passes it on.
 */
import {
  always,
  everyStep,
  type Message,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { ofNode } from '../../../by-node.js';
import { isCommanded, receivedIn, senderIn, sendsNothingTwice, sentIn } from '../../../steps.js';

/**
 * A number for each node: that of its latest known request, or of the request with which it last
 * entered. 0: none yet.
 */
export type Counts = Readonly<Record<NodeId, number>>;

/** What a node knows, and what it knows only while it has the token. */
interface Knowledge<T> {
  readonly self: NodeId;
  /** The number of each node's latest known request. */
  readonly requested: Counts;
  readonly token: T | null;
}

/**
 * What a token that records all entries carries: the number of the request with which each node
 * last entered.
 */
interface Served {
  readonly served: Counts;
}

/**
 * No requests yet. All ids are listed, always in this order, so that equal knowledge has equal
 * text.
 */
export const noCounts = (ids: readonly NodeId[]): Counts =>
  Object.fromEntries(ids.map((id) => [id, 0]));

export const countOf = (counts: Counts, id: NodeId): number => ofNode(counts, id) ?? 0;

/** `counts` with request `k` of `id`; a request older than the latest known one changes nothing. */
export const noteRequest = (counts: Counts, id: NodeId, k: number): Counts =>
  countOf(counts, id) < k ? withCount(counts, id, k) : counts;

/** `{ ...counts, [id]: k }`, twice as fast: each entry without a message makes two. */
function withCount(counts: Counts, id: NodeId, k: number): Counts {
  const copy: Record<NodeId, number> = { ...counts };
  copy[id] = k;
  return copy;
}

/** Those of `ids`, in their order, with a request that is not served yet. */
export const waitingAmong = (
  ids: readonly NodeId[],
  requested: Counts,
  served: Counts,
): readonly NodeId[] => ids.filter((id) => countOf(requested, id) > countOf(served, id));

/** Whether the node has the token, and request `k` of `id` is not served yet. */
export const isOpen = (token: Served | null, id: NodeId, k: number): boolean =>
  token !== null && k > countOf(token.served, id);

/** The node makes its next request. */
export const withRequest = ({
  self,
  requested,
}: Knowledge<unknown>): { readonly requested: Counts } => ({
  requested: withCount(requested, self, countOf(requested, self) + 1),
});

/** The node records its latest request on the token, which it has. */
export const withEntry = <T extends Served>({
  self,
  requested,
  token,
}: Knowledge<T>): { readonly token: T | null } => ({
  token: token && { ...token, served: noteRequest(token.served, self, countOf(requested, self)) },
});

/** The number of entries so far, as the token records them. */
export const entriesOn = (token: object | null): number =>
  Object.values((token as Served | null)?.served ?? {}).reduce((sum, count) => sum + count, 0); // each token of these machines has `served`

/** The fencing token of a node: the number of entries that its token records. */
// as the machines' own types say
export const fenceOf = ({ context }: NodeView): number => entriesOn(context.token as Served | null);

/**
 * The other `ids` in cyclic order, starting after `self`: the order in which a token visits them.
 */
export const cyclicallyAfter = (self: NodeId, ids: readonly NodeId[]): readonly NodeId[] => {
  const place = ids.indexOf(self);
  return [...ids.slice(place + 1), ...ids.slice(0, place)];
};

// What holds of each step of a node that passes a token on.

/** Of a protocol with states tagged `token` and messages of these types that carry the token. */
export const oneTokenIn = (...types: readonly string[]): Property =>
  always(
    'there is exactly one token, in a node or on its way',
    (system) =>
      types.reduce((sum, type) => sum + system.inFlight(type).length, system.count('token')) === 1,
  );

export const oneToken: Property = oneTokenIn('token');

/**
 * The fencing token where the token counts entries: the count, in the context of the node that has
 * the token.
 */
export const entriesSoFar = ({ context }: NodeView): number => Number(context.entries);

/** A copy would be harmless in most of these protocols, but it would cost a message. */
export const nothingTwice: Property = sendsNothingTwice(
  'no step sends the same message to the same neighbour twice',
);

/** On a one-way ring, whose nodes know the `next` one. */
export const onlyToNext: Property = everyStep(
  'each message goes to the next node of the ring',
  ({ before, sent }) => sent.every(({ to }) => to === before.context.next),
);

const isInside = ({ tags }: NodeView): boolean => tags.has('critical');

export const enters = ({ before, after }: NodeStep): boolean =>
  isInside(after) && !isInside(before);

const tokens = ['token', 'token-and-request'];

/**
 * The token counts entries, in a node and in a message.
 *
 * @param ofNode the count in a node that has the token. `ofMessage`: in a message that carries it.
 * `perHop`: how much it grows on arrival.
 */
export const countsEntries = (
  ofNode: (node: NodeView) => number,
  ofMessage: (message: Message) => number = ({
    entries,
  }: Message & { readonly entries?: unknown }) => Number(entries),
  perHop = 0,
): Property =>
  everyStep(
    'the count on the token grows by one with each entry and stays the same otherwise',
    (step) => {
      const { before, after } = step;
      const received = receivedIn(step, ...tokens);
      const [sent] = sentIn(step, ...tokens);
      const came = received
        ? ofMessage(received) + perHop
        : before.tags.has('token')
          ? ofNode(before)
          : undefined;
      const is = sent
        ? ofMessage(sent.message)
        : after.tags.has('token')
          ? ofNode(after)
          : undefined;
      return came === undefined || is === undefined || is - came === (enters(step) ? 1 : 0);
    },
  );

// as the machines' own types say
const requestedOf = ({ context }: NodeView): Counts => context.requested as Counts;

export const requestsInOrder: Property = everyStep(
  'a node numbers its requests 1, 2, 3 …',
  (step) => {
    const { before, after } = step;
    const own = (node: NodeView) => countOf(requestedOf(node), node.id);
    return own(after) - own(before) === (isCommanded('acquire', step) ? 1 : 0);
  },
);

/**
 * RN of Suzuki and Kasami.
 *
 * @param requestIn the node whose request the step hears of, and its number; undefined where it
 * hears of none.
 */
export const remembersRequests = (
  requestIn: (step: NodeStep) => readonly [NodeId, number] | undefined,
): Property =>
  everyStep(
    'a node that hears of a request remembers the largest number of this initiator',
    (step) => {
      const [id, k] = requestIn(step) ?? [];
      return (
        id === undefined ||
        k === undefined ||
        countOf(requestedOf(step.after), id) === Math.max(countOf(requestedOf(step.before), id), k)
      );
    },
  );

// the same
const queueOf = ({ context }: NodeView): readonly NodeId[] => context.queue as readonly NodeId[];

/** The `queue` of a node holds the nodes, perhaps itself, whose requests it has received. */
export const queuesEachOnce: Property = everyStep('no node is in a queue twice', ({ after }) => {
  const queue = queueOf(after);
  return new Set(queue).size === queue.length;
});

export const requestsForItsQueue: Property = everyStep(
  'a node requests the token only while its queue is not empty',
  (step) =>
    sentIn(step, 'request', 'token-and-request').length === 0 || queueOf(step.after).length > 0,
);

/**
 * A node serves requests, its own included, in the order in which it hears of them.
 *
 * @param mayJump whether a node that gets the token may enter before its turn.
 */
export const inTurn = (mayJump: (before: NodeView) => boolean = () => false): Property =>
  everyStep('the token goes to the first node in the queue of the node that has it', (step) => {
    const { before } = step;
    const asking = isCommanded('acquire', step)
      ? [before.id]
      : senderIn(step, 'request', 'token-and-request');
    const [first] = [...queueOf(before), ...asking];
    const [passed] = sentIn(step, ...tokens);
    if (passed) return passed.to === first;
    return !enters(step) || first === before.id || mayJump(before);
  });
