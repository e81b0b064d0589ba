import type { NodeId } from '@conclave/core/protocol';

/** A number for each node: that of its latest wish, as far as the one who keeps this knows; or that of its latest entry. 0: none so far. */
export type Counts = Readonly<Record<NodeId, number>>;

/** Nobody has done anything yet. All ids are listed, always in this order, so that equal knowledge is written alike. */
export const noCounts = (ids: readonly NodeId[]): Counts => Object.fromEntries(ids.map((id) => [id, 0]));

export const countOf = (counts: Counts, id: NodeId): number => counts[id] ?? 0;

/** `counts` with wish `k` of `id` in it: one that has been overtaken by a later wish of the same node changes nothing. */
export const noted = (counts: Counts, id: NodeId, k: number): Counts => ({ ...counts, [id]: Math.max(countOf(counts, id), k) });

/** Those of `ids`, in their order, that have wished since they were served last. */
export const unserved = (ids: readonly NodeId[], wished: Counts, served: Counts): readonly NodeId[] =>
  ids.filter((id) => countOf(wished, id) > countOf(served, id));

/** The others of `ids`, beginning behind `self` and going around: the order in which a token makes its round. */
export const cyclicallyAfter = (self: NodeId, ids: readonly NodeId[]): readonly NodeId[] => {
  const place = ids.indexOf(self);
  return [...ids.slice(place + 1), ...ids.slice(0, place)];
};
