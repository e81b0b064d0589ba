import { linkOptions } from '../../options/channel.js';
import { defineProtocol } from '../../protocol/define-protocol.js';
import type { Json, NodeId } from '../../protocol/node.js';
import {
  always,
  everyStep,
  leadsTo,
  type NodeStep,
  type NodeView,
  type Property,
  type SystemView,
  sometimes,
} from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import { checkOptions } from '../../schema/check.js';
import { complete } from '../../topology/generators.js';
import type { TopologyNeed } from '../../topology/needs.js';
import { completeOver } from '../../topology/overlay.js';
import { type Frame, type LinkCommand, type LinkContext, machine } from './link.js';

type Data = Extract<Frame, { readonly type: 'data' }>;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

// the one machine of this protocol
const contextOf = (node: NodeView): LinkContext => node.context as unknown as LinkContext;

interface Session {
  readonly from: NodeId;
  readonly sender: LinkContext;
  readonly receiver: LinkContext;
}

/** Both directions, while both ends have met in their present incarnations. */
function sessions({ nodes: [one, other] }: SystemView): readonly Session[] {
  if (!one || !other) return [];
  const [a, b] = [contextOf(one), contextOf(other)];
  if (a.met !== b.incarnation || b.met !== a.incarnation) return [];
  return [
    { from: one.id, sender: a, receiver: b },
    { from: other.id, sender: b, receiver: a },
  ];
}

/** A step of an end, in the terms of the link. */
interface LinkStep {
  readonly before: LinkContext;
  readonly after: LinkContext;
  readonly payload: Json | undefined;
  /** The frame that it receives. */
  readonly frame: Frame | undefined;
  readonly isTimeout: boolean;
  /** The numbers of the data frames that it sends. */
  readonly data: readonly number[];
  readonly acks: readonly Frame[];
  readonly delivered: readonly Json[];
  /** Whether a new session begins. */
  readonly meets: boolean;
}

function linkStep({ before, after, cause, sent, notified }: NodeStep): LinkStep {
  const frames = sent.map(({ message }) => message as Frame); // the link's own messages
  const [one, other] = [contextOf(before), contextOf(after)];
  return {
    before: one,
    after: other,
    payload:
      cause.kind === 'command'
        ? (cause.command as unknown as { readonly payload: Json }).payload
        : undefined, // its one command
    frame: cause.kind === 'message' ? (cause.message as Frame) : undefined, // as above
    isTimeout: cause.kind === 'timeout',
    data: frames.flatMap((frame) => (frame.type === 'data' ? [frame.seq] : [])),
    acks: frames.filter(({ type }) => type === 'ack'),
    delivered: notified.map(
      (deliver) => (deliver as unknown as { readonly payload: Json }).payload,
    ), // its one notification
    meets: one.met !== other.met,
  };
}

const eachStep = (name: string, allows: (step: LinkStep) => boolean): Property =>
  everyStep(name, (step) => allows(linkStep(step)));

/** The numbers that may be in flight: one until the ends have met. */
const numbersIn = ({ met, window, base, outbox }: LinkContext): readonly number[] =>
  outbox.slice(0, met === 0 ? 1 : window).map((_, index) => base + index);

/**
 * The payloads that an end has, by number, with the frame that it receives; none of a former
 * session.
 */
function atHand({ before, frame, meets }: LinkStep): ReadonlyMap<number, Json> {
  const early = meets ? [] : before.early;
  const taken =
    frame?.type === 'data' &&
    frame.addressed === before.incarnation &&
    frame.incarnation >= before.met
      ? [frame]
      : [];
  return new Map([...early, ...taken].map(({ seq, payload }) => [seq, payload]));
}

/** The payloads to deliver now: the next in the order of numbers, without a gap. */
function due(step: LinkStep): readonly Json[] {
  const has = atHand(step);
  const found: Json[] = [];
  for (let next = step.meets ? 0 : step.before.expected; has.has(next); next++)
    found.push(has.get(next) ?? null);
  return found;
}

const isStale = ({ before, frame }: LinkStep) =>
  frame !== undefined && frame.incarnation < before.met;

/** How many more payloads are acknowledged. */
function acknowledged({ before, frame }: LinkStep): number {
  const isOurs =
    frame?.type === 'ack' &&
    frame.incarnation === before.met &&
    frame.addressed === before.incarnation;
  return isOurs ? Math.max(0, frame.next - before.base) : 0;
}

/** What a reliable link guarantees; RL1–RL6: README.md */
const linkProperties: readonly Property[] = [
  always(
    'a payload is delivered only after it is transmitted, and acknowledged only after its delivery',
    (system) =>
      sessions(system).every(
        ({ sender, receiver }) =>
          sender.base <= receiver.expected &&
          receiver.expected <= sender.base + sender.outbox.length,
      ),
  ),
  always('an early payload is the one that was transmitted with its number', (system) =>
    sessions(system).every(({ sender, receiver }) =>
      receiver.early.every(
        ({ seq, payload }) =>
          seq < sender.base + sender.outbox.length &&
          same(payload, sender.outbox[seq - sender.base]),
      ),
    ),
  ),
  always('a payload in flight is the one that was transmitted with its number', (system) => {
    const onItsWay = system
      .inFlight('data')
      .map(({ from, message }) => ({ from, frame: message as Data })); // the link's own messages
    return sessions(system).every(({ from: sends, sender, receiver }) =>
      onItsWay.every(
        ({ from, frame: { incarnation, addressed, seq, payload } }) =>
          from !== sends ||
          incarnation !== sender.incarnation ||
          addressed !== receiver.incarnation ||
          seq < sender.base ||
          same(payload, sender.outbox[seq - sender.base]),
      ),
    );
  }),
  always(
    'an end waits exactly while a payload that it was to transmit is not acknowledged',
    ({ nodes }) =>
      nodes.every(
        (node) => node.crashed || node.tags.has('waiting') === contextOf(node).outbox.length > 0,
      ),
  ),
  // RL1
  eachStep(
    'a payload to transmit is kept, and sent at once if it fits the window',
    ({ before, after, payload, data }) => {
      if (payload === undefined) return true;
      const earlier = numbersIn(before);
      return (
        same(after.outbox, [...before.outbox, payload]) &&
        same(data, numbersIn(after).slice(earlier.length))
      );
    },
  ),
  // RL2
  eachStep(
    'each payload is delivered once, in the order of numbers, as soon as all payloads before it are',
    (step) => same(step.delivered, due(step)),
  ),
  // RL3
  eachStep(
    'each payload that arrives is acknowledged once, by the number of the next one expected',
    (step) => {
      const { after, frame, acks } = step;
      if (frame?.type !== 'data' || isStale(step)) return acks.length === 0;
      return same(acks, [
        {
          type: 'ack',
          incarnation: after.incarnation,
          addressed: frame.incarnation,
          next: after.expected,
        },
      ]);
    },
  ),
  // RL4
  eachStep(
    'acknowledged payloads leave the outbox, no others do, and what now fits the window is sent',
    (step) => {
      const { before, after, payload, isTimeout, meets, data } = step;
      if (meets || payload !== undefined || isTimeout) return true;
      const count = acknowledged(step);
      const earlier = new Set(numbersIn(before));
      return (
        after.base === before.base + count &&
        same(after.outbox, before.outbox.slice(count)) &&
        same(
          data,
          numbersIn(after).filter((seq) => !earlier.has(seq)),
        )
      );
    },
  ),
  // RL5
  eachStep(
    'on a timeout the whole window is sent again',
    ({ before, after, isTimeout, data }) =>
      !isTimeout || (same(data, numbersIn(before)) && same(after.outbox, before.outbox)),
  ),
  // RL6
  eachStep(
    'an end that meets a newer incarnation begins a session and sends what is not acknowledged',
    (step) => {
      const { before, after, frame, meets, data } = step;
      if (frame && !isStale(step) && after.met !== frame.incarnation) return false;
      return (
        !meets ||
        (after.met > before.met &&
          after.base === 0 &&
          same(after.outbox, before.outbox) &&
          same(data, numbersIn(after)))
      );
    },
  ),
  // RL6
  eachStep(
    'a frame of an older incarnation has no effect',
    (step) =>
      !isStale(step) ||
      (same(step.before, step.after) &&
        step.data.length + step.acks.length + step.delivered.length === 0),
  ),
  sometimes('a payload is delivered', ({ nodes }) =>
    nodes.some((node) => contextOf(node).expected > 0),
  ),
  leadsTo(
    'a transmitted payload is eventually acknowledged',
    ({ tags }) => tags.has('waiting'),
    ({ tags }) => !tags.has('waiting'),
  ),
];

/** Exactly two nodes, linked both ways. */
const pair: TopologyNeed = {
  name: 'two-node',
  refuses: ({ nodes, links }) =>
    nodes.length === 2 && links.length === 2
      ? undefined
      : `there are ${nodes.length} nodes and ${links.length} links`,
  example: () => complete(2),
  overlay: completeOver,
};

/**
 * A reliable link as a protocol of its own: two ends, over a channel that may lose, repeat and
 * reorder.
 *
 * @throws {ConclaveError} `bad-input` for an option that makes no sense.
 */
export function reliableLink(
  options: {
    /** Larger at each start of this end than at any earlier one; a whole number. Default 0. */
    readonly incarnation?: number;
    /** How long to wait for an acknowledgement, in milliseconds. Default 200. */
    readonly retransmitAfter?: number;
    /** How many payloads may be sent and not yet acknowledged. Default 32. */
    readonly window?: number;
  } = {},
): Protocol {
  checkOptions('The reliable link', linkOptions, options);
  const { incarnation = 0, retransmitAfter = 200, window = 32 } = options;
  return defineProtocol<Frame, LinkCommand>({
    name: 'reliable-link',
    title: 'Reliable link',
    problem: 'reliable-link',
    citation:
      'N. V. Stenning, A data transfer protocol, Computer Networks 1:2 (1976) 99–110; with incarnations',
    options: { incarnation, retransmitAfter, window },
    topology: pair,
    channels: { order: 'any', loss: true, duplication: true },
    roles: {
      end: {
        machine,
        input: (self, { nodes }) => ({
          peer: nodes.find((id) => id !== self) ?? self,
          incarnation,
          retransmitAfter,
          window,
        }),
        stable: ['incarnation'],
        counters: ['incarnation'],
      },
    },
    messages: {
      data: {
        fields: ['incarnation', 'addressed', 'seq', 'payload'],
        counters: ['incarnation', 'addressed', 'seq'],
        meaning: 'payload number seq, from this incarnation to that one',
      },
      ack: {
        fields: ['incarnation', 'addressed', 'next'],
        counters: ['incarnation', 'addressed', 'next'],
        meaning: 'all before number next have arrived',
      },
    },
    commands: {
      transmit: {
        fields: ['payload'],
        kind: 'optional',
        meaning: 'carry payload to the other end',
        when: () => true,
      },
    },
    properties: linkProperties,
  });
}
