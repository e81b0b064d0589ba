/** What a member knows of who has which messages, and what follows from it. */

import type { Json, NodeId } from '@conclave/core/protocol';
import { byId, ofNode } from '../../by-node.js';

/** By sender: up to which of its messages, all of them included. */
export type Vector = Readonly<Record<NodeId, number>>;

/** Names a message: `sequence` numbers the messages of each sender from 1 on. */
export interface MessageId {
  readonly origin: NodeId;
  readonly sequence: number;
}

export interface Numbered extends MessageId {
  readonly data: Json;
}

export interface Knowledge {
  readonly self: NodeId;
  readonly others: readonly NodeId[];
  /**
   * By member: up to which messages it is known to have them; of the member itself, those that it
   * has delivered.
   */
  readonly known: Readonly<Record<NodeId, Vector>>;
  /**
   * By sender and number: messages that wait for earlier ones, and delivered ones that another
   * member may lack.
   */
  readonly buffer: readonly Numbered[];
}

const upTo = ({ known }: Knowledge, member: NodeId, origin: NodeId): number =>
  ofNode(ofNode(known, member) ?? {}, origin) ?? 0;

/** Everything of no sender. */
export const emptyVector = (members: readonly NodeId[]): Vector =>
  Object.fromEntries(members.map((id) => [id, 0]));

/** All members, in the order of their ids. */
const members = ({ self, others }: Knowledge): readonly NodeId[] => [self, ...others].sort();

/** The number of the last message of `origin` that this member has delivered without a gap. */
export const lastDelivered = (knowledge: Knowledge, origin: NodeId): number =>
  upTo(knowledge, knowledge.self, origin);

/** The largest number of a message of `origin` that is known to exist. */
const largestKnown = (knowledge: Knowledge, origin: NodeId): number =>
  Math.max(...members(knowledge).map((member) => upTo(knowledge, member, origin)));

/** Up to which messages all members are known to have them. */
export const everywhere = (knowledge: Knowledge): Vector =>
  Object.fromEntries(
    members(knowledge).map((origin) => [
      origin,
      Math.min(...members(knowledge).map((member) => upTo(knowledge, member, origin))),
    ]),
  );

export const isBuffered = ({ buffer }: Knowledge, { origin, sequence }: MessageId): boolean =>
  buffer.some((kept) => kept.origin === origin && kept.sequence === sequence);

/**
 * The messages up to `existing` that this member neither has delivered nor holds back, after number
 * `from` if given.
 */
export function missingUpTo(
  knowledge: Knowledge,
  existing: Vector,
  from: (origin: NodeId) => number = () => 0,
): readonly MessageId[] {
  return members(knowledge).flatMap((origin) => {
    const first = Math.max(lastDelivered(knowledge, origin), from(origin)) + 1;
    const numbers = Array.from(
      { length: Math.max(0, (ofNode(existing, origin) ?? 0) - first + 1) },
      (_, index) => first + index,
    );
    return numbers
      .map((sequence) => ({ origin, sequence }))
      .filter((id) => !isBuffered(knowledge, id));
  });
}

/** The messages that are known to exist, and that this member lacks. */
export const missingMessages = (knowledge: Knowledge): readonly MessageId[] =>
  missingUpTo(
    knowledge,
    Object.fromEntries(
      members(knowledge).map((origin) => [origin, largestKnown(knowledge, origin)]),
    ),
  );

/** The messages before this one that a member now learns to exist, and lacks. */
export const newlyMissing = (
  knowledge: Knowledge,
  { origin, sequence }: MessageId,
): readonly MessageId[] =>
  missingUpTo(knowledge, { [origin]: sequence - 1 }, () => largestKnown(knowledge, origin));

/** The other members that are known to have a message, its sender first. */
export const holders = (knowledge: Knowledge, { origin, sequence }: MessageId): readonly NodeId[] =>
  [origin, ...knowledge.others.filter((id) => id !== origin)].filter(
    (id) => upTo(knowledge, id, origin) >= sequence,
  );

/** The other members that are not known to have all that this member has delivered. */
export const laggingMembers = (knowledge: Knowledge): readonly NodeId[] =>
  knowledge.others.filter((id) =>
    members(knowledge).some(
      (origin) => upTo(knowledge, id, origin) < lastDelivered(knowledge, origin),
    ),
  );

/** `member` is known to have all messages up to these. */
function raise(known: Knowledge['known'], member: NodeId, to: Vector): Knowledge['known'] {
  const before = ofNode(known, member) ?? {};
  return {
    ...known,
    [member]: Object.fromEntries(
      Object.entries(before).map(([id, number]) => [id, Math.max(number, ofNode(to, id) ?? 0)]),
    ),
  };
}

/** After a report of `from`: what it has, and what it knows all members to have. */
export const afterReport = (
  { others, known }: Knowledge,
  from: NodeId,
  has: Vector,
  all: Vector,
): Knowledge['known'] =>
  others.reduce((before, id) => raise(before, id, all), raise(known, from, has));

/** With a message of which this member learns: its sender has it. */
export const withMessage = (
  knowledge: Knowledge,
  message: Numbered,
): Pick<Knowledge, 'known' | 'buffer'> => ({
  known:
    message.origin === knowledge.self
      ? knowledge.known
      : raise(knowledge.known, message.origin, { [message.origin]: message.sequence }),
  buffer: [...knowledge.buffer, message].sort(
    (x, y) => byId(x.origin, y.origin) || x.sequence - y.sequence,
  ),
});

/** The next message of `origin` in its order, if it is here. */
export const next = (knowledge: Knowledge, origin: NodeId): Numbered | undefined =>
  knowledge.buffer.find(
    (kept) => kept.origin === origin && kept.sequence === lastDelivered(knowledge, origin) + 1,
  );

/** With the next message of `origin` delivered. */
export const withDelivered = (
  knowledge: Knowledge,
  { origin, sequence }: MessageId,
): Knowledge => ({
  ...knowledge,
  known: raise(knowledge.known, knowledge.self, { [origin]: sequence }),
});

/** The buffer without the messages that all members are known to have. */
export function unstableMessages(knowledge: Knowledge): readonly Numbered[] {
  const stable = everywhere(knowledge);
  return knowledge.buffer.filter(
    ({ origin, sequence }) => sequence > (ofNode(stable, origin) ?? 0),
  );
}
