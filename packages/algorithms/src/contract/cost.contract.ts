/**
 * What tests of a cost have in common: bounds that the explorer proves tight, and the messages of
 * simulated runs under light and heavy load.
 */
import { type Exploration, type ExploreOptions, explore } from '@conclave/check';
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
