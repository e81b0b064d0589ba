/**
 * Systems whose number of states is published, or known by a formula; written from their
 * descriptions.
 */
import type { Json, Verdict } from '@conclave/core/protocol';
import type { PlainSystem } from './plain-system.js';

/**
 * How many states, transitions and layers a system has: by a search that keeps only a text per
 * state.
 */
export function counted<S extends Json, A extends Json>({
  initial,
  initials,
  actions,
  next,
}: PlainSystem<S, A>) {
  const first = new Map((initials ?? [initial]).map((state) => [JSON.stringify(state), state]));
  let layer: readonly S[] = [...first.values()];
  const seen = new Set(first.keys());
  let transitions = 0;
  let depth = -1;
  for (; layer.length > 0; depth++) {
    const found: S[] = [];
    for (const state of layer)
      for (const action of actions(state)) {
        transitions++;
        const after = next(state, action);
        const text = JSON.stringify(after);
        if (!seen.has(text)) found.push(after);
        seen.add(text);
      }
    layer = found;
  }
  return { states: seen.size, transitions, depth };
}

export const indices = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

/**
 * Resource managers that agree on a commit by reading each other's states: Gray & Lamport,
 * Consensus on Transaction Commit, section 2.
 */
export function transactionCommit(count: number) {
  type State = readonly ('working' | 'prepared' | 'committed' | 'aborted')[];
  const mayCommit = (state: State) =>
    state.every((one) => one === 'prepared' || one === 'committed');
  const next = (state: State, [who, what]: readonly [number, State[number]]): State =>
    state.with(who, what);
  return {
    initial: indices(count).map(() => 'working') as State,
    actions: (state: State) =>
      state.flatMap((one, who): (readonly [number, State[number]])[] => [
        ...(one === 'working' ? [[who, 'prepared'] as const] : []),
        ...(one === 'prepared' && mayCommit(state) ? [[who, 'committed'] as const] : []),
        ...((one === 'working' || one === 'prepared') && !state.includes('committed')
          ? [[who, 'aborted'] as const]
          : []),
      ]),
    next,
    done: (state: State) =>
      state.every((one) => one === 'committed') || state.every((one) => one === 'aborted'),
  };
}

/** Two-phase commit; messages are a set that only grows (the same paper, section 3). */
export interface TwoPhases {
  readonly [field: string]: string | boolean | readonly string[] | readonly boolean[];
  readonly managers: readonly string[];
  readonly coordinator: string;
  readonly heard: readonly boolean[];
  readonly told: readonly boolean[];
  readonly commit: boolean;
  readonly abort: boolean;
}
export function twoPhaseCommit(count: number) {
  return {
    initial: {
      managers: indices(count).map(() => 'working'),
      coordinator: 'asking',
      heard: indices(count).map(() => false),
      told: indices(count).map(() => false),
      commit: false,
      abort: false,
    } as TwoPhases,
    actions: ({
      managers,
      coordinator,
      heard,
      told,
      commit,
      abort,
    }: TwoPhases): (readonly [string, number])[] => [
      ...(coordinator === 'asking' && heard.every(Boolean) ? [['commit', -1] as const] : []),
      ...(coordinator === 'asking' ? [['abort', -1] as const] : []),
      ...managers.flatMap((state, who) => [
        ...(coordinator === 'asking' && told[who] ? [['hear', who] as const] : []),
        ...(state === 'working' ? [['prepare', who] as const, ['refuse', who] as const] : []),
        ...(commit ? [['learn commit', who] as const] : []),
        ...(abort ? [['learn abort', who] as const] : []),
      ]),
    ],
    next: (state: TwoPhases, [what, who]: readonly [string, number]): TwoPhases => {
      const become = (managers: string) => ({
        ...state,
        managers: state.managers.with(who, managers),
      });
      if (what === 'commit') return { ...state, coordinator: 'committed', commit: true };
      if (what === 'abort') return { ...state, coordinator: 'aborted', abort: true };
      if (what === 'hear') return { ...state, heard: state.heard.with(who, true) };
      if (what === 'prepare') return { ...become('prepared'), told: state.told.with(who, true) };
      return become(what === 'learn commit' ? 'committed' : 'aborted');
    },
  };
}

/** All lists of `count` of these values. */
export const lists = <T>(count: number, values: readonly T[]): readonly (readonly T[])[] =>
  count === 0
    ? [[]]
    : lists(count - 1, values).flatMap((list) => values.map((value) => [...list, value]));

const flags = (count: number): readonly (readonly boolean[])[] => lists(count, [false, true]);

export interface Activity {
  readonly [field: string]: boolean | readonly boolean[] | readonly number[];
  readonly active: readonly boolean[];
  readonly pending: readonly number[];
  readonly detected: boolean;
}

/**
 * Termination of nodes that send each other work, at most `most` on its way to each; what is sent
 * beyond that is lost, and counts as a transition. After AsyncTerminationDetection of the TLA+
 * examples.
 */
export function asyncTermination(count: number, most: number) {
  const isOver = ({ active, pending }: Pick<Activity, 'active' | 'pending'>) =>
    !active.includes(true) && pending.every((work) => work === 0);
  const nobody = indices(count).map(() => 0);
  return {
    initials: flags(count).flatMap((active): readonly Activity[] =>
      [false, true]
        .filter((detected) => !detected || isOver({ active, pending: nobody }))
        .map((detected) => ({ active, pending: nobody, detected })),
    ),
    actions: (state: Activity): readonly (readonly [string, number, number])[] => [
      ...(isOver(state) ? [['detect', 0, 0] as const] : []),
      ...indices(count).flatMap((node) => [
        ...(state.active[node] ? finishing(state, node) : []),
        ...(state.active[node] ? indices(count).map((to) => ['send', node, to] as const) : []),
        ...((state.pending[node] ?? 0) > 0 ? [['receive', node, 0] as const] : []),
      ]),
    ],
    next: (state: Activity, [what, node, to]: readonly [string, number, number]): Activity => {
      const { active, pending } = state;
      const work = pending[to] ?? 0;
      if (what === 'detect') return { ...state, detected: true };
      if (what === 'send')
        return { ...state, pending: work < most ? pending.with(to, work + 1) : pending };
      if (what === 'receive')
        return {
          ...state,
          active: active.with(node, true),
          pending: pending.with(node, (pending[node] ?? 0) - 1),
        };
      return {
        ...state,
        active: active.with(node, false),
        detected: state.detected || what === 'finish and detect',
      };
    },
  };

  /** The last node that finishes may be seen to at once. */
  function finishing({ active, pending }: Activity, node: number) {
    const isLast = isOver({ active: active.with(node, false), pending });
    return [
      ['finish', node, 0] as const,
      ...(isLast ? [['finish and detect', node, 0] as const] : []),
    ];
  }
}

export interface Probing {
  readonly [field: string]: boolean | number | readonly boolean[];
  readonly active: readonly boolean[];
  readonly black: readonly boolean[];
  readonly position: number;
  readonly blackToken: boolean;
}

/**
 * Termination detection on a ring where work takes no time: EWD 840, from any state of nodes and
 * token position with a black token, as in the TLA+ examples.
 */
export function ewd840(count: number) {
  type Action = readonly [what: string, node: number, to: number];
  return {
    initials: flags(count).flatMap((active) =>
      flags(count).flatMap((black) =>
        indices(count).map((position): Probing => ({ active, black, position, blackToken: true })),
      ),
    ),
    actions: ({ active, black, position, blackToken }: Probing): readonly Action[] => [
      ...(position === 0 && (blackToken || black[0]) ? [['probe', 0, 0] as const] : []),
      ...(position > 0 && (!active[position] || black[position] || blackToken)
        ? [['pass', position, 0] as const]
        : []),
      ...indices(count).flatMap((node) =>
        active[node]
          ? indices(count).map((to) => [to === node ? 'finish' : 'send', node, to] as const)
          : [],
      ),
    ],
    next: (state: Probing, [what, node, to]: Action): Probing => {
      const { active, black, blackToken } = state;
      const white = black.with(node, false);
      if (what === 'probe')
        return { ...state, black: white, position: count - 1, blackToken: false };
      if (what === 'pass')
        return {
          ...state,
          black: white,
          position: node - 1,
          blackToken: blackToken || black[node] === true,
        };
      if (what === 'finish') return { ...state, active: active.with(node, false) };
      return {
        ...state,
        active: active.with(to, true),
        black: to > node ? black.with(node, true) : black,
      };
    },
  };
}

export type Counting = {
  readonly active: readonly boolean[];
  readonly black: readonly boolean[];
  /** What each node has sent, less what it has received; and the work on its way to each. */
  readonly counters: readonly number[];
  readonly pending: readonly number[];
  readonly token: { readonly at: number; readonly count: number; readonly black: boolean };
};

/**
 * Safra's termination detection where work takes time, with counters less than `bound`; what is
 * sent beyond that is lost, and counts as a transition. After EWD998PCal of the TLA+ examples, where
 * a node may finish at any time, and each reason to probe again is a transition.
 */
export function ewd998(count: number, bound: number) {
  type Action = readonly [what: string, node: number, to: number];
  const nodes = indices(count);
  const add = (numbers: readonly number[], at: number, by: number) =>
    numbers.with(at, (numbers[at] ?? 0) + by);
  const nothing = nodes.map(() => 0);

  function ofToken({ active, black, counters, token }: Counting, node: number): readonly Action[] {
    if (token.at !== node) return [];
    if (node > 0) return active[node] ? [] : [['pass', node, node - 1]];
    const reasons = [black[0], token.count + (counters[0] ?? 0) !== 0, token.black];
    return reasons.flatMap((isOne, reason) => (isOne ? [['probe', 0, reason] as const] : []));
  }

  return {
    initials: flags(count).map((active): Counting => {
      const black = nodes.map(() => true);
      const token = { at: 0, count: 0, black: true };
      return { active, black, counters: nothing, pending: nothing, token };
    }),
    actions: (state: Counting): readonly Action[] =>
      nodes.flatMap((node): readonly Action[] => [
        ...nodes.flatMap((to): readonly Action[] =>
          state.active[node] && to !== node ? [['send', node, to]] : [],
        ),
        ...((state.pending[node] ?? 0) > 0 ? [['receive', node, 0] as const] : []),
        ['finish', node, 0],
        ...ofToken(state, node),
      ]),
    next: (state: Counting, [what, node, to]: Action): Counting => {
      const { active, black, counters, pending, token } = state;
      const mine = counters[node] ?? 0;
      if (what === 'finish') return { ...state, active: active.with(node, false) };
      if (what === 'send')
        return mine + 1 < bound
          ? { ...state, counters: add(counters, node, 1), pending: add(pending, to, 1) }
          : state;
      if (what === 'receive')
        return {
          ...state,
          active: active.with(node, true),
          black: black.with(node, true),
          counters: add(counters, node, -1),
          pending: add(pending, node, -1),
        };
      const passed =
        what === 'pass'
          ? { at: to, count: token.count + mine, black: token.black || black[node] === true }
          : { at: count - 1, count: 0, black: false };
      return { ...state, black: black.with(node, false), token: passed };
    },
  };
}

/** The nodes that may make a step in Dijkstra's ring: each is a token. */
export const tokensIn = (counters: readonly number[]): readonly number[] =>
  counters.flatMap((counter, node) =>
    (counter === counters.at(node - 1)) === (node === 0) ? [node] : [],
  );

/** Dijkstra's ring that stabilises itself, from any counters: EWD 426, as in the TLA+ examples. */
export const stabilizing = (count: number, values: number) => ({
  initials: lists(count, indices(values)),
  actions: tokensIn,
  next: (counters: readonly number[], node: number) =>
    counters.with(node, ((counters.at(node - 1) ?? 0) + (node === 0 ? 1 : 0)) % values),
  fair: () => 'step',
});

/** Tiles that slide in a frame with one hole: 0 is the hole. */
export const sliding = (rows: number, columns: number) => ({
  initial: indices(rows * columns) as readonly number[],
  actions: (tiles: readonly number[]) => {
    const hole = tiles.indexOf(0);
    const [row, column] = [Math.floor(hole / columns), hole % columns];
    return [
      ...(row > 0 ? [hole - columns] : []),
      ...(row < rows - 1 ? [hole + columns] : []),
      ...(column > 0 ? [hole - 1] : []),
      ...(column < columns - 1 ? [hole + 1] : []),
    ];
  },
  next: (tiles: readonly number[], from: number) =>
    tiles.with(tiles.indexOf(0), tiles[from] ?? 0).with(from, 0),
});

/**
 * Philosophers who take their left fork, then their right one, and put both back; the last
 * `leftHanded` take the right one first.
 */
export function philosophers(count: number, leftHanded = 0) {
  /** The neighbour that shares the first, or second, fork of `who`. */
  const isFree = (held: readonly number[], fork: number) =>
    held.every(
      (forks, who) => (forks < 1 || firstOf(who) !== fork) && (forks < 2 || secondOf(who) !== fork),
    );
  const isTurned = (who: number) => who >= count - leftHanded;
  const firstOf = (who: number) => (isTurned(who) ? (who + 1) % count : who);
  const secondOf = (who: number) => (isTurned(who) ? who : (who + 1) % count);
  return {
    initial: indices(count).map(() => 0) as readonly number[],
    actions: (held: readonly number[]) =>
      held.flatMap((forks, who) =>
        forks === 2 || isFree(held, forks === 0 ? firstOf(who) : secondOf(who)) ? [who] : [],
      ),
    next: (held: readonly number[], who: number) => held.with(who, ((held[who] ?? 0) + 1) % 3),
    fair: (who: number) => `${who}`,
    done: () => false,
  };
}

export const verdictsOf = (found: {
  readonly properties: readonly { readonly verdict: Verdict }[];
}): readonly Verdict[] => found.properties.map(({ verdict }) => verdict);
