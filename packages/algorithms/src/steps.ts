/** What a node received and sent in a step: for properties that judge each step. */
import {
  everyStep,
  type Message,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';

/** A message whose fields are not known. */
type Fields = Message & Readonly<Record<string, unknown>>;

type OfType<M extends Message, T> = string extends M['type'] ? M : Extract<M, { readonly type: T }>;

export const isCommanded = (type: string, { cause }: NodeStep): boolean =>
  cause.kind === 'command' && cause.command.type === type;

const isOneOf = (types: readonly string[], { type }: Message): boolean => types.includes(type);

type Received<M> = M & { readonly from: NodeId };
type Sent<M> = { readonly to: NodeId; readonly message: M };

/** Readers of the steps of nodes with this context, which send these messages. */
export const stepsOf = <M extends Message, Context = NodeView['context']>() => ({
  contextOf: ({ context }: NodeView): Context => context as unknown as Context, // of the machine

  /** The message of one of these types that the step reacts to. */
  receivedIn<T extends M['type']>({ cause }: NodeStep, ...types: readonly T[]) {
    if (cause.kind !== 'message' || !isOneOf(types, cause.message)) return undefined;
    const received: unknown = { ...cause.message, from: cause.from };
    return received as Received<OfType<M, T>> | undefined; // of one of these types
  },

  /** The messages of these types that the step sends. */
  sentIn<T extends M['type']>({ sent }: NodeStep, ...types: readonly T[]) {
    const found: unknown = sent.filter(({ message }) => isOneOf(types, message));
    return found as readonly Sent<OfType<M, T>>[]; // of these types
  },
});

export const { receivedIn, sentIn } = stepsOf<Fields>();

/** The receivers of the messages of these types that the step sends. */
export const receiversIn = (step: NodeStep, ...types: readonly string[]): readonly NodeId[] =>
  sentIn(step, ...types).map(({ to }) => to);

/** The sender of the message that the step reacts to, if it has one of these types. */
export const senderIn = ({ cause }: NodeStep, ...types: readonly string[]): readonly NodeId[] =>
  cause.kind === 'message' && types.includes(cause.message.type) ? [cause.from] : [];

/** @param what by which messages to a node are told apart; default: their types */
export const sendsNothingTwice = (
  name: string,
  what: (message: Message) => string = ({ type }) => type,
): Property =>
  everyStep(name, ({ sent }) => {
    const texts = sent.map(({ to, message }) => `${what(message)} to ${to}`);
    return new Set(texts).size === texts.length;
  });

/** Whether both are the same JSON, with fields in the same order. */
export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Whether both have the same ids, each equally often. */
export const sameIds = (some: readonly string[], others: unknown): boolean =>
  Array.isArray(others) &&
  some.length === others.length &&
  (some.every((id, index) => id === others[index]) ||
    [...some].sort().join() === others.map(String).sort().join());
