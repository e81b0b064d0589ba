/**
 * In which order a check without sizes raises the size of its systems: a pure function of what it
 * has explored.
 *
 * A system has a size in each of six dimensions: nodes, commands, and faults of four kinds. To raise
 * one after the other would give all the time to the first: each has sizes that no search exhausts.
 * And nobody knows before how long a system takes. So the time is cut into rounds, each four times as
 * long as the one before, and a system that is predicted to take longer waits for a later round. What
 * small systems show predicts the larger ones.
 */
import { faults } from '@conclave/core/internal';

/** The faults that a protocol declares to tolerate one by one; splits come with losses. */
export const raisedFaults = faults.faultNames.flatMap((name) =>
  name === 'partitions' ? [] : [{ ...faults.kinds[name], count: name }],
);

type RaisedFault = (typeof raisedFaults)[number];

/** A value for each raised fault, by its option. */
export const perRaisedFault = <T>(of: (fault: RaisedFault) => T) =>
  Object.fromEntries(raisedFaults.map((fault) => [fault.option, of(fault)])) as Readonly<
    Record<RaisedFault['option'], T> // of each
  >;

/**
 * What a check raises; the earlier one first where two systems are predicted to cost the same. All
 * but `nodes` are names of options.
 */
export const dimensions = [
  'nodes',
  'entries',
  ...raisedFaults.map(({ option }) => option),
] as const;

export type Dimension = (typeof dimensions)[number];

/**
 * The largest size in each dimension. A network of more nodes has too many states for any search,
 * and more partitions than the explorer supports.
 */
export const largestSize = 12;

/** A system: how many nodes, commands a node, and faults of each kind. */
export type Size = Readonly<Record<Dimension, number>>;

/** The sizes to choose from, smallest first. A dimension with one size is not raised. */
export type Levels = Readonly<Record<Dimension, readonly number[]>>;

/** What is known of a system that was explored. */
export interface Tried {
  readonly size: Size;
  readonly states: number;
  readonly seconds: number;
  /**
   * The time after which it was cut, in seconds; Infinity where more time would not help. Absent:
   * every state was explored.
   */
  readonly cutAfter?: number;
}

/** A system to explore, and for how long. */
export interface Turn {
  readonly size: Size;
  readonly seconds: number;
}

/**
 * The first round's part of the total time, and how much longer each round is than the one before:
 * so what was cut is repeated at little cost.
 */
const [firstPart, growth] = [1 / 64, 4];

/** The system to explore first: the smallest one. Times are in seconds. */
export const firstTurn = (levels: Levels, total: number, remaining: number): Turn => ({
  size: smallestOf(levels),
  seconds: Math.min(total * firstPart, remaining),
});

/**
 * The system to explore next, and for how long; undefined where nothing is left to raise, or all
 * was cut after more time than remains.
 *
 * In a round the cheapest candidate comes first, where each level counts as a doubling of the
 * states: so a dimension that adds few states does not hold up the others. If none is predicted to
 * end in the rest of the time, the smallest gets it: it may still violate a property.
 */
export function nextTurn(
  levels: Levels,
  tried: readonly Tried[],
  total: number,
  remaining: number,
): Turn | undefined {
  const candidates = candidatesFor(levels, tried);
  const perState = secondsPerState(tried);
  const predictedSeconds = ({ states, cutAfter }: Candidate) =>
    cutAfter === undefined ? states * perState : 2 * cutAfter;
  /** A dimension that was never raised shares what remains with the others of that kind. */
  const isFirstRaise = ({ size, cutAfter }: Candidate) =>
    cutAfter === undefined && raises(levels, size) === 1;
  for (const seconds of rounds(total, remaining)) {
    const fitting = candidates.filter((candidate) => predictedSeconds(candidate) <= seconds);
    const next = cheapest(fitting, ({ size, states }) => states * 2 ** raises(levels, size));
    if (!next) continue;
    const share = isFirstRaise(next) ? remaining / fitting.filter(isFirstRaise).length : Infinity;
    return { size: next.size, seconds: Math.min(seconds, share) };
  }
  const worthTheRest = candidates.filter(({ cutAfter = 0 }) => cutAfter < remaining);
  const smallest = cheapest(worthTheRest, ({ states }) => states);
  return smallest && { size: smallest.size, seconds: remaining };
}

/** A system that may be explored next. */
interface Candidate {
  readonly size: Size;
  /** How many it probably has. */
  readonly states: number;
  /** As in {@link Tried}; undefined where it was not tried. */
  readonly cutAfter: number | undefined;
}

/**
 * The systems one level above exhausted ones, if all systems one level below them are exhausted; and
 * those that were cut.
 */
function candidatesFor(levels: Levels, tried: readonly Tried[]): readonly Candidate[] {
  const known = new Map(tried.map((system) => [keyOf(system.size), system]));
  const statesOf = knownStates(levels, known);
  const isExhausted = (size: Size) => statesOf(size) !== undefined;
  const above = tried.flatMap(({ size }) =>
    dimensions.flatMap((dimension) => moved(levels, size, dimension, 1) ?? []),
  );
  const distinct = new Map([smallestOf(levels), ...above].map((size) => [keyOf(size), size]));
  return [...distinct.values()]
    .filter(
      (size) => !isExhausted(size) && below(levels, size).every((lower) => isExhausted(lower.size)),
    )
    .map((size) => {
      const { states: found = 0, cutAfter } = known.get(keyOf(size)) ?? {};
      return { size, states: Math.max(predictedStates(levels, size, statesOf), found), cutAfter };
    });
}

/** The times of the rounds that are not over yet. */
function rounds(total: number, remaining: number): readonly number[] {
  const times: number[] = [];
  for (let seconds = total * firstPart; seconds > 0 && seconds < remaining; seconds *= growth)
    times.push(seconds);
  return [...times, remaining];
}

type StatesOf = (size: Size) => number | undefined;

/**
 * How many states an exhausted system has. Where one more command or fault has added no state,
 * neither does a further one: the last one of the budget is never used.
 */
function knownStates(levels: Levels, known: ReadonlyMap<string, Tried>): StatesOf {
  const settled = new Map<string, number | undefined>();
  const statesOf: StatesOf = (size) => {
    const key = keyOf(size);
    const system = known.get(key);
    if (system) return system.cutAfter === undefined ? system.states : undefined;
    if (!settled.has(key)) settled.set(key, statesAsBelow(size));
    return settled.get(key);
  };
  const statesAsBelow: StatesOf = (size) => {
    for (const { dimension, size: lower } of below(levels, size)) {
      const lowest = dimension === 'nodes' ? undefined : moved(levels, lower, dimension, -1);
      const states = lowest && statesOf(lowest);
      if (states !== undefined && states === statesOf(lower)) return states;
    }
    return undefined;
  };
  return statesOf;
}

/** For each dimension that a check may raise further, the first size that it has not tried. */
export function notTried(
  levels: Levels,
  tried: readonly Pick<Tried, 'size'>[],
): readonly (readonly [Dimension, number])[] {
  return dimensions.flatMap((dimension) => {
    const largest = Math.max(...tried.map(({ size }) => size[dimension]));
    const next =
      largest >= largestSize && levels[dimension].length > 1
        ? largest + 1
        : levels[dimension].find((level) => level > largest);
    return next === undefined ? [] : [[dimension, next] as const];
  });
}

/** The largest sizes for walks: with more, their runs are too long to meet what is rare. */
const [mostCommands, mostFaults] = [3, 2];

/**
 * The systems for walks after a search. The first has one node more than the search tried; the
 * second as many, and more faults of each kind, so that they meet.
 */
export function walkedSizes(
  levels: Levels,
  tried: readonly Pick<Tried, 'size'>[],
): readonly Size[] {
  const upTo = (dimension: Dimension, most: number) =>
    levels[dimension].findLast((level) => level <= most) ?? smallest[dimension];
  const smallest = smallestOf(levels);
  const nodes = Math.max(...tried.map(({ size }) => size.nodes));
  const entries = upTo('entries', mostCommands);
  const larger = levels.nodes.find((level) => level > nodes) ?? nodes;
  const failing = perDimension((dimension) => upTo(dimension, mostFaults));
  const restart = upTo('restart', Math.min(failing.crash, mostFaults));
  return [
    { ...smallest, nodes: larger, entries },
    { ...failing, nodes, entries, restart },
  ];
}

/** The largest of several systems: no other one has the same network and as much of everything. */
export const largestOf = <T extends { readonly size: Size }>(systems: readonly T[]): readonly T[] =>
  systems.filter(
    ({ size }) => !systems.some((other) => other.size !== size && contains(other.size, size)),
  );

const contains = (one: Size, other: Size): boolean =>
  one.nodes === other.nodes && dimensions.every((dimension) => one[dimension] >= other[dimension]);

const keyOf = (size: Size): string => dimensions.map((dimension) => size[dimension]).join(' ');

const smallestOf = (levels: Levels): Size => perDimension((dimension) => levels[dimension][0] ?? 0);

const perDimension = (of: (dimension: Dimension) => number): Size =>
  Object.fromEntries(dimensions.map((dimension) => [dimension, of(dimension)])) as Size; // of each

/** One level up (1) or down (−1) in one dimension; undefined where there is none. */
function moved(levels: Levels, size: Size, dimension: Dimension, by: 1 | -1): Size | undefined {
  const level = levels[dimension][levels[dimension].indexOf(size[dimension]) + by];
  if (level === undefined) return undefined;
  const other = { ...size, [dimension]: level };
  return isPossible(levels, other) ? other : undefined;
}

/**
 * A node that is down does not crash again, and one that has not crashed does not restart. What the
 * user chose is possible.
 */
const isPossible = (levels: Levels, { nodes, crash, restart }: Size): boolean =>
  (crash <= nodes + restart || crash === levels.crash[0]) &&
  (restart <= crash || restart === levels.restart[0]);

/** The systems one level below, and in which dimension. */
const below = (levels: Levels, size: Size) =>
  dimensions.flatMap((dimension) => {
    const lower = moved(levels, size, dimension, -1);
    return lower ? [{ dimension, size: lower }] : [];
  });

/** How often the system was raised. */
const raises = (levels: Levels, size: Size): number =>
  dimensions.reduce((sum, dimension) => sum + levels[dimension].indexOf(size[dimension]), 0);

/**
 * How many states a system probably has: each system one level below has some, and they grow as
 * they did one level further down. A dimension that was not raised before is taken to add nothing,
 * so that it is raised soon.
 */
function predictedStates(levels: Levels, size: Size, statesOf: StatesOf): number {
  const lowers = below(levels, size);
  const estimates = lowers.flatMap(({ dimension, size: lower }) => {
    const states = statesOf(lower) ?? 0;
    const growths = below(levels, lower).map((further) => {
      const raised = moved(levels, further.size, dimension, 1); // below `size`, or `lower` itself
      const before = statesOf(further.size);
      return raised && before ? (statesOf(raised) ?? 0) / before : 1;
    });
    return states * Math.max(1, ...growths);
  });
  return Math.max(0, ...estimates);
}

/** Of the system with the most states: in small ones most of the time is that of the start. */
function secondsPerState(tried: readonly Tried[]): number {
  const { states, seconds } = tried.reduce((most, one) => (one.states > most.states ? one : most), {
    states: 0,
    seconds: 0,
  });
  return states === 0 ? 0 : seconds / states;
}

function cheapest(
  all: readonly Candidate[],
  costOf: (one: Candidate) => number,
): Candidate | undefined {
  const costs = all.map(costOf);
  return all[costs.indexOf(Math.min(...costs))];
}
