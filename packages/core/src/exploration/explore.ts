import { checkOptions } from '../options/check.js';
import { budgetIn, exploreOptions } from '../options/exploration.js';
import { checkGiven } from '../options/shapes.js';
import type { Property, Verdict } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { withoutChance } from '../protocol/purity.js';
import type { Topology } from '../topology/topology.js';
import { assumptionsOf } from './assumptions.js';
import { CompiledWorlds } from './compiled/compiled.js';
import { coverage, type RoleCoverage } from './report/coverage.js';
import { type Diagnosis, diagnose } from './report/diagnosis.js';
import { requireRoomFor } from './search/room.js';
import type { Limit, Limits, SearchOptions } from './search/search.js';
import { LimitReached, Watch } from './search/watch.js';
import { Strategy } from './strategy.js';
import { standardProperties } from './verdicts/claims.js';
import type { Fairness } from './verdicts/liveness.js';
import { type Witness, witness } from './verdicts/witness.js';
import type { Budget } from './worlds/budget.js';
import { type World, Worlds } from './worlds/world.js';

export interface ExploreOptions extends Budget {
  /** Default: the protocol's, and those that every protocol is checked for ({@link standardProperties}). */
  readonly properties?: readonly Property[];
  /** What every run is granted. Default `weak`. */
  readonly fairness?: Fairness;
  readonly limits?: Limits;
  /** Default `breadth`: every trace to a single world is a shortest one. `depth` finds deep worlds sooner, by long ways. */
  readonly search?: SearchOptions['order'];
  /**
   * How worlds are told apart. Default `exact`. `compact` keeps 64 bits of hash for each, for systems beyond memory: then some may be overlooked,
   * with a probability that {@link Exploration.omission} bounds, and runs (all but `always`, `never`, `sometimes`) are not judged. Breadth-first
   * only.
   */
  readonly visited?: SearchOptions['memory'];
  /** With `visited: 'compact'`: the hash functions are drawn from it, a whole number from 0 to 2⁵³ − 1. Default: a fresh one, see {@link Exploration.seed}. */
  readonly seed?: number;
  /** How many threads search, on Node; breadth-first, and exactly; as many as the machine has cores, at most. Default 1. */
  readonly workers?: number;
  /**
   * What the search may leave out. `symmetry`: worlds that differ only by a symmetry which the protocol declares; it is checked, and properties may
   * still name nodes (docs/decisions/8). `order`: worlds that differ
   * only in the order of independent steps, as far as the properties look; nothing where they look at messages in flight, in bounded time, or
   * while the environment may still do more than wish. `all`: both; with a symmetry or `normalise` it leaves out fewer orders, so that where the
   * symmetry makes few worlds the same, `order` alone may leave less. Runs are not judged then, either. Default `none`.
   */
  readonly reduce?: 'none' | 'symmetry' | 'order' | 'all';
  /**
   * Worlds that it makes the same are taken for the same, so that a counter which grows for ever need not make endless worlds. It must not
   * change what can happen next, which is checked for sampled worlds. Runs are not judged.
   *
   * @example normalise: (world) => withClocksLowered(world)
   */
  readonly normalise?: (world: World) => World;
  /** Go on after the first violation, so that every property gets its verdict. Default true. */
  readonly all?: boolean;
  /** Whether to tell which transitions were taken; takes some seconds for large systems. Default false. */
  readonly coverage?: boolean;
  /** Called now and then. */
  readonly onProgress?: (states: number, transitions: number, depth: number) => void;
}

export interface PropertyFinding extends Partial<Witness> {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly verdict: Verdict;
  /** Why it may have had nothing to look at, if the property says so and it had nothing. */
  readonly vacuous?: string;
}

/** What an exploration found. */
export interface Exploration {
  readonly protocol: string;
  readonly topology: string;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** The most worlds that were found and not yet expanded. */
  readonly width: number;
  /** From the beginning to the last verdict: building, searching, judging, making traces, coverage. */
  readonly seconds: number;
  /** With `visited: 'compact'`: a bound on the probability, over the draw of the hash functions, that some world was overlooked. */
  readonly omission?: number;
  /** With `visited: 'compact'`: the seed of its hash functions, with which it can be repeated. */
  readonly seed?: number;
  /** What the verdicts rest on beyond what was looked at; empty for a complete search in which nothing fails. */
  readonly assumptions: readonly string[];
  /** Whether every reachable world was looked at; if not, nothing is said to hold. */
  readonly complete: boolean;
  /** The limit that made it incomplete; in a complete one, the limit that left claims about runs open, which take time and memory of their own. */
  readonly limit?: Limit;
  readonly properties: readonly PropertyFinding[];
  /** What multiplies the worlds. */
  readonly diagnosis: Diagnosis;
  /** With `coverage`, and where no limit was reached meanwhile: which transitions of the machines were taken. */
  readonly coverage?: readonly RoleCoverage[];
}

/**
 * Looks at every interleaving of a protocol on a small network, breadth-first. Before it says that something holds, it takes every distinct step of
 * every node once more.
 *
 * @throws {ConclaveError} `bad-topology`; `bad-input` for an unknown option, or one that cannot be; `impure` for a machine or property that changes
 * what it is given, asks a clock or chance, or does not do the same each time.
 * @example explore(ricartAgrawala, complete(3), { wishes: 2 }).properties.every(({ verdict }) => verdict === 'holds' || verdict === 'reached')
 */
export function explore(protocol: Protocol, topology: Topology, options: ExploreOptions = {}): Exploration {
  checkGiven('explore', { protocol, topology });
  checkOptions('explore', exploreOptions, options);
  const watch = new Watch(options.limits);
  requireRoomFor(topology, watch.room);
  try {
    return withoutChance(() => explored(protocol, topology, options, watch));
  } catch (reached) {
    if (!(reached instanceof LimitReached)) throw reached;
    return unbuilt(protocol, topology, options, watch, reached.limit);
  }
}

function explored(protocol: Protocol, topology: Topology, options: ExploreOptions, watch: Watch): Exploration {
  const compiled = new CompiledWorlds(new Worlds(protocol, topology, budgetIn(options), () => watch.look()), watch);
  const strategy = new Strategy(compiled, options, watch);
  const { search, evidence, verdict } = strategy.judge();
  const { states, transitions, depth, width, complete, limit, omission } = search;
  const covered = options.coverage ? coverageInTime(compiled, watch) : undefined;
  watch.end();
  const properties = strategy.claims.all.map((claim) => {
    const { name, kind } = claim;
    const decided = evidence.get(claim);
    const found = { name, kind, verdict: verdict(claim) };
    if (decided) return { ...found, ...witness(compiled, strategy, claim, decided, search) };
    const isExpected = claim.vacuous !== undefined && found.verdict === 'holds' && claim.isVacuous?.(search.store);
    return isExpected ? { ...found, vacuous: claim.vacuous } : found;
  });
  return {
    protocol: protocol.name,
    topology: topology.spec,
    states,
    transitions,
    depth,
    width,
    seconds: watch.elapsed,
    complete,
    ...(omission === undefined ? {} : { omission }),
    ...(strategy.seed === undefined ? {} : { seed: strategy.seed }),
    assumptions: [
      ...assumptionsOf(protocol, topology, options),
      ...(strategy.quotient?.assumptions ?? []),
      ...(omission === undefined
        ? []
        : [`that no two states share their hash, but for a probability of at most ${omission.toExponential(1)}`]),
    ],
    ...(limit ? { limit } : {}),
    properties,
    diagnosis: diagnose(compiled, complete),
    ...(covered ? { coverage: covered } : {}),
  };
}

/** Undefined where a limit ends it: what was not taken by then may yet have been. */
function coverageInTime(compiled: CompiledWorlds, watch: Watch): readonly RoleCoverage[] | undefined {
  try {
    return coverage(compiled, watch);
  } catch (reached) {
    if (reached instanceof LimitReached) return undefined;
    throw reached;
  }
}

/** What is known of a system where a limit was reached before its first world. */
function unbuilt(protocol: Protocol, topology: Topology, options: ExploreOptions, watch: Watch, limit: Limit): Exploration {
  const { name, properties } = protocol;
  const own = (options.properties ?? properties).map((property) => ({ name: property.name, kind: property.kind }));
  const standard = standardProperties.map((property) => ({ name: property, kind: 'always' as const }));
  return {
    protocol: name,
    topology: topology.spec,
    states: 0,
    transitions: 0,
    depth: 0,
    width: 0,
    seconds: watch.elapsed,
    complete: false,
    assumptions: assumptionsOf(protocol, topology, options),
    limit,
    properties: [...own, ...standard].map((property) => ({ ...property, verdict: 'incomplete' })),
    diagnosis: { nodes: {}, fields: {}, messages: 0, contents: 0, growing: [] },
  };
}
