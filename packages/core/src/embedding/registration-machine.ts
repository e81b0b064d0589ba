/**
 * How a node with stable storage becomes a member of an epoch. An epoch is what all its nodes have
 * in common, the terms: protocol, options, nodes, and a number. A node must not act before all
 * nodes have left the epoch before, and two processes with one name must not both act. Channels may
 * lose, duplicate and reorder. About 2n(n−1) messages where all start together, once in an epoch.
 *
 * - RG1 A node that is not registered says hello to all that have not welcomed it: its name, its
 *   storage, this start, its terms, and what it kept. It repeats that to a node whose start it
 *   hears of for the first time, and, where channels may lose it, after a while.
 * - RG2 A node notes the first storage that it hears of under a name, on its own storage. It
 *   answers by a welcome, which says what it has kept.
 * - RG3 Another storage under that name is refused.
 * - RG4 A node with other terms is refused, and not noted.
 * - RG5 A node that each other name has welcomed in this start waits until what it promised in the
 *   epoch before has lapsed. Then it is registered, for good: it keeps that on its storage, and its
 *   later starts ask nobody.
 * - RG6 A node that is refused takes part in nothing. By a node of an earlier epoch it is refused
 *   until that one has been started anew: it waits.
 * - RG7 It waits, too, while those that refuse it for its terms leave it a majority.
 */
import { assertEvent, setup } from 'xstate';
import {
  type Effect,
  type Json,
  type Message,
  type NodeId,
  notify,
  ofNode,
  type Received,
  send,
} from '../protocol/node.js';
import { isOutvoted, sameTerms, type Terms } from './terms.js';
import { isRecord } from './transport.js';

/** What the application learns. */
export type RegistrationNews =
  | { readonly type: 'registered' }
  | {
      readonly type: 'refused' | 'waits';
      readonly by: NodeId;
      readonly reason: RegistrationRefusal;
      readonly terms: Terms;
    }
  | {
      readonly type: 'refuses';
      readonly node: NodeId;
      readonly reason: RegistrationRefusal;
      readonly terms: Terms;
    };

export interface RegistrationInput extends Start {
  readonly name: NodeId;
  /** Whom its messages go to. */
  readonly peers: readonly NodeId[];
  /** The names of the other nodes. */
  readonly names: readonly NodeId[];
  readonly terms: Terms;
  /** By name: the storage that was noted. */
  readonly noted: Readonly<Record<NodeId, string>>;
  /** Its stable fields of the epoch before; null where there are none. */
  readonly kept: Json;
  readonly registered: boolean;
  /** Milliseconds until a hello is repeated. */
  readonly helloAfter: number;
  /** How often; null: until it is registered. 0 is enough where channels lose nothing. */
  readonly repeats: number | null;
  /** Milliseconds until what it promised in the epoch before has lapsed. */
  readonly lapseAfter: number;
}

export interface RegistrationContext extends RegistrationInput {
  /** By name: what each node that has welcomed this start has kept. */
  readonly gathered: Readonly<Record<NodeId, Json>>;
  /** By name: the last start whose hello has come. */
  readonly heard: Readonly<Record<NodeId, number>>;
  /** By name: the storage that was refused last, or that refused this node. */
  readonly refused: Readonly<Record<NodeId, string>>;
  /** Those that refuse this node for its terms, and are of no earlier epoch. */
  readonly others: readonly NodeId[];
}

/** The number of the epoch. */
export const epochOf = ({ epoch }: Terms): number => Number(epoch ?? 1);

const node = setup({
  types: {} as {
    input: RegistrationInput;
    context: RegistrationContext;
    events: Received<RegistrationMessage>;
    emitted: Effect<RegistrationMessage, RegistrationNews>;
  },
  delays: {
    helloAfter: ({ context }) => context.helloAfter,
    lapseAfter: ({ context }) => context.lapseAfter,
  },
});

const hello = ({
  name,
  storage,
  incarnation,
  terms,
  kept,
}: RegistrationContext): RegistrationMessage => ({
  type: 'hello',
  ...{ name, storage, incarnation, terms, kept },
});

const sayHello = node.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.peers)
    if (!Object.hasOwn(context.gathered, peer)) enqueue.emit(send(peer, hello(context)));
});

const answerHello = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'hello');
  if (ofNode(context.heard, event.name) === event.incarnation) return;
  enqueue.assign({ heard: { ...context.heard, [event.name]: event.incarnation } });
  if (!Object.hasOwn(context.gathered, event.name)) enqueue.emit(send(event.from, hello(context)));
});

const note = node.assign(({ context, event }) => {
  assertEvent(event, ['hello', 'welcome']);
  return { noted: { ...context.noted, [event.name]: event.storage } };
});

const welcome = node.emit(({ context, event }) => {
  assertEvent(event, 'hello');
  const { name, storage, kept } = context;
  return send(event.from, {
    type: 'welcome',
    name,
    storage,
    kept,
    addressed: { storage: event.storage, incarnation: event.incarnation },
  });
});

const gather = node.assign(({ context, event }) => {
  assertEvent(event, 'welcome');
  const others = context.others.filter((name) => name !== event.name);
  return { others, gathered: { ...context.gathered, [event.name]: event.kept } };
});

const refuse = (reason: RegistrationRefusal) =>
  node.enqueueActions(({ context, event, enqueue }) => {
    assertEvent(event, 'hello');
    const { name, storage, incarnation, terms } = event;
    const addressed = { storage, incarnation };
    enqueue.emit(
      send<RegistrationMessage>(event.from, {
        type: 'refusal',
        name: context.name,
        addressed,
        reason,
        terms: context.terms,
      }),
    );
    if (ofNode(context.refused, name) === storage) return;
    enqueue.assign({ refused: { ...context.refused, [name]: storage } });
    enqueue.emit(notify<RegistrationNews>({ type: 'refuses', node: name, reason, terms }));
  });

const countRepeat = node.assign(({ context }) => ({
  repeats: context.repeats === null ? null : context.repeats - 1,
}));

const register = node.assign({ registered: true });

const tellRegistered = node.emit(notify<RegistrationNews>({ type: 'registered' }));

const tellRefused = node.emit(({ event }) => {
  assertEvent(event, 'refusal');
  return notify<RegistrationNews>({
    type: 'refused',
    by: event.name,
    reason: event.reason,
    terms: event.terms,
  });
});

const tellWaits = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'refusal');
  const { name: by, reason, terms } = event;
  if (Object.hasOwn(context.refused, by)) return;
  enqueue.assign({ refused: { ...context.refused, [by]: '' } });
  enqueue.emit(notify<RegistrationNews>({ type: 'waits', by, reason, terms }));
});

const tellOther = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'refusal');
  const { name: by, reason, terms } = event;
  if (context.others.includes(by)) return;
  enqueue.assign({ others: [...context.others, by].sort() });
  enqueue.emit(notify<RegistrationNews>({ type: 'waits', by, reason, terms }));
});

const isNoted = (
  context: RegistrationContext,
  { name, storage }: { readonly name: NodeId; readonly storage: string },
): boolean => (ofNode(context.noted, name) ?? storage) === storage;

const refusesThis = (context: RegistrationContext, event: Received<RegistrationMessage>): boolean =>
  event.type === 'refusal' && isThisStart(context, event.addressed);

const isThisStart = ({ storage, incarnation }: Start, addressed: Start): boolean =>
  addressed.storage === storage && addressed.incarnation === incarnation;

export const machine = node
  .extend({
    actions: {
      sayHello,
      answerHello,
      note,
      welcome,
      gather,
      countRepeat,
      tellOther,
      register,
      refuseAnother: refuse('another'),
      refuseDifferent: refuse('different'),
      tellRegistered,
      tellRefused,
      tellWaits,
    },
    guards: {
      isRegistered: ({ context }) => context.registered,
      allWelcome: ({ context }) =>
        context.names.every((name) => Object.hasOwn(context.gathered, name)),
      mayRepeat: ({ context }) => context.repeats !== 0,
      differs: ({ context, event }) =>
        event.type === 'hello' && !sameTerms(context.terms, event.terms),
      isAnother: ({ context, event }) => event.type !== 'refusal' && !isNoted(context, event),
      answersThis: ({ context, event }) =>
        event.type === 'welcome' &&
        isThisStart(context, event.addressed) &&
        isNoted(context, event),
      isOfEarlierEpoch: ({ context, event }) =>
        refusesThis(context, event) &&
        event.type === 'refusal' &&
        epochOf(event.terms) < epochOf(context.terms),
      isRefusedByFew: ({ context, event }) =>
        refusesThis(context, event) &&
        event.type === 'refusal' &&
        event.reason === 'different' &&
        !isOutvoted(new Set([...context.others, event.name]).size, context.names.length + 1),
      refusesThis: ({ context, event }) => refusesThis(context, event),
    },
  })
  .createMachine({
    id: 'registration',
    context: ({ input }) => ({ ...input, gathered: {}, heard: {}, refused: {}, others: [] }),
    initial: 'starting',
    on: {
      hello: [
        { guard: 'differs', actions: 'refuseDifferent' }, // RG4
        { guard: 'isAnother', actions: 'refuseAnother' }, // RG3
        { actions: ['note', 'welcome'] }, // RG2
      ],
      welcome: {},
      refusal: {},
    },
    states: {
      starting: {
        always: [{ guard: 'isRegistered', target: 'registered' }, { target: 'joining' }],
      }, // RG5
      joining: {
        entry: 'sayHello', // RG1
        always: { guard: 'allWelcome', target: 'settling' }, // RG5
        after: {
          helloAfter: {
            guard: 'mayRepeat',
            target: 'joining',
            reenter: true,
            actions: 'countRepeat',
          },
        }, // RG1
        on: {
          hello: [
            { guard: 'differs', actions: 'refuseDifferent' }, // RG4
            { guard: 'isAnother', actions: 'refuseAnother' }, // RG3
            { actions: ['note', 'welcome', 'answerHello'] }, // RG1, RG2
          ],
          welcome: [{ guard: 'answersThis', actions: ['note', 'gather'] }, {}], // RG2, RG5
          refusal: [
            { guard: 'isOfEarlierEpoch', actions: 'tellWaits' }, // RG6
            { guard: 'isRefusedByFew', actions: 'tellOther' }, // RG7
            { guard: 'refusesThis', target: 'refused', actions: 'tellRefused' }, // RG6
            {},
          ],
        },
      },
      settling: {
        after: { lapseAfter: { target: 'registered', actions: 'register' } }, // RG5
        // RG6
        on: { refusal: [{ guard: 'refusesThis', target: 'refused', actions: 'tellRefused' }, {}] },
      },
      registered: { entry: 'tellRegistered' },
      refused: { on: { hello: {} } },
    },
  });

/**
 * `another`: of another storage; `different`: of other terms; `replaced`: there is a later start of
 * the same storage.
 */
export type RegistrationRefusal = 'another' | 'different' | 'replaced';

/** Which start of which storage. */
export interface Start {
  /** Empty for a node without storage. */
  readonly storage: string;
  /** Larger at each start. */
  readonly incarnation: number;
}

export type RegistrationMessage =
  | (Start & {
      readonly type: 'hello';
      readonly name: NodeId;
      readonly terms: Terms;
      readonly kept: Json;
    })
  /** `addressed` has noted the storage of the hello that it answers. */
  | {
      readonly type: 'welcome';
      readonly name: NodeId;
      readonly addressed: Start;
      readonly storage: string;
      readonly kept: Json;
    }
  | {
      readonly type: 'refusal';
      readonly name: NodeId;
      readonly addressed: Start;
      readonly reason: RegistrationRefusal;
      readonly terms: Terms;
    };

/** A message of the protocol, from a start of a node with these terms. */
export interface Sealed {
  readonly type: 'sealed';
  /** As {@link sealOf} writes it. */
  readonly seal: string;
  readonly message: Message;
}

/** Which start of which storage, with which terms. */
export interface Seal extends Start {
  readonly digest: string;
}

export const sealOf = ({ digest, storage, incarnation }: Seal): string =>
  `${digest}.${storage}.${incarnation}`;

/** @returns undefined for a text that is no seal */
export function parsedSeal(text: string): Seal | undefined {
  const [, digest, storage, incarnation] =
    /^([0-9a-f]{16})\.([0-9a-f]*)\.([1-9][0-9]{0,15})$/.exec(text) ?? [];
  return digest === undefined || storage === undefined
    ? undefined
    : { digest, storage, incarnation: Number(incarnation) };
}

/** What a peer sent, if it is sealed. */
export const asSealed = (frame: unknown): Sealed | undefined =>
  isRecord(frame) &&
  frame.type === 'sealed' &&
  typeof frame.seal === 'string' &&
  isRecord(frame.message)
    ? (frame as unknown as Sealed) // as was looked at
    : undefined;

/** What a peer sent, if it is a message of the registration whose fields the machine can take. */
export function asRegistration(frame: unknown): RegistrationMessage | undefined {
  if (!isRecord(frame) || typeof frame.name !== 'string') return undefined;
  const isOne =
    (frame.type === 'hello' && isStart(frame) && isRecord(frame.terms) && 'kept' in frame) ||
    (frame.type === 'welcome' &&
      typeof frame.storage === 'string' &&
      isStart(frame.addressed) &&
      'kept' in frame) ||
    (frame.type === 'refusal' &&
      isStart(frame.addressed) &&
      isRecord(frame.terms) &&
      reasons.includes(String(frame.reason)));
  return isOne ? (frame as unknown as RegistrationMessage) : undefined; // as was looked at
}

const reasons = ['another', 'different', 'replaced'];

const isStart = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.storage === 'string' &&
  Number.isSafeInteger(value.incarnation) &&
  Number(value.incarnation) > 0;
