import type { Json, NodeId } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import { stateHash } from '../trace/state-hash.js';
import { isRecord } from './transport.js';

/** What all nodes must have in common, by name. */
export type Terms = Readonly<Record<string, Json>>;

/** The terms of the nodes of some protocols on one network, in one epoch. */
export function termsOf(protocols: readonly Protocol[], network: Topology, epoch: number): Terms {
  const each = (of: (protocol: Protocol) => Json): Json =>
    protocols.length === 1 ? (protocols.map(of)[0] ?? null) : protocols.map(of);
  return {
    epoch,
    network: network.spec,
    protocol: each(({ name }) => name),
    options: each(({ options = {} }) => options),
    messages: each(fieldsOf),
    // without it, the terms of builds that know no versions
    ...(protocols.some(({ version }) => version !== undefined) && {
      version: each(({ version = null }) => version),
    }),
  };
}

/** The fields of each message: versions of a protocol may differ in them. */
const fieldsOf = ({ messages }: Protocol): Json =>
  Object.fromEntries(
    Object.entries(messages).map(([type, { fields = [] }]) => [type, [...fields].sort()]),
  );

export const sameTerms = (one: Terms, other: Terms): boolean => differing(one, other) === undefined;

/** Whether so many with other terms leave a node, one of `all`, without a majority: it differs. */
export const isOutvoted = (others: number, all: number): boolean => 2 * (all - others) <= all;

/** The name of the first term that differs. */
const differing = (one: Terms, other: Terms): string | undefined =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].find(
    (name) => textOf(one[name]) !== textOf(other[name]),
  );

/** A hash of 64 bits, the same for the same terms, whatever the order of keys. */
export const digestOf = (terms: Terms): string => stateHash('terms', terms, []);

/** The same text for the same data, whatever the order of keys. */
const textOf = (value: Json | undefined): string | undefined =>
  JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** What differs first, and how. */
export function difference(self: NodeId, ours: Terms, other: NodeId, theirs: Terms): string {
  const name = differing(ours, theirs) ?? 'terms';
  return `its '${name}' is ${shortened(ours[name])} at ${self} and ${shortened(theirs[name])} at ${other}`;
}

const shortened = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
};

/** The last incarnation of each node in this process. */
const last = new Map<NodeId, number>();

/**
 * The incarnation of a start of node `self`: the milliseconds since 1970, and larger than at each
 * earlier start in this process. A clock that was set back gives a smaller one; peers that remember
 * the node then refuse it. Stable storage makes up for that.
 */
export function nextIncarnation(self: NodeId): number {
  const incarnation = Math.max(Date.now(), (last.get(self) ?? 0) + 1);
  last.set(self, incarnation);
  return incarnation;
}
