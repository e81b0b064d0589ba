import {
  type Message as AnyMessage,
  always,
  alwaysEventually,
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  sometimes,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../options.js';
import { type Command, commands, multicastHistory, reliableMulticast } from '../multicast.js';
import { emptyVector } from './knowledge.js';
import {
  type Message,
  machine,
  negativeMulticastOptions,
  type Options,
} from './negative-multicast.js';

// What each member may know and keep, and what each step may do, as the page states it.

// A member as the rules speak of it.

interface Named {
  readonly origin: NodeId;
  readonly sequence: number;
  readonly data?: unknown;
}

/** A member as the rules speak of it. */
interface Member {
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

const namedIn = (list: unknown): readonly Named[] =>
  listOf(list).map((one) => ({
    origin: String(Object(one).origin),
    sequence: Number(Object(one).sequence),
    data: Object(one).data,
  }));

const text = ({ origin, sequence }: Named): string => `${origin}:${sequence}`;

const after = (origin: NodeId, first: number, last: number): readonly Named[] =>
  Array.from({ length: Math.max(0, last - first) }, (_, index) => ({
    origin,
    sequence: first + 1 + index,
  }));

/** Contexts do not change, and many rules look at the same one. */
const memberByContext = new WeakMap<object, Member>();

function memberOf({ id, context }: NodeView): Member {
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

const isKept = (member: Member, { origin, sequence }: Named): boolean =>
  sequence <= member.delivered(origin);

const ofMembers = (name: string, holds: (member: Member, node: NodeView) => boolean): Property =>
  always(name, (system) => system.nodes.every((node) => holds(memberOf(node), node)));

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.toSorted().join() === other.toSorted().join();

/** What a member knows, keeps and waits for, at every moment. */
const states: readonly Property[] = [
  always('what a member knows of another member is true', (system) => {
    const members = new Map(system.nodes.map((node) => [node.id, memberOf(node)]));
    return [...members.values()].every(({ others, all, has }) =>
      others.every((id) =>
        all.every((origin) => has(id, origin) <= (members.get(id)?.delivered(origin) ?? 0)),
      ),
    );
  }),
  ofMembers(
    'a member keeps a message that it has delivered exactly until it knows that all have it',
    (member) =>
      isSameSet(
        member.buffer.filter((one) => isKept(member, one)).map(text),
        member.all.flatMap((origin) =>
          after(origin, member.stable(origin), member.delivered(origin)).map(text),
        ),
      ),
  ),
  ofMembers(
    'a member holds a message back exactly while it lacks an earlier message of the same sender',
    (member) =>
      member.buffer.every(
        (one) =>
          isKept(member, one) ||
          member.lacks.some(
            ({ origin, sequence }) => origin === one.origin && sequence < one.sequence,
          ),
      ),
  ),
  ofMembers('a member waits exactly while it lacks a message that it knows of', (member, node) => {
    const { receiver } = Object(node.value);
    return (receiver === 'incomplete') === member.lacks.length > 0;
  }),
];

interface Sent {
  readonly to: NodeId;
  readonly message: AnyMessage;
}

const vectorText = (members: readonly NodeId[], of: (origin: NodeId) => number) =>
  members.map((id) => `${id}:${of(id)}`).join(' ');

/** A message as the rules name it. */
function sentText({ to, message }: Sent): string {
  const { type, ...fields } = message;
  const { origin, sequence, data, missing, delivered, stable }: Readonly<Record<string, unknown>> =
    fields;
  const vector = (of: unknown) =>
    vectorText(Object.keys(Object(of)).sort(), (id) => Number(Object(of)[id]));
  if (type === 'data')
    return `data ${String(origin)}:${String(sequence)} ${JSON.stringify(data)} to ${to}`;
  if (type === 'nack') return `nack ${namedIn(missing).map(text).join(' ')} to ${to}`;
  return `${type} ${vector(delivered)} / ${vector(stable)} to ${to}`;
}

const dataText = ({ origin, sequence, data }: Named, to: NodeId) =>
  `data ${origin}:${sequence} ${JSON.stringify(data)} to ${to}`;

const nackText = (missing: readonly Named[], to: NodeId) =>
  missing.length > 0 ? [`nack ${missing.map(text).join(' ')} to ${to}`] : [];

const vectorsText = (type: 'summary' | 'report', member: Member, to: NodeId) =>
  `${type} ${vectorText(member.all, member.delivered)} / ${vectorText(member.all, member.stable)} to ${to}`;

const isNew = (member: Member, { origin, sequence }: Named) =>
  sequence > member.delivered(origin) &&
  !member.buffer.some((one) => one.origin === origin && one.sequence === sequence);

/** NM4, NM5, NM8, NM9: what a member answers to a message. */
function answer(member: Member, now: Member, message: AnyMessage, from: NodeId): readonly string[] {
  const fields: Readonly<Record<string, unknown>> = { ...message };
  switch (message.type) {
    case 'data': {
      const origin = String(fields.origin);
      const largest = Math.max(...member.all.map((id) => member.has(id, origin)));
      return nackText(after(origin, largest, Number(fields.sequence) - 1), from);
    }
    case 'nack': {
      const asked = namedIn(fields.missing).map(text);
      return member.buffer
        .filter((one) => asked.includes(text(one)))
        .map((one) => dataText(one, from));
    }
    default: {
      const has = (origin: NodeId) => Number(Object(fields.delivered)[origin]);
      const gaps = member.all.flatMap((origin) =>
        after(origin, member.delivered(origin), has(origin)).filter((one) => isNew(member, one)),
      );
      return gaps.length > 0
        ? nackText(gaps, from)
        : message.type === 'summary'
          ? [vectorsText('report', now, from)]
          : [];
    }
  }
}

/**
 * NM6: asks, for each message that it lacks, one member that is known to have it: the sender, and
 * then the others, in turn.
 */
function askedAgain(member: Member, attempt: number): readonly string[] {
  const holderOf = ({ origin, sequence }: Named): NodeId | undefined => {
    const having = [origin, ...member.others.filter((id) => id !== origin)].filter(
      (id) => member.has(id, origin) >= sequence,
    );
    return having[attempt % having.length];
  };
  return member.others.flatMap((other) =>
    nackText(
      member.lacks.filter((one) => holderOf(one) === other),
      other,
    ),
  );
}

const keptSenders = (member: Member): readonly NodeId[] =>
  member.buffer.filter((one) => isKept(member, one)).map(({ origin }) => origin);

/** NM7, NM8, NM10: the state of the region `sender` after a step. */
function nextState({ before, after, cause }: NodeStep): string {
  const kept = keptSenders(memberOf(after));
  if (kept.includes(after.id)) return 'announcing';
  if (kept.length === 0) return 'stable';
  const { standby = 'none' } = Object(Object(before.value).sender);
  if (standby === 'listening')
    return cause.kind === 'timeout' && cause.timer.includes('listening') ? 'probing' : 'listening';
  if (standby !== 'probing') return 'listening';
  if (cause.kind === 'timeout') return cause.timer.includes('probing') ? 'listening' : 'probing';
  const isFromSender =
    cause.kind === 'message' &&
    keptSenders(memberOf(before)).every((origin) => origin === cause.from);
  const ends =
    cause.kind === 'message' &&
    (cause.message.type === 'summary' || (cause.message.type === 'report' && isFromSender));
  return ends ? 'listening' : 'probing';
}

const hasUnstable = (member: Member, id: NodeId) => member.stable(id) < member.delivered(id);

/** All rules about messages: what a step sends. */
function messagesDue({ before, after, cause }: NodeStep): readonly string[] {
  const [was, is] = [memberOf(before), memberOf(after)];
  const final =
    hasUnstable(was, before.id) && !hasUnstable(is, before.id)
      ? is.others.map((id) => vectorsText('report', is, id))
      : [];
  if (cause.kind === 'command') {
    const fields: Readonly<Record<string, unknown>> = { ...cause.command };
    const message = {
      origin: before.id,
      sequence: was.delivered(before.id) + 1,
      data: fields.data,
    };
    return is.others.map((id) => dataText(message, id));
  }
  if (cause.kind === 'message') return [...answer(was, is, cause.message, cause.from), ...final];
  if (cause.kind !== 'timeout') return [];
  if (cause.timer.includes('incomplete')) return askedAgain(was, Number(after.context.attempt));
  if (cause.timer.includes('listening'))
    return was.others
      .filter((id) => keptSenders(was).includes(id))
      .map((id) => vectorsText('summary', was, id));
  const lagging = was.others.filter((id) =>
    was.all.some((origin) => was.has(id, origin) < was.delivered(origin)),
  );
  return lagging.map((id) => vectorsText('summary', was, id));
}

/** What the application is told: each message that is delivered now, in its order. */
function deliveriesDue({ before, after: later, cause }: NodeStep): readonly string[] {
  const [was, is] = [memberOf(before), memberOf(later)];
  const arrived: Readonly<Record<string, unknown>> =
    cause.kind === 'message' ? { ...cause.message } : {};
  const told: Readonly<Record<string, unknown>> =
    cause.kind === 'command' ? { ...cause.command } : {};
  const here = [
    ...was.buffer,
    ...namedIn([arrived]),
    { origin: before.id, sequence: was.delivered(before.id) + 1, data: told.data },
  ];
  return was.all.flatMap((origin) =>
    after(origin, was.delivered(origin), is.delivered(origin)).map((one) => {
      const { data } = here.find((kept) => text(kept) === text(one)) ?? one;
      return `${text(one)} ${JSON.stringify(data)}`;
    }),
  );
}

const rules: readonly Property[] = [
  ...states,
  everyStep(
    'a member announces while others may lack one of its messages, stands by while it keeps a message of another, and probes a silent sender',
    (step) => {
      const { sender } = Object(step.after.value);
      return (Object(sender).standby ?? sender) === nextState(step);
    },
  ),
  everyStep('each step sends the messages that its rule names, and no others', (step) =>
    isSameSet(step.sent.map(sentText), messagesDue(step)),
  ),
  everyStep(
    'the application gets exactly the delivered messages, each when it is delivered, in the order of numbers',
    (step) => {
      const told = step.notified.map((one) => {
        const { from, sequence, data }: Readonly<Record<string, unknown>> = { ...one };
        return `${String(from)}:${String(sequence)} ${JSON.stringify(data)}`;
      });
      return told.join() === deliveriesDue(step).join();
    },
  ),
  everyStep(
    'a member forgets nothing that it knows, and learns what each report says',
    ({ before, after, cause }) => {
      const [was, is] = [memberOf(before), memberOf(after)];
      const fields: Readonly<Record<string, unknown>> =
        cause.kind === 'message' ? { ...cause.message } : {};
      const from = cause.kind === 'message' ? cause.from : undefined;
      return was.others.every((id) =>
        was.all.every((origin) => {
          const reported =
            id === from && fields.delivered ? Number(Object(fields.delivered)[origin]) : 0;
          const stable = fields.stable ? Number(Object(fields.stable)[origin]) : 0;
          const sent = origin === id && fields.origin === id ? Number(fields.sequence) : 0;
          return is.has(id, origin) === Math.max(was.has(id, origin), reported, stable, sent);
        }),
      );
    },
  ),
];

export type { Command, Options };

/** How long messages take, in milliseconds. */
const delay = [0, 100] as const;

/** Bounded memory, and quiescence: a member that keeps nothing and lacks nothing has no timer. */
const stability: Property = alwaysEventually(
  'eventually no member keeps a message, or a member is crashed',
  (system) =>
    system.live < system.nodes.length ||
    system.nodes.every(({ context }) => [context.buffer].flat().length === 0),
);

/**
 * C4b: reliable multicast with negative acknowledgements.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example negativeMulticast({ period: 1000, patience: 1500 })
 */
export function negativeMulticast(given: Options = {}): Protocol<Command> {
  const {
    period = 500,
    patience = 900,
    retry = 300,
  } = validOptions('negativeMulticast', negativeMulticastOptions, given);
  const options = { period, patience, retry };
  return defineProtocol<Message, Command>({
    id: 'C4b',
    name: 'negative-multicast',
    title: 'Reliable multicast with negative acknowledgements',
    problem: 'reliable-multicast',
    citation:
      'S. Floyd, V. Jacobson, C. Liu, S. McCanne, L. Zhang: A Reliable Multicast Framework for Light-weight Sessions and Application Level Framing. IEEE/ACM Transactions on Networking 5:6, 1997',
    topology: needs.complete,
    channels: { order: 'any', loss: true, duplication: true, time: { kind: 'exact', delay } },
    roles: {
      node: {
        machine,
        input: (self, { nodes }) => {
          const known = Object.fromEntries(nodes.map((id) => [id, emptyVector(nodes)]));
          return { self, others: nodes.filter((id) => id !== self), known, buffer: [], ...options };
        },
        stable: ['known', 'buffer'],
        counters: ['known.*.*', 'buffer.*.sequence'],
      },
    },
    options,
    times: timers(options),
    messages: {
      data: {
        fields: ['origin', 'sequence', 'data'],
        counters: ['sequence'],
        meaning: 'message number `sequence` of `origin`',
      },
      nack: {
        fields: ['missing'],
        counters: ['missing.*.sequence'],
        meaning: 'the sender lacks these messages, and asks for them',
      },
      summary: {
        fields: ['delivered', 'stable'],
        counters: ['delivered.*', 'stable.*'],
        meaning:
          'for each member, the last of its messages that the sender has delivered, and the last that it knows all to have delivered; asks for an answer',
      },
      report: {
        fields: ['delivered', 'stable'],
        counters: ['delivered.*', 'stable.*'],
        meaning: 'the same, and needs no answer',
      },
    },
    commands,
    history: multicastHistory,
    properties: [
      ...reliableMulticast,
      stability,
      ...rules,
      sometimes('a summary is on its way', (system) => system.inFlight('summary').length > 0),
    ],
    cost: {
      per: 'multicast',
      command: 'multicast',
      formula: '4(n−1)',
      remark: 'if it is the only one of its sender in a period; k of them cost (k+3)(n−1)',
      messages: (n) => ({ least: 4 * (n - 1), most: 4 * (n - 1) }),
    },
  });
}
