import type { NodeId, NodeView } from '@conclave/core/protocol';
import { ofNode } from '../../../by-node.js';

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
