/** A member as the rules speak of it. */
import type { NodeId, NodeView } from '@conclave/core/protocol';
export interface Named {
  readonly origin: NodeId;
  readonly sequence: number;
  readonly data?: unknown;
}

/** A member as the rules speak of it. */
export interface Member {
  readonly others: readonly NodeId[];
  readonly all: readonly NodeId[];
  /** Up to which message of `origin` this member knows `id` to have them. */
  readonly has: (id: NodeId, origin: NodeId) => number;
  readonly delivered: (origin: NodeId) => number;
  /** Up to which message of `origin` it knows all to have them. */
  readonly stable: (origin: NodeId) => number;
  readonly buffer: readonly Named[];
  readonly lacks: readonly Named[];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const namedIn = (list: unknown): readonly Named[] =>
  listOf(list).map((one) => ({
    origin: String(Object(one).origin),
    sequence: Number(Object(one).sequence),
    data: Object(one).data,
  }));

export const text = ({ origin, sequence }: Named): string => `${origin}:${sequence}`;

export const after = (origin: NodeId, first: number, last: number): readonly Named[] =>
  Array.from({ length: Math.max(0, last - first) }, (_, index) => ({
    origin,
    sequence: first + 1 + index,
  }));

/** Contexts do not change, and many rules look at the same one. */
const memberByContext = new WeakMap<object, Member>();

export function memberOf({ id, context }: NodeView): Member {
  const member = memberByContext.get(context) ?? memberIn(id, context);
  memberByContext.set(context, member);
  return member;
}

function memberIn(self: NodeId, context: NodeView['context']): Member {
  const others = listOf(context.others).map(String);
  const all = [self, ...others].sort();
  const has = (id: NodeId, origin: NodeId) => Number(Object(Object(context.known)[id])[origin]);
  const delivered = (origin: NodeId) => has(self, origin);
  const buffer = namedIn(context.buffer);
  const here = new Set(buffer.map(text));
  return {
    others,
    all,
    has,
    delivered,
    stable: (origin) => Math.min(...all.map((id) => has(id, origin))),
    buffer,
    lacks: all.flatMap((origin) =>
      after(origin, delivered(origin), Math.max(...all.map((id) => has(id, origin)))).filter(
        (one) => !here.has(text(one)),
      ),
    ),
  };
}
