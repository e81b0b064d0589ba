/** The rules of the acknowledged multicast as properties; AM1–AM9: README.md */

import {
  always,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  sometimes,
} from '@conclave/core/protocol';
import { ofNode } from '../../by-node.js';
import { stepsOf } from '../../steps.js';
import type { Context, Kept, SilentMessage as Message } from './acknowledged-multicast.js';

type Identity = Pick<Kept, 'origin' | 'sequence'>;

const { contextOf, receivedIn, sentIn } = stepsOf<Message, Context>();

const keptAs = (node: NodeView, { origin, sequence }: Identity): Kept | undefined =>
  contextOf(node).kept.find((one) => one.origin === origin && one.sequence === sequence);

const has = (node: NodeView, message: Identity): boolean =>
  message.sequence <= (ofNode(contextOf(node).delivered, message.origin) ?? 0) ||
  keptAs(node, message) !== undefined;

const isDelivered = (node: NodeView, { origin, sequence }: Identity): boolean =>
  sequence <= (ofNode(contextOf(node).delivered, origin) ?? 0);

/** A step in the terms of the multicast. */
interface MulticastStep extends Pick<NodeStep, 'before' | 'after'> {
  /** The message that came, and from whom. */
  readonly came: (Message & { readonly from: NodeId }) | undefined;
  readonly isMulticast: boolean;
  /** The message whose time-out ended. */
  readonly overdue: Kept | undefined;
  /** By type: `b a 1` for message 1 of a to b, in order. */
  readonly sent: Readonly<Record<Message['type'], readonly string[]>>;
}

function multicastStep(step: NodeStep): MulticastStep {
  const { before, after, cause } = step;
  const of = (type: Message['type']) =>
    sentIn(step, type).map(({ to, message }) => textOf(to, message));
  const timer = cause.kind === 'timeout' ? cause.timer : undefined;
  return {
    before,
    after,
    came: receivedIn(step, 'data', 'ack', 'stable'),
    isMulticast: cause.kind === 'command',
    overdue: contextOf(before).kept.find(
      ({ origin, sequence }) => `${origin} ${sequence}` === timer,
    ),
    sent: { data: of('data').toSorted(), ack: of('ack'), stable: of('stable').toSorted() },
  };
}

const textOf = (to: NodeId, { origin, sequence }: Identity): string =>
  `${to} ${origin} ${sequence}`;

const eachStep = (name: string, allows: (step: MulticastStep) => boolean): Property =>
  everyStep(name, (step) => allows(multicastStep(step)));

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.join() === other.join();

/** DATA to all of these. */
const toEach = (peers: readonly NodeId[], message: Identity): readonly string[] =>
  peers.map((to) => textOf(to, message)).toSorted();

/** The members to which a member sends DATA in a step. */
function dataDue({ before, came, isMulticast, overdue }: MulticastStep): readonly string[] {
  const { self, others, sequence, relay } = contextOf(before);
  if (isMulticast) return toEach(others, { origin: self, sequence: sequence + 1 });
  if (overdue) return overdue.left > 0 ? toEach(overdue.missing, overdue) : [];
  if (came?.type !== 'data' || relay !== 'first' || has(before, came)) return [];
  return toEach(
    others.filter((peer) => peer !== came.from && peer !== came.origin),
    came,
  );
}

/** What awaits an answer after a step: what did before, and what is sent or relayed. */
function keptById(node: NodeView): ReadonlyMap<string, Kept> {
  return new Map(contextOf(node).kept.map((one) => [`${one.origin} ${one.sequence}`, one]));
}

export const rules: readonly Property[] = [
  always('a member waits exactly while it awaits an answer', ({ nodes }) =>
    nodes.every(
      (node) =>
        node.crashed ||
        node.tags.has('waiting') === contextOf(node).kept.some(({ missing }) => missing.length > 0),
    ),
  ),
  // AM9
  always(
    'no member keeps a message that it has delivered and for which it awaits no answer',
    ({ nodes }) =>
      nodes.every((node) =>
        contextOf(node).kept.every((one) => one.missing.length > 0 || !isDelivered(node, one)),
      ),
  ),
  // AM1, AM2, AM6
  eachStep(
    'DATA goes to all others at a multicast, on at the first receipt, and again at a time-out, and at no other time',
    (step) => isSameList(step.sent.data, dataDue(step)),
  ),
  // AM2, AM4, AM5
  eachStep(
    'each DATA is answered by one ACK to its sender, unless it is itself an answer',
    ({ before, came, sent }) => {
      const isAnswer =
        came !== undefined && (keptAs(before, came)?.missing.includes(came.from) ?? false);
      return isSameList(
        sent.ack,
        came?.type === 'data' && !isAnswer ? [textOf(came.from, came)] : [],
      );
    },
  ),
  // AM3
  eachStep(
    'a message is delivered as soon as all messages of its origin before it are',
    ({ after }) => {
      const { kept, delivered } = contextOf(after);
      return kept.every(
        ({ origin, sequence }) => sequence !== (ofNode(delivered, origin) ?? 0) + 1,
      );
    },
  ),
  // AM4, AM7
  eachStep(
    'a member awaits an answer until it comes, until the message is stable, or until it gives up',
    ({ before, after, came, overdue }) =>
      [...keptById(before)].every(([id, { origin, sequence, missing, left }]) => {
        const isIt = came?.origin === origin && came.sequence === sequence;
        const isOver =
          (isIt && came.type === 'stable') ||
          (overdue?.origin === origin && overdue.sequence === sequence && left === 0);
        const expected = isOver ? [] : missing.filter((peer) => !isIt || peer !== came.from);
        return isSameList(keptById(after).get(id)?.missing ?? [], expected);
      }),
  ),
  // AM6
  eachStep('each retransmission is counted', ({ before, after, overdue }) =>
    [...keptById(before)].every(([id, one]) => {
      const now = keptById(after).get(id);
      return (
        now === undefined ||
        now.missing.length === 0 ||
        now.left === one.left - (one === overdue ? 1 : 0)
      );
    }),
  ),
];

/** With relay 'silence' only. AM8 */
export const announcements: readonly Property[] = [
  eachStep(
    'the origin announces a message when all have answered',
    ({ before, after, came, sent }) => {
      const own =
        came && came.origin === before.id && came.type === 'ack' ? keptAs(before, came) : undefined;
      const isComplete =
        own !== undefined &&
        own.missing.length > 0 &&
        (keptAs(after, own)?.missing.length ?? 0) === 0;
      return isSameList(sent.stable, isComplete ? toEach(contextOf(before).others, own) : []);
    },
  ),
  sometimes(
    'a member knows that a message of another one is stable',
    (system) => system.inFlight('stable').length > 0,
  ),
];
