/** Records by node, and the order of nodes: a tie between two is broken by their ids. */
import type { NodeId } from '@conclave/core/protocol';

/**
 * The order of ids, for `sort`: they are compared as strings, by UTF-16 code units, as `<` and
 * `sort` without a function do. Of `10`, `9` and `2` the largest is `9`.
 *
 * @example messages.sort((one, other) => byId(one.from, other.from))
 */
export const byId = (one: NodeId, other: NodeId): number =>
  one < other ? -1 : one > other ? 1 : 0;

/**
 * What a record has for node `id`; undefined where it has nothing. `record[id]` would find what
 * every object has, for a node with a name such as `constructor`.
 *
 * @example const count = ofNode(counts, event.from) ?? 0
 */
export const ofNode = <T>(record: Readonly<Record<NodeId, T>>, id: NodeId): T | undefined =>
  Object.hasOwn(record, id) ? record[id] : undefined;

/**
 * The entries of a record, in the order of the ids: an object has keys such as `10` in the order of
 * numbers, and before all others.
 *
 * @example for (const [id, level] of entriesById(levels)) enqueue.emit(send(id, { type: 'level',
 * level }))
 */
export const entriesById = <T>(record: Readonly<Record<NodeId, T>>): [NodeId, T][] =>
  Object.entries(record).sort(([one], [other]) => byId(one, other));
