/** In which order a check without sizes raises the size of its systems: a pure function of what it has explored. */

/** What it raises, in this order where two systems are predicted to cost the same. But for the nodes, the names are those of the options. */
export const dimensions = ['nodes', 'entries', 'loss', 'duplicate', 'crash', 'restart'] as const;

export type Dimension = (typeof dimensions)[number];

/** No dimension is raised further. A network of more nodes has too many states for any search, and more partitions than the explorer supports. */
export const most = 12;

/** A system: how many nodes, commands a node, and faults of each kind. */
export type Size = Readonly<Record<Dimension, number>>;

/** The sizes to choose from, smallest first. A dimension with one size is not raised. */
export type Levels = Readonly<Record<Dimension, readonly number[]>>;

/** What is known of a system that was explored. */
export interface Tried {
  readonly size: Size;
  readonly states: number;
  readonly seconds: number;
  /** Whether every state was explored. */
  readonly exhausted: boolean;
}

/**
 * The system to explore next; undefined where nothing can be raised further.
 *
 * Those that are one level above an exhausted system are candidates, if all systems one level below them are exhausted. Of the candidates that are
 * predicted to end in time it is the cheapest, where each level counts as a doubling of the states: so a dimension that adds few states does not
 * hold up the others. Where none is predicted to end in time, it is the one with the fewest predicted states: predictions may be too high, and
 * what is cut may still violate a property.
 *
 * @param secondsLeft the rest of the time.
 */
export function nextSize(levels: Levels, tried: readonly Tried[], secondsLeft: number): Size | undefined {
  const known = new Map(tried.map((system) => [keyOf(system.size), system]));
  const smallest = sizeOf((dimension) => levels[dimension][0] ?? 0);
  if (!known.has(keyOf(smallest))) return smallest;
  const statesOf = (size: Size): number | undefined => {
    const system = known.get(keyOf(size));
    return system?.exhausted ? system.states : undefined;
  };
  const above = tried.flatMap(({ size }) => dimensions.flatMap((dimension) => moved(levels, size, dimension, 1) ?? []));
  const open = [...new Map(above.map((size) => [keyOf(size), size]))].filter(([key]) => !known.has(key)).map(([, size]) => size);
  const ready = open.filter((size) => below(levels, size).every((lower) => statesOf(lower.size) !== undefined));
  const rated = ready.map((size) => ({ size, states: predictedStates(levels, size, statesOf) }));
  const affordable = rated.filter(({ states }) => states * secondsPerState(tried) <= secondsLeft);
  const cost = affordable.length > 0 ? ({ size, states }: Rated) => states * 2 ** raises(levels, size) : ({ states }: Rated) => states;
  return cheapest(affordable.length > 0 ? affordable : rated, cost)?.size;
}

interface Rated {
  readonly size: Size;
  readonly states: number;
}

/** For each dimension that a check may raise further, the first size that it has not tried. */
export function notTried(levels: Levels, tried: readonly Pick<Tried, 'size'>[]): readonly (readonly [Dimension, number])[] {
  return dimensions.flatMap((dimension) => {
    const largest = Math.max(...tried.map(({ size }) => size[dimension]));
    const next = largest >= most && levels[dimension].length > 1 ? largest + 1 : levels[dimension].find((level) => level > largest);
    return next === undefined ? [] : [[dimension, next] as const];
  });
}

/** The largest of several systems: no other one has the same network and as much of everything. */
export const largestOf = <T extends { readonly size: Size }>(systems: readonly T[]): readonly T[] =>
  systems.filter(({ size }) => !systems.some((other) => other.size !== size && contains(other.size, size)));

const contains = (one: Size, other: Size): boolean =>
  one.nodes === other.nodes && dimensions.every((dimension) => one[dimension] >= other[dimension]);

const keyOf = (size: Size): string => dimensions.map((dimension) => size[dimension]).join(' ');

function sizeOf(of: (dimension: Dimension) => number): Size {
  const [nodes, entries, loss, duplicate, crash, restart] = [
    of('nodes'),
    of('entries'),
    of('loss'),
    of('duplicate'),
    of('crash'),
    of('restart'),
  ];
  return { nodes, entries, loss, duplicate, crash, restart };
}

/** One level up (1) or down (−1) in one dimension; undefined where there is none. */
function moved(levels: Levels, size: Size, dimension: Dimension, by: 1 | -1): Size | undefined {
  const level = levels[dimension][levels[dimension].indexOf(size[dimension]) + by];
  if (level === undefined) return undefined;
  const other = { ...size, [dimension]: level };
  return isPossible(levels, other) ? other : undefined;
}

/** A node that is down does not crash again, and one that has not crashed does not restart. What the user chose is possible. */
const isPossible = (levels: Levels, { nodes, crash, restart }: Size): boolean =>
  (crash <= nodes + restart || crash === levels.crash[0]) && (restart <= crash || restart === levels.restart[0]);

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
 * How many states a system probably has: each system one level below has some, and they grow as they did one level further down. A dimension
 * that was not raised before is taken to add nothing, so that it is raised soon.
 */
function predictedStates(levels: Levels, size: Size, statesOf: (size: Size) => number | undefined): number {
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
  return Math.max(...estimates);
}

/** Of the system with the most states: in small ones most of the time is that of the start. */
function secondsPerState(tried: readonly Tried[]): number {
  const { states, seconds } = tried.reduce((most, system) => (system.states > most.states ? system : most));
  return states === 0 ? 0 : seconds / states;
}

function cheapest(all: readonly Rated[], cost: (one: Rated) => number): Rated | undefined {
  const [first, ...others] = all;
  return first && others.reduce((least, other) => (cost(other) < cost(least) ? other : least), first);
}
