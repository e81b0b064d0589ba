/**
 * What tests of a cost have in common: bounds that the explorer proves tight, the messages of
 * simulated runs under light and heavy load, and means of the literature, as fractions and as lines.
 */
import {
  type Expectation,
  type Exploration,
  type ExploreOptions,
  explore,
  type Figure,
} from '@conclave/check';
import {
  atMost,
  type Command,
  type Property,
  type PropertyOf,
  type Protocol,
} from '@conclave/core/protocol';
import {
  type Conditions,
  closedLoop,
  poisson,
  type SimulationResult,
  simulate,
} from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { expect } from 'vitest';

/**
 * The upper bound of the cost of `protocol` on `n` nodes, or on `topology`, as a property: messages
 * per optional command, since each entry and each election begins with at least one. Undefined
 * where the protocol declares no cost, a cost without a bound or a cost per run, or does not say
 * which of several optional commands it counts.
 *
 * @example costOf(ricartAgrawala, 3)?.name // 'at most 4 messages per acquire'
 */
export function costOf(
  { commands, cost }: Protocol,
  n: number,
  topology?: Topology,
): PropertyOf<'atMost'> | undefined {
  const [only, ...others] = Object.keys(commands).filter(
    (type) => commands[type]?.kind === 'optional',
  );
  const command = cost?.command ?? (others.length > 0 ? undefined : only);
  if (!cost || cost.per === 'run' || cost.per === 'period' || command === undefined)
    return undefined;
  const { most } = cost.messages(n, topology);
  return most === Infinity
    ? undefined
    : atMost(most, { per: command, ...(cost.of ? { of: cost.of } : {}) });
}

/** The verdicts of the first properties: those that the exploration was asked for. */
export const verdictsOf = (
  { properties }: Pick<Exploration, 'properties'>,
  count: number,
): readonly string[] => properties.slice(0, count).map(({ verdict }) => verdict);

/** No run exceeds one of `bounds`, and for each of `tighter` there is one that does. */
export function expectBounds(
  protocol: Protocol,
  topology: Topology,
  budget: ExploreOptions,
  bounds: readonly Property[],
  tighter: readonly Property[],
): Exploration {
  const properties = [...bounds, ...tighter];
  const found = explore(protocol, topology, { ...budget, properties });
  expect(found.complete).toBe(true);
  expect(verdictsOf(found, properties.length)).toEqual([
    ...bounds.map(() => 'holds'),
    ...tighter.map(() => 'violated'),
  ]);
  return found;
}

/** A command costs at most so many messages in every run, and in some run as many. */
export const expectTight = (
  protocol: Protocol,
  topology: Topology,
  budget: ExploreOptions,
  most: number,
  per: string,
): Exploration =>
  expectBounds(protocol, topology, budget, [atMost(most, { per })], [atMost(most - 1, { per })]);

/** Each node enters so often, as soon as it can, or seldom. */
export const loads = (entries: number, inputs?: readonly Command[]) =>
  [
    closedLoop({ entries, think: { kind: 'fixed', ms: 0 }, ...(inputs && { inputs }) }),
    poisson({ mean: 10_000, entries, ...(inputs && { inputs }) }),
  ] as const;

type Run = SimulationResult & { readonly n: number };

/** Runs on networks of 2 … `most` nodes, each under both loads, with three entries of each node. */
export const runsUnderLoad = (
  protocol: Protocol,
  networkOf: (n: number) => Topology,
  most: number,
  {
    order = 'any',
    inputs,
  }: Pick<Partial<Conditions>, 'order'> & { inputs?: readonly Command[] } = {},
): readonly Run[] =>
  Array.from({ length: most - 1 }, (_, index) => index + 2).flatMap((n) =>
    loads(3, inputs).map((workload) => ({
      n,
      ...simulate({
        protocol,
        topology: networkOf(n),
        workload,
        conditions: { order, delay: { kind: 'uniform', least: 0, most: 30 } },
      }),
    })),
  );

// Measured costs beside the means of the literature.

/** The n-th harmonic number, 1 + 1/2 + … + 1/n. */
export function harmonic(n: number): number {
  let sum = 0;
  for (let k = 1; k <= n; k++) sum += 1 / k;
  return sum;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The least-squares line through `points`; `correlation` is 1 or −1 if it goes through all of them.
 */
export function lineThrough(points: readonly Point[]): {
  readonly slope: number;
  readonly correlation: number;
} {
  const mean = (value: (point: Point) => number) =>
    points.reduce((sum, point) => sum + value(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const together = mean((point) => (point.x - x) * (point.y - y));
  const [inX, inY] = [mean((point) => (point.x - x) ** 2), mean((point) => (point.y - y) ** 2)];
  return { slope: together / inX, correlation: together / Math.sqrt(inX * inY) };
}

// Fractions as tests compute them by hand, beside what `expected` computes.

export type Fraction = readonly [numerator: bigint, denominator: bigint];

const reduced = (numerator: bigint, denominator: bigint): Fraction => {
  let [a, b] = [numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return [numerator / a, denominator / a];
};

export const whole = (value: number): Fraction => [BigInt(value), 1n];
export const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => reduced(a * d + c * b, b * d);
export const over = ([a, b]: Fraction, [c, d]: Fraction): Fraction => reduced(a * d, b * c);
export const sum = (fractions: readonly Fraction[]): Fraction => fractions.reduce(plus, whole(0));

/** Of positive fractions: as `expected` writes them. */
export const text = ([a, b]: Fraction): string => (b === 1n ? `${a}` : `${a}/${b}`);

const textOf = (figure: Figure<unknown> | undefined): string | undefined =>
  figure?.kind === 'exact' ? figure.fraction : figure?.kind;

/** The least and the greatest of the figures that were computed. */
export const extremesOf = (
  figures: Expectation['expectation'] | Expectation['within'],
): readonly (string | undefined)[] => [textOf(figures?.least), textOf(figures?.greatest)];
