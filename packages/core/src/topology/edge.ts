import type { NodeId } from '../base/node-id.js';
import type { Link } from './topology.js';

/** A link, with its delay in milliseconds where one is known. */
export function link(from: NodeId, to: NodeId, delay?: number): Link {
  return delay === undefined ? { from, to } : { from, to, delay };
}

/** An undirected edge is two links. */
export function edge(a: NodeId, b: NodeId, delay?: number): [Link, Link] {
  return [link(a, b, delay), link(b, a, delay)];
}
