import { budgetIn, walkOptions } from '../../options/exploration.js';
import { checkGiven } from '../../options/shapes.js';
import { checkProperties } from '../../protocol/check-properties.js';
import type { Protocol } from '../../protocol/protocol.js';
import { withoutChance } from '../../protocol/purity.js';
import { checkOptions } from '../../schema/check.js';
import type { Topology } from '../../topology/topology.js';
import { assumptionsOf } from '../explore/assumptions.js';
import type { WalkOptions } from '../explore/options.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { PropertyFinding } from '../verdicts/property-finding.js';
import { usageOf } from '../verdicts/report/coverage.js';
import { coverageOf, type RoleCoverage, type RoleUsage } from '../verdicts/report/role-usage.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import { Worlds } from '../worlds/worlds.js';
import { shrunkByTables } from './compiled-runs.js';
import { GuidedWalks } from './guided-walks.js';
import { Walker } from './walker.js';
import { witnessOf } from './witness-of.js';

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
  readonly coverage?: readonly RoleCoverage[];
}

/**
 * Takes walks through a system that is too large to explore. They are led by what none of them has
 * seen: transitions, pairs of state and message, results of guards, and larger numbers and
 * collections in contexts. A walk begins with a run that has shown something new, changed a little,
 * and prefers what is rare; each draws which faults and commands exist at all. Each step is
 * checked, each visited world and each action in it, and where a fair run may end, what has not
 * happened. Properties that are not violated stay `incomplete`.
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
export function walkAndUse(
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
  const { seed, onProgress } = options;
  const compiled = new CompiledWorlds(worlds);
  const declared = options.properties ?? protocol.properties;
  const walker = new Walker(compiled, declared);
  const guided = new GuidedWalks([walker], {
    ...options,
    onProgress: (walks, steps) => onProgress?.(walks, steps, walker.states),
  });
  guided.run();
  const properties = walker.questions.properties.all.map(({ name, kind }, place) => {
    const evidence = guided.evidence.get(place);
    if (!evidence) return { name, kind, verdict: 'incomplete' } as const;
    const property = declared[place];
    const short = shrunkByTables(
      compiled,
      walker.questions.properties,
      { place, property },
      evidence,
    );
    return {
      name,
      kind,
      verdict: kind === 'sometimes' ? ('reached' as const) : ('violated' as const),
      ...witnessOf(worlds, property ?? name, { ...evidence, run: short }),
    };
  });
  return {
    protocol: protocol.name,
    topology: topology.spec,
    seed,
    walks: guided.walks,
    steps: guided.steps,
    states: walker.states,
    ...(clockwork && { tick: clockwork.tick }),
    ...(guided.isStopped ? { limit: 'interrupted' as const } : {}),
    assumptions: assumptionsOf(protocol, topology, budget),
    properties,
    usage: () => usageOf(compiled),
  };
}
