import type { NodeId, NodeView } from '@conclave/core/protocol';

/** A number for each node: that of its latest wish, as far as the one who keeps this knows; or that of its latest entry. 0: none so far. */
export type Counts = Readonly<Record<NodeId, number>>;

/** What a node knows, and what it knows only while the token is with it. */
interface Knowledge<T> {
  readonly self: NodeId;
  /** Who has wished how often. */
  readonly requested: Counts;
  readonly token: T | null;
}

/** What every token says that knows of all entries: with which wish each node entered last. */
interface Served {
  readonly served: Counts;
}

/** Nobody has done anything yet. All ids are listed, always in this order, so that equal knowledge is written alike. */
export const noCounts = (ids: readonly NodeId[]): Counts => Object.fromEntries(ids.map((id) => [id, 0]));

export const countOf = (counts: Counts, id: NodeId): number => counts[id] ?? 0;

/** `counts` with wish `k` of `id` in it: one that has been overtaken by a later wish of the same node changes nothing. */
export const noted = (counts: Counts, id: NodeId, k: number): Counts => ({ ...counts, [id]: Math.max(countOf(counts, id), k) });

/** Those of `ids`, in their order, that have wished since they were served last. */
export const unserved = (ids: readonly NodeId[], requested: Counts, served: Counts): readonly NodeId[] =>
  ids.filter((id) => countOf(requested, id) > countOf(served, id));

/** Whether `token` is here, and wish `k` of `id` is not written on it. */
export const isOpen = (token: Served | null, id: NodeId, k: number): boolean => token !== null && k > countOf(token.served, id);

/** The node has one wish more. */
export const withRequest = ({ self, requested }: Knowledge<unknown>): { readonly requested: Counts } => ({
  requested: noted(requested, self, countOf(requested, self) + 1),
});

/** The node's latest wish is written on the token, which is here. */
export const withEntry = <T extends Served>({ self, requested, token }: Knowledge<T>): { readonly token: T | null } => ({
  token: token && { ...token, served: noted(token.served, self, countOf(requested, self)) },
});

/** How many entries there have been so far, as a token knows. */
export const entriesOn = (token: object | null): number =>
  Object.values((token as Served | null)?.served ?? {}).reduce((sum, count) => sum + count, 0); // every token that is made here says so

/** How many entries there have been so far, as the token of this node knows: a fencing token. */
export const fenceOf = ({ context }: NodeView): number => entriesOn(context.token as Served | null); // as the machines' own types say

/** The others of `ids`, beginning behind `self` and going around: the order in which a token makes its round. */
export const cyclicallyAfter = (self: NodeId, ids: readonly NodeId[]): readonly NodeId[] => {
  const place = ids.indexOf(self);
  return [...ids.slice(place + 1), ...ids.slice(0, place)];
};
