import type { NodeId, NodeView } from '@conclave/core/protocol';

/** A node that requests entry, and the reading of its clock at that time. */
export interface Request {
  readonly ts: number;
  readonly id: NodeId;
}

/**
 * Lamport's total order on requests (CACM 21:7, 1978): the smaller time stamp is the older; equal
 * stamps are ordered by id.
 */
export const isOlder = (one: Request, other: Request): boolean =>
  one.ts < other.ts || (one.ts === other.ts && one.id < other.id);

/** `queue`, in that order, with `request` in its place. */
export const insert = (queue: readonly Request[], request: Request): readonly Request[] => {
  const younger = queue.findIndex((other) => isOlder(request, other));
  return younger < 0
    ? [...queue, request]
    : [...queue.slice(0, younger), request, ...queue.slice(younger)];
};

/** A number for each request of one of `nodes`, in the order of {@link isOlder}. */
export const numberOf = ({ ts, id }: Request, nodes: readonly NodeId[]): number =>
  ts * nodes.length + nodes.filter((other) => other < id).length;

/**
 * The number of a request with the stamp `ts` of a node with `peers`: a fencing token where entries
 * are in the order of requests.
 */
export const fenceOf = (ts: unknown, { id, context: { peers } }: NodeView): number =>
  numberOf({ ts: Number(ts), id }, [id, ...(Array.isArray(peers) ? peers.map(String) : [])]);
