import type { Json, Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { mentioned, outside, type Renaming, restricted } from './data.js';
import { Unprovable } from './unprovable.js';

/** How often data mentions nodes outside. */
export function starsIn(data: Json): number {
  if (data === outside) return 1;
  if (typeof data !== 'object' || data === null) return 0;
  return Object.values(data).reduce((sum: number, item) => sum + starsIn(item as Json), 0);
}

/** All ways to choose one of `names` so many times. */
export function tuplesOf(names: readonly NodeId[], count: number): readonly (readonly NodeId[])[] {
  let tuples: readonly (readonly NodeId[])[] = [[]];
  for (let place = 0; place < count; place++)
    tuples = tuples.flatMap((tuple) => names.map((name) => [...tuple, name]));
  return tuples;
}

/** `data` in which some node outside is each of `names` in turn. */
export function filled(data: Json, names: Iterator<NodeId>): Json {
  if (data === outside) return names.next().value ?? outside;
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) return (data as readonly Json[]).map((item) => filled(item, names));
  return Object.fromEntries(
    Object.entries(data as Readonly<Record<string, Json>>).map(([key, item]) => [
      key,
      filled(item, names),
    ]),
  );
}

/** A state and a message in which nodes outside are called as in each of `tuples`. */
export function instances(
  state: LocalState,
  message: Message | undefined,
  tuples: readonly (readonly NodeId[])[],
): readonly Guess[] {
  const data = dataOf(state, message);
  return tuples.map((tuple) => {
    const [context, fields] = filled(data, tuple.values()) as unknown as [
      LocalState['context'],
      Message | null,
    ]; // they stay what they were
    return [{ ...state, context }, fields ?? undefined] as const;
  });
}

const dataOf = (state: LocalState, message: Message | undefined): Json => [
  state.context,
  (message ?? null) as unknown as Json, // a message is a record
];

export const starsInBoth = (state: LocalState, message: Message | undefined): number =>
  starsIn(dataOf(state, message));

export const renamingOf = (names: ReadonlyMap<NodeId, NodeId>): Renaming => ({
  all: new Set(),
  names,
});

export type Guess = readonly [state: LocalState, message: Message | undefined];

export function renamed(
  state: LocalState,
  message: Message | undefined,
  renaming: Renaming,
): Guess {
  const same = (data: Json) => restricted(data, renaming, (_, value) => value, '');
  const context = same(state.context) as LocalState['context']; // a record stays one
  if (!message) return [{ ...state, context }, undefined];
  const fields = same(message as unknown as Json) as unknown as Message; // so here
  return [
    { ...state, context },
    { ...fields, type: message.type },
  ];
}

/** The same with the first names, in their order: so few different steps are taken. */
export function closeTogether(
  [state, message]: Guess,
  ends: readonly NodeId[],
  all: readonly NodeId[],
): readonly [...Guess, Renaming] {
  const used = new Set([...ends, ...mentioned(dataOf(state, message), new Set(all))]);
  const close = renamingOf(new Map([...used].sort().map((id, index) => [id, all[index] ?? id])));
  return [...renamed(state, message, close), close];
}

/** Names for the nodes of a view, and all that nodes outside may be called, each in each way. */
export interface Guesses {
  readonly chosen: readonly NodeId[];
  readonly others: readonly (readonly NodeId[])[];
}

/**
 * Names for `size` nodes of a view, and for so many mentions of nodes outside: these are before,
 * between and behind those, the same or not. Names that differ in nothing but their distance are
 * given once.
 */
export function guessesOf(all: readonly NodeId[], size: number, mentions: number): Guesses {
  const every = mentions + 1;
  const used = all.slice(0, (size + 1) * every - 1);
  if (used.length < (size + 1) * every - 1)
    throw new Unprovable('a view mentions too many nodes outside');
  const isChosen = (index: number) => index % every === mentions;
  const others = used.filter((_, index) => !isChosen(index));
  const isClose = (tuple: readonly NodeId[]) => {
    const places = Array.from({ length: size + 1 }, () => 0);
    for (const name of tuple) {
      const index = others.indexOf(name);
      const gap = Math.floor(index / mentions);
      places[gap] = (places[gap] ?? 0) | (1 << (index % mentions));
    }
    return places.every((mask) => (mask & (mask + 1)) === 0);
  };
  return {
    chosen: used.filter((_, index) => isChosen(index)),
    others: tuplesOf(others, mentions).filter(isClose),
  };
}
