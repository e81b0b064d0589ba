import type { Property, Verdict } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { withoutChance } from '../protocol/purity.js';
import type { Topology } from '../topology/topology.js';
import { assumptionsOf } from './assumptions.js';
import { CompiledWorlds } from './compiled/compiled.js';
import { coverage, type RoleCoverage } from './report/coverage.js';
import { type Diagnosis, diagnose } from './report/diagnosis.js';
import type { Limit, Limits, SearchOptions } from './search/search.js';
import { Strategy } from './strategy.js';
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
  /** Default `breadth`: every trace is a shortest one. `depth` finds deep worlds sooner, by long ways. */
  readonly search?: SearchOptions['order'];
  /**
   * How worlds are told apart. Default `exact`. `compact` keeps 64 bits of hash for each, for systems beyond memory: then some may be overlooked,
   * with a probability that {@link Exploration.omission} bounds, and runs (all but `always`, `never`, `sometimes`) are not judged. Breadth-first
   * only.
   */
  readonly visited?: SearchOptions['memory'];
  /** How many threads search, on Node; breadth-first, and exactly. Default 1. */
  readonly workers?: number;
  /**
   * What the search may leave out. `symmetry`: worlds that differ only by a symmetry which the protocol declares. `order`: worlds that differ
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
  readonly seconds: number;
  /** With `visited: 'compact'`: a bound on the probability that some world was overlooked. */
  readonly omission?: number;
  /** What the verdicts rest on beyond what was looked at; empty for a complete search in which nothing fails. */
  readonly assumptions: readonly string[];
  /** Whether every reachable world was looked at; if not, nothing is said to hold. */
  readonly complete: boolean;
  /** The limit that made it incomplete. */
  readonly limit?: Limit;
  readonly properties: readonly PropertyFinding[];
  /** What multiplies the worlds. */
  readonly diagnosis: Diagnosis;
  /** With `coverage`: which transitions of the machines were taken. */
  readonly coverage?: readonly RoleCoverage[];
}

/**
 * Looks at every interleaving of a protocol on a small network, breadth-first. Before it says that something holds, it takes every distinct step of
 * every node once more.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input`; `impure` for a machine or property that changes what it is given, asks a clock or chance, or
 * does not do the same each time.
 * @example explore(ricartAgrawala, complete(3), { wishes: 2 }).properties.every(({ verdict }) => verdict === 'holds' || verdict === 'reached')
 */
export function explore(protocol: Protocol, topology: Topology, options: ExploreOptions = {}): Exploration {
  return withoutChance(() => explored(protocol, topology, options));
}

function explored(protocol: Protocol, topology: Topology, options: ExploreOptions): Exploration {
  const compiled = new CompiledWorlds(new Worlds(protocol, topology, options));
  const strategy = new Strategy(compiled, options);
  const { search, evidence, verdict } = strategy.judge();
  if (search.complete) compiled.confirm();
  const { states, transitions, depth, width, seconds, complete, limit, omission } = search;
  return {
    protocol: protocol.name,
    topology: topology.spec,
    states,
    transitions,
    depth,
    width,
    seconds,
    complete,
    ...(omission === undefined ? {} : { omission }),
    assumptions: [
      ...assumptionsOf(protocol, topology, options),
      ...(strategy.quotient?.trusts ?? []),
      ...(omission === undefined
        ? []
        : [`that no two states share their hash, but for a probability of at most ${omission.toExponential(1)}`]),
    ],
    ...(limit ? { limit } : {}),
    properties: strategy.claims.all.map((claim) => {
      const { name, kind } = claim;
      const decided = evidence.get(claim);
      const found = { name, kind, verdict: verdict(claim) };
      if (decided) return { ...found, ...witness(compiled, strategy, claim, decided, search) };
      const isExpected = claim.vacuous !== undefined && found.verdict === 'holds' && claim.isVacuous?.(search.store);
      return isExpected ? { ...found, vacuous: claim.vacuous } : found;
    }),
    diagnosis: diagnose(compiled, complete),
    ...(options.coverage ? { coverage: coverage(compiled) } : {}),
  };
}
