import { checkOptions, checkProperties } from '@conclave/core/internal';
import { headerWith } from '@conclave/core/internal/trace';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { withoutChance } from '../base/resumable.js';
import { assumptionsOf } from '../explore/assumptions.js';
import type { WalkOptions } from '../explore/options.js';
import { budgetIn, checkGiven, walkOptions } from '../options/options.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { coverageOf, joinedUsage, type RoleUsage, usageOf } from '../verdicts/coverage.js';
import type { Exploration } from '../verdicts/exploration.js';
import type { PropertyFinding } from '../verdicts/property-finding.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import { Worlds } from '../worlds/worlds.js';
import { witnessOf } from './walk-judge.js';
import { Walker } from './walker.js';

/** What walks found. */
export interface Walks {
  readonly protocol: string;
  readonly topology: string;
  readonly seed: number;
  readonly walks: number;
  /** Steps taken, in all walks together. */
  readonly steps: number;
  /** Distinct worlds visited, including the initial one. */
  readonly states: number;
  /** In exact time: the step of time in milliseconds. */
  readonly tick?: number;
  /** Set if {@link WalkOptions.stop} ended them early. */
  readonly limit?: 'interrupted';
  /** What the walks leave out, as in `Exploration`. */
  readonly assumptions: readonly string[];
  /**
   * Never `holds` or `unreached`: walks prove nothing. The traces are shrunk, but need not be
   * shortest.
   */
  readonly properties: readonly PropertyFinding[];
  /** With `coverage`: which transitions were taken, or could be where a walk has been. */
  readonly coverage?: NonNullable<Exploration['coverage']>;
}

/**
 * Takes random walks through a system that is too large to explore. Each walk draws which faults
 * and commands exist in it, and how likely they, time-outs and single links are; then it takes
 * steps at random. Each visited world is checked, each action that is possible in it, and where a
 * fair run may end, what has not happened. Properties that are not violated stay `incomplete`.
 *
 * @throws {ConclaveError} `bad-topology`; `bad-input` for an unknown or invalid option.
 * @example walk(ricartAgrawala, complete(9), { seed: 1, walks: 100, steps: 1000
 * }).properties.some(({ verdict }) => verdict === 'violated')
 */
export function walk(protocol: Protocol, topology: Topology, options: WalkOptions): Walks {
  const { usage, ...walks } = walkAndUse(protocol, topology, options);
  return options.coverage ? { ...walks, coverage: usage().map(coverageOf) } : walks;
}

/** As {@link walk}, and with what the walks have used. */
function walkAndUse(
  protocol: Protocol,
  topology: Topology,
  options: WalkOptions,
): Walks & { readonly usage: () => readonly RoleUsage[] } {
  checkGiven('walk', { protocol, topology });
  checkOptions('walk', walkOptions, options);
  if (options.properties) checkProperties(protocol, options.properties, topology);
  return withoutChance(() =>
    withFittingTick(timeOf(protocol, options), (time) =>
      walkThrough(new Worlds(protocol, topology, { ...budgetIn(options), time }), options),
    ),
  );
}

function walkThrough(worlds: Worlds, options: WalkOptions): ReturnType<typeof walkAndUse> {
  const { protocol, topology, budget, clockwork } = worlds;
  const { seed } = options;
  const compiled = new CompiledWorlds(worlds);
  const declared = options.properties ?? protocol.properties;
  const { judge, walks, steps, states, isStopped } = new Walker(compiled, declared, options).run();
  const properties = judge.properties.all.map((asked, place) => {
    const { name, kind } = asked;
    const evidence = judge.evidence.get(asked);
    if (!evidence) return { name, kind, verdict: 'incomplete' } as const;
    return {
      name,
      kind,
      verdict: kind === 'sometimes' ? ('reached' as const) : ('violated' as const),
      ...witnessOf(worlds, declared[place] ?? name, evidence),
    };
  });
  return {
    protocol: protocol.name,
    topology: topology.spec,
    seed,
    ...{ walks, steps, states },
    ...(clockwork && { tick: clockwork.tick }),
    ...(isStopped ? { limit: 'interrupted' as const } : {}),
    assumptions: assumptionsOf(protocol, topology, budget),
    properties,
    usage: () => usageOf(compiled),
  };
}

/**
 * What the walks of one seed found, as JSON: other processes and computers walk, too. In place of a
 * trace, its header as a list, and its lines.
 */
export interface SeedWalks extends Omit<Walks, 'properties' | 'coverage'> {
  readonly properties: readonly (Omit<PropertyFinding, 'trace'> & {
    readonly trace?: readonly [header: readonly (readonly [string, string])[], lines: unknown];
  })[];
  readonly usage: readonly RoleUsage[];
}

/** What the walks of several seeds found. */
export interface JoinedWalks extends Omit<Walks, 'seed' | 'properties' | 'tick'> {
  readonly seeds: number;
  /** Distinct worlds that the walks of one seed have visited, at most. */
  readonly states: number;
  /** Each from the first seed that decides it; `tick`: of its worlds. */
  readonly properties: readonly (PropertyFinding & {
    readonly seed?: number;
    readonly tick?: number;
  })[];
}

/** The walks of one seed, which know nothing of those of others. */
export function walksOfSeed(
  protocol: Protocol,
  topology: Topology,
  options: WalkOptions,
): SeedWalks {
  const { usage, properties, ...walks } = walkAndUse(protocol, topology, options);
  return {
    ...walks,
    properties: properties.map(({ trace, ...finding }) =>
      trace ? { ...finding, trace: [[...trace.header], trace.lines] } : finding,
    ),
    usage: usage(),
  };
}

/** What the walks of all these seeds found, in their order; there is one at least. */
export function joinedWalks(parts: readonly [SeedWalks, ...SeedWalks[]]): JoinedWalks {
  const [{ protocol, topology, assumptions, properties }] = parts;
  const total = (of: (part: SeedWalks) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  return {
    ...{ protocol, topology, seeds: parts.length },
    walks: total((part) => part.walks),
    steps: total((part) => part.steps),
    states: Math.max(...parts.map(({ states }) => states)),
    ...(parts.some(({ limit }) => limit) ? { limit: 'interrupted' as const } : {}),
    assumptions,
    properties: properties.map((finding, place) => decided(parts, place) ?? withTrace(finding)),
    coverage: joinedUsage(parts.map(({ usage }) => usage)).map(coverageOf),
  };
}

/** What the first seed has found that decides the property at this place. */
function decided(parts: readonly SeedWalks[], place: number) {
  for (const { properties, seed, tick } of parts) {
    const finding = properties[place];
    if (finding && finding.verdict !== 'incomplete')
      return { ...withTrace(finding), seed, ...(tick === undefined ? {} : { tick }) };
  }
  return undefined;
}

function withTrace({ trace, ...finding }: SeedWalks['properties'][number]): PropertyFinding {
  if (!trace) return finding;
  const [header, lines] = trace;
  type Lines = NonNullable<PropertyFinding['trace']>['lines'];
  // they were those of a trace
  return { ...finding, trace: { header: headerWith(header), lines: lines as Lines } };
}
