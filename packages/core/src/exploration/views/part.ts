import type { Json, Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { canonical } from '../worlds/canonical.js';
import {
  joined,
  type Missing,
  outside,
  product,
  type Renaming,
  requireFew,
  restricted,
  widened,
} from './data.js';
import { textOf } from './text.js';

/**
 * What a view has of one node: its state, and what it has sent and nobody has received. What is on
 * its way to nodes outside is a set, under {@link outside}.
 */
export interface Part {
  readonly role: string;
  readonly state: LocalState;
  readonly out: Readonly<Record<NodeId, readonly Message[]>>;
}

/** What views keep of numbers, and of the order of messages. */
export interface Detail {
  readonly order: 'fifo' | 'any';
  /** The paths of the numbers that views have; all others are 0 in a view. */
  readonly kept: ReadonlySet<string>;
  /** The paths of those that may be anything whenever a step depends on them. */
  readonly guessed: ReadonlySet<string>;
  /**
   * The paths of those of which only the order matters. Where there are some, views do not have what
   * is on its way to nodes outside.
   */
  readonly ordered: ReadonlySet<string>;
  /** Unusual values of numbers, with which steps are tried. */
  readonly constants: ReadonlySet<number>;
  /**
   * The types of messages of which any number may be on its way. Views do not have them: once one
   * was sent, it may arrive at any moment, again and again.
   */
  readonly piling: ReadonlySet<string>;
  /** Whether the search shall end. */
  readonly stop: () => boolean;
}

const numberIn =
  ({ kept, ordered }: Detail) =>
  (path: string, value: number): number =>
    kept.has(path) || ordered.has(path) ? value : 0;

export const stateIn = (
  role: string,
  state: LocalState,
  renaming: Renaming,
  detail: Detail,
): LocalState => ({
  ...state,
  // a context is a record, and stays one
  context: restricted(state.context, renaming, numberIn(detail), role) as LocalState['context'],
});

export const messageIn = (message: Message, renaming: Renaming, detail: Detail): Message =>
  // a message is a record with a type, which is no name of a node, and stays one
  ({
    ...(restricted(
      message as unknown as Json,
      renaming,
      numberIn(detail),
      message.type,
    ) as unknown as Message),
    type: message.type,
  });

/** The part in a view of the nodes that `renaming` keeps. */
export function partIn(part: Part, renaming: Renaming, detail: Detail): Part {
  const out: Record<NodeId, readonly Message[]> = {};
  const beyond: Message[] = [];
  for (const [to, messages] of Object.entries(part.out)) {
    const seen = messages
      .filter(({ type }) => !detail.piling.has(type))
      .map((message) => messageIn(message, renaming, detail));
    const name = renaming.names.get(to);
    if (name === undefined) beyond.push(...seen);
    else if (seen.length > 0) out[name] = arranged(seen, detail);
  }
  if (beyond.length > 0 && detail.ordered.size === 0) out[outside] = asSet(beyond);
  return { role: part.role, state: stateIn(part.role, part.state, renaming, detail), out };
}

const inOrder = <T extends object>(items: readonly T[]): readonly T[] =>
  items.length < 2
    ? items
    : items
        .map((item) => [textOf(item), item] as const)
        .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
        .map(([, item]) => item);

/** The messages of a channel: without FIFO their order does not matter. */
export const arranged = (messages: readonly Message[], { order }: Detail): readonly Message[] =>
  order === 'fifo' ? messages : inOrder(messages);

export const asSet = (messages: readonly Message[]): readonly Message[] =>
  inOrder([...new Map(messages.map((message) => [textOf(message), message])).values()]);

/** All parts whose view without `missing.first` is `one`, and without `missing.second` `other`. */
export function joinedParts(
  one: Part,
  other: Part,
  missing: Missing,
  names: readonly NodeId[],
  detail: Detail,
): readonly Part[] {
  if (one.role !== other.role) return [];
  const states = joinedStates(one.state, other.state, missing);
  if (states.length === 0) return [];
  const outs = joinedOuts(one.out, other.out, { missing, names, detail });
  return product<unknown>([states, outs]).map(([state, out]) => ({
    role: one.role,
    state: state as LocalState, // one of `states`
    out: out as Part['out'], // one of `outs`
  }));
}

/** All states whose view without `missing.first` is `one`, and without `missing.second` `other`. */
export function joinedStates(
  one: LocalState,
  other: LocalState,
  missing: Missing,
): readonly LocalState[] {
  const { context, ...rest } = one;
  const { context: otherContext, ...otherRest } = other;
  if (canonical(rest) !== canonical(otherRest)) return [];
  return joined(context, otherContext, missing).map((joinedContext) => ({
    ...rest,
    context: joinedContext as LocalState['context'], // a record stays one
  }));
}

interface Joining {
  readonly missing: Missing;
  readonly names: readonly NodeId[];
  readonly detail: Detail;
}

type Out = Part['out'];
type Messages = readonly Message[];

const without = (names: readonly NodeId[], name: NodeId): Renaming => ({
  all: new Set(names),
  names: new Map(names.filter((id) => id !== name).map((id) => [id, id])),
});

function joinedOuts(one: Out, other: Out, joining: Joining): readonly Out[] {
  const { first, second } = joining.missing;
  const { names, detail } = joining;
  const targets = names.filter((to) => one[to] !== undefined || other[to] !== undefined);
  const choices = targets.map((to): readonly Messages[] => {
    const [a, b] = [one[to] ?? [], other[to] ?? []];
    if (to === first) return a.length > 0 ? [] : channels(b.map((m) => widenedMessage(m, second)));
    if (to === second) return b.length > 0 ? [] : channels(a.map((m) => widenedMessage(m, first)));
    return joinedChannels(a, b, joining);
  });
  const [seenByOne, seenByOther] = [without(names, first), without(names, second)];
  return product(choices).flatMap((lists) => {
    const out: Record<NodeId, Messages> = {};
    for (const [index, to] of targets.entries()) {
      const list = lists[index] ?? [];
      if (list.length > 0) out[to] = arranged(list, detail);
    }
    return beyondBoth(one[outside] ?? [], other[outside] ?? [], joining, [
      (out[first] ?? []).map((message) => messageIn(message, seenByOne, detail)),
      (out[second] ?? []).map((message) => messageIn(message, seenByOther, detail)),
    ]).map((beyond) => (beyond.length === 0 ? out : { ...out, [outside]: beyond }));
  });
}

const widenedMessage = (message: Message, name: NodeId): Messages =>
  widened(message as unknown as Json, name) as unknown as Messages; // the type is no '*'

const channels = (choices: readonly Messages[]): readonly Messages[] => product(choices);

const joinedMessages = (one: Message, other: Message, missing: Missing): Messages =>
  one.type === other.type
    ? (joined(one as unknown as Json, other as unknown as Json, missing) as unknown as Messages) // records
    : [];

/** The messages of a channel that both have; without FIFO, in any order. */
function joinedChannels(
  one: Messages,
  other: Messages,
  { missing, detail }: Joining,
): readonly Messages[] {
  if (one.length !== other.length) return [];
  if (detail.order === 'fifo')
    return product(
      one.map((message, index) => {
        const seen = other[index];
        return seen ? joinedMessages(message, seen, missing) : [];
      }),
    );
  const [first, ...rest] = one;
  if (first === undefined) return [[]];
  const found = new Map<string, Messages>();
  for (const [index, seen] of other.entries())
    for (const message of joinedMessages(first, seen, missing))
      for (const others of joinedChannels(rest, other.toSpliced(index, 1), {
        missing,
        names: [],
        detail,
      })) {
        const all = inOrder([message, ...others]);
        found.set(canonical(all), all);
      }
  requireFew(found.size);
  return [...found.values()];
}

/**
 * The sets of messages to nodes beyond both views. What one view has on its way to nodes outside is
 * on its way to the node that it lacks, or beyond.
 */
function beyondBoth(
  one: Messages,
  other: Messages,
  { missing, names, detail }: Joining,
  [toFirst, toSecond]: readonly [Messages, Messages],
): readonly Messages[] {
  const [seenByOne, seenByOther] = [without(names, missing.first), without(names, missing.second)];
  const keysOf = (messages: Messages) => new Set(messages.map((message) => canonical(message)));
  const [ofOne, ofOther] = [keysOf(one), keysOf(other)];
  const [known, otherKnown] = [keysOf(toFirst), keysOf(toSecond)];
  if ([...known].some((key) => !ofOne.has(key))) return [];
  if ([...otherKnown].some((key) => !ofOther.has(key))) return [];
  const candidates = asSet(
    one.flatMap((a) => other.flatMap((b) => joinedMessages(a, b, missing))),
  ).map((message) => ({
    message,
    one: canonical(messageIn(message, seenByOne, detail)),
    other: canonical(messageIn(message, seenByOther, detail)),
  }));
  requireFew(2 ** candidates.length);
  const sets: Messages[] = [];
  for (let chosen = 0; chosen < 2 ** candidates.length; chosen++) {
    const set = candidates.filter((_, index) => (chosen >> index) & 1);
    const covers = (keys: Set<string>, rest: Set<string>, side: 'one' | 'other') =>
      [...keys].every((key) => rest.has(key) || set.some((candidate) => candidate[side] === key));
    if (covers(ofOne, known, 'one') && covers(ofOther, otherKnown, 'other'))
      sets.push(set.map(({ message }) => message));
  }
  return sets;
}
