import {
  always,
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  sometimes,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { ofNode } from '../../by-node.js';
import { timers, validOptions } from '../../options.js';
import { stepsOf } from '../../steps.js';
import { type Command, commands, multicastHistory, reliableMulticast } from '../multicast.js';
import {
  acknowledgedMulticastOptions,
  type Context,
  type Input,
  type Kept,
  type Message,
  machine,
  type Options,
  type SilentMessage,
  silentMachine,
} from './acknowledged-multicast.js';

// The rules as properties: AM1–AM9.

type Identity = Pick<Kept, 'origin' | 'sequence'>;

const { contextOf, receivedIn, sentIn } = stepsOf<SilentMessage, Context>();

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
  readonly came: (SilentMessage & { readonly from: NodeId }) | undefined;
  readonly isMulticast: boolean;
  /** The message whose time-out ended. */
  readonly overdue: Kept | undefined;
  /** By type: `b a 1` for message 1 of a to b, in order. */
  readonly sent: Readonly<Record<SilentMessage['type'], readonly string[]>>;
}

function multicastStep(step: NodeStep): MulticastStep {
  const { before, after, cause } = step;
  const of = (type: SilentMessage['type']) =>
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

const rules: readonly Property[] = [
  always('a member waits exactly while it awaits an answer', ({ nodes }) =>
    nodes.every(
      (node) =>
        node.crashed ||
        node.tags.has('waiting') === contextOf(node).kept.some(({ missing }) => missing.length > 0),
    ),
  ),
  // AM9
  always(
    'no member keeps a message that it has delivered if it awaits no answer for it',
    ({ nodes }) =>
      nodes.every((node) =>
        contextOf(node).kept.every((one) => one.missing.length > 0 || !isDelivered(node, one)),
      ),
  ),
  // AM1, AM2, AM6
  eachStep(
    'a member sends DATA to all others at a multicast, relays it at the first receipt, repeats it at a time-out, and sends none otherwise',
    (step) => isSameList(step.sent.data, dataDue(step)),
  ),
  // AM2, AM4, AM5
  eachStep(
    'a member answers each DATA by one ACK to its sender, unless the DATA is itself an answer',
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
    'a member delivers a message as soon as it has delivered all earlier messages of its origin',
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
const announcements: readonly Property[] = [
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

export type { Command, Options };

/** By when members send on: the messages per multicast and other member. */
const costs: Readonly<
  Record<Input['relay'], readonly [formula: string, messages: (n: number) => number]>
> = {
  first: ['n(n−1)', (n) => n * (n - 1)],
  silence: ['3(n−1)', (n) => 3 * (n - 1)],
  never: ['2(n−1)', (n) => 2 * (n - 1)],
};

const stored = {
  stable: ['sequence', 'delivered', 'kept'],
  counters: ['sequence', 'delivered.*', 'kept.*.sequence', 'kept.*.left'],
};

const messages = {
  data: {
    fields: ['origin', 'sequence', 'data'],
    counters: ['sequence'],
    meaning: 'message number `sequence` of `origin`; the sender has it',
  },
  ack: {
    fields: ['origin', 'sequence'],
    counters: ['sequence'],
    meaning: 'the sender has this message',
  },
} as const;

/**
 * C4: reliable multicast to a known group, acknowledged by every member.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example acknowledgedMulticast({ timeout: 200, retransmissions: 10 })
 */
export function acknowledgedMulticast(given: Options = {}): Protocol<Command> {
  const {
    relay = 'first',
    timeout = 300,
    retransmissions = 5,
    patience = 1000,
  } = validOptions('acknowledgedMulticast', acknowledgedMulticastOptions, given);
  const options = { relay, timeout, retransmissions, patience };
  const [formula, count] = costs[relay];
  const definition = {
    id: 'C4',
    name: 'acknowledged-multicast',
    title: 'Reliable multicast with acknowledgements',
    problem: 'reliable-multicast',
    citation:
      'V. Hadzilacos, S. Toueg: A Modular Approach to Fault-Tolerant Broadcasts and Related Problems. Technical Report 94-1425, Cornell University, 1994',
    topology: needs.complete,
    channels: {
      order: 'any',
      loss: true,
      losses: retransmissions,
      duplication: true,
      time: { kind: 'exact', delay: [100, 100] },
    },
    options,
    times: timers({ timeout, patience }),
    commands,
    history: multicastHistory,
    cost: {
      per: 'multicast',
      command: 'multicast',
      formula,
      messages: (n: number) => ({ least: count(n), most: count(n) }),
    },
  } as const;
  const input = (self: NodeId, { nodes }: Topology) => ({
    self,
    others: nodes.filter((id) => id !== self),
    ...options,
  });
  if (relay !== 'silence')
    return defineProtocol<Message, Command>({
      ...definition,
      roles: { member: { machine, input, ...stored } },
      messages,
      properties: [...reliableMulticast, ...rules],
    });
  return defineProtocol<SilentMessage, Command>({
    ...definition,
    roles: { member: { machine: silentMachine, input, ...stored } },
    messages: {
      ...messages,
      stable: {
        fields: ['origin', 'sequence'],
        counters: ['sequence'],
        meaning: 'all members have this message',
      },
    },
    properties: [...reliableMulticast, ...rules, ...announcements],
  });
}
