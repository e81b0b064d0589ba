/**
 * `explore`, from options to verdicts: which search they ask for, whether it can fit into memory,
 * and what its findings say.
 */

import { checkOptions, freeHeap, megabytes, mostFitting, shown } from '@conclave/core/internal';
import type { Property, Protocol } from '@conclave/core/protocol';
import { ConclaveError, compile, type TimeModel } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { badInput } from '../base/bad-input.js';
import { type Resumable, resumableWithoutChance, runToEnd } from '../base/resumable.js';
import { beginAfter } from '../follow/follow.js';
import { budgetIn, checkGiven, exploreOptions } from '../options/options.js';
import { pageBits } from '../search/kernel/format/search.js';
import { type Limit, LimitReached, Watch } from '../search/limits/limits.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { searchByKernelResumably } from '../search/traversal/kernel-search.js';
import {
  confirmSearch,
  type Search,
  type SearchListener,
  search,
} from '../search/traversal/search.js';
import { coverage } from '../verdicts/coverage.js';
import { deadEndsIn } from '../verdicts/dead-ends.js';
import { diagnose } from '../verdicts/diagnosis.js';
import type { Exploration } from '../verdicts/exploration.js';
import { type Judgement, judgeResumably } from '../verdicts/judge.js';
import { CompiledProperties } from '../verdicts/properties/compiled-properties.js';
import { Reads } from '../verdicts/properties/reads.js';
import type { PropertyFinding } from '../verdicts/property-finding.js';
import { clocksApart } from '../verdicts/shared-clock.js';
import { type Searched, witness } from '../verdicts/witness.js';
import { standardPropertiesOf } from '../worlds/standard-properties.js';
import { timeOf, withFittingTickResumably } from '../worlds/time.js';
import { Worlds } from '../worlds/worlds.js';
import { assumptionsOf, beginAssumed, discardedIn, discardsAssumed } from './assumptions.js';
import type { ExploreOptions } from './options.js';

/**
 * Checks every interleaving of a protocol on a small network, breadth-first. Machines are compiled
 * (see `compile`); before a verdict says `holds`, XState takes every distinct step of every node
 * again, and the result must be the same.
 *
 * @throws {ConclaveError} `bad-topology`; `bad-input` for an unknown or invalid option; `impure`
 * for a machine or property that changes its input, reads a clock, draws a random number or is not
 * deterministic.
 * @example explore(ricartAgrawala, complete(3), { commands: 2 }).properties.every(({ verdict }) =>
 * verdict === 'holds' || verdict === 'reached')
 */
export function explore(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions = {},
): Exploration {
  return runToEnd(exploreResumably(protocol, topology, options));
}

/**
 * The same as resumable work, which yields after some milliseconds where the search is
 * breadth-first. The time while it is held does not count.
 */
export function* exploreResumably(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions = {},
): Resumable<Exploration> {
  checkGiven('explore', { protocol, topology });
  checkOptions('explore', exploreOptions, options);
  if ((options.counterexamples ?? 1) > 1 && options.search === 'depth')
    throw badInput(
      'Several counterexamples need a breadth-first search: runs of the other one are shortened, and may then end in the same states',
      'Leave out one of both options.',
    );
  const watch = new Watch(options.limits);
  requireMemoryFor(topology, watch.allowedMemory);
  try {
    return yield* resumableWithoutChance(() =>
      withFittingTickResumably(timeOf(protocol, options), (time) =>
        exploreWithin(protocol, topology, { ...options, time }, watch),
      ),
    );
  } catch (reached) {
    if (!(reached instanceof LimitReached)) throw reached;
    return unbuiltResult(protocol, topology, options, watch, reached.limit);
  }
}

function* exploreWithin(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions,
  watch: Watch,
): Resumable<Exploration> {
  const worlds = new Worlds(protocol, topology, budgetIn(options), () => watch.look());
  if (options.from) {
    requireNoCount(options.properties ?? protocol.properties);
    beginAfter(worlds, options.from);
  }
  const compiled = new CompiledWorlds(worlds, watch);
  const strategy = new Strategy(compiled, options, watch);
  const { search, evidence, others, judged } = yield* strategy.judgeResumably();
  const { states, transitions, depth, width, complete, limit } = search;
  const discarded = discardedIn(compiled);
  const covered = options.coverage ? coverageInTime(compiled, watch) : undefined;
  const deadEnds = options.coverage && complete ? deadEndsIn(compiled) : undefined;
  watch.end();
  const properties = strategy.properties.all.map((property): PropertyFinding => {
    const { name, kind } = property;
    const decided = evidence.get(property);
    const finding = { name, kind, ...judged(property) };
    if (!decided) return finding;
    const more = others.get(property)?.map((one) => witness(strategy, property, one, search));
    return withClocks(
      {
        ...finding,
        ...witness(strategy, property, decided, search),
        ...(more && { others: more }),
      },
      timeOf(protocol, options),
    );
  });
  return {
    ...{ protocol: protocol.name, topology: topology.spec },
    ...{ states, transitions, depth, width },
    steps: { ...compiled.steps, ...uncompiledIn(protocol) },
    seconds: watch.elapsed,
    complete,
    ...(worlds.clockwork && { tick: worlds.clockwork.tick }),
    assumptions: [
      ...assumptionsOf(protocol, topology, options),
      ...beginAssumed(options.from),
      ...discardsAssumed(discarded),
    ],
    ...(discarded && { discarded }),
    ...(limit ? { limit } : {}),
    properties,
    diagnosis: diagnose(compiled, complete),
    ...(covered ? { coverage: covered } : {}),
    ...(deadEnds && { deadEnds }),
  };
}

/** @throws {ConclaveError} `bad-input` for an `atMost`, where a search does not begin at the start. */
function requireNoCount(properties: readonly Property[]): void {
  const counting = properties.find(({ kind }) => kind === 'atMost');
  if (counting)
    throw badInput(
      `'${counting.name}' counts from the start of a run, and the search begins at the end of one`,
      'Leave it out by properties, or with conclave check by --safety.',
    );
}

/** With the nodes whose timers drift apart in the trace. */
function withClocks(found: PropertyFinding, time: TimeModel): PropertyFinding {
  const { trace } = found;
  const apart = trace && time !== 'untimed' ? clocksApart(trace, time.drift ?? 0) : [];
  return apart.length === 0 ? found : { ...found, clocksApart: apart };
}

function uncompiledIn({ roles }: Protocol): Pick<Exploration['steps'], 'uncompiled'> {
  const reasons = Object.entries(roles).flatMap(([name, { machine }]) => {
    const { uncompiled } = compile(machine);
    return uncompiled === undefined ? [] : [[name, uncompiled] as const];
  });
  return reasons.length === 0 ? {} : { uncompiled: Object.fromEntries(reasons) };
}

/** Undefined if a limit ends it: transitions not yet seen may have been taken. */
function coverageInTime(compiled: CompiledWorlds, watch: Watch): Exploration['coverage'] {
  try {
    return coverage(compiled, watch);
  } catch (reached) {
    if (reached instanceof LimitReached) return undefined;
    throw reached;
  }
}

/** The result if a limit is reached before the initial world is built. */
function unbuiltResult(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions,
  watch: Watch,
  limit: Limit,
): Exploration {
  const { name, properties } = protocol;
  const declared = (options.properties ?? properties).map((property) => ({
    name: property.name,
    kind: property.kind,
  }));
  const standard = standardPropertiesOf(options.unexpected).map((property) => ({
    name: property,
    kind: 'always' as const,
  }));
  return {
    protocol: name,
    topology: topology.spec,
    states: 0,
    transitions: 0,
    depth: 0,
    width: 0,
    steps: { distinct: 0, confirmed: 0 },
    seconds: watch.elapsed,
    complete: false,
    assumptions: assumptionsOf(protocol, topology, options),
    limit,
    properties: [...declared, ...standard].map((property) => ({
      ...property,
      verdict: 'incomplete',
    })),
    diagnosis: { nodes: {}, fields: {}, messages: 0, contents: 0, growing: [] },
  };
}

/** How a system is searched, and what is judged on the result. */
export class Strategy implements Searched {
  readonly properties: CompiledProperties;
  /** Whether the trace to each world is a shortest one: then the kernel searches. */
  readonly yieldsShortestTraces: boolean;

  constructor(
    readonly compiled: CompiledWorlds,
    private readonly options: ExploreOptions,
    private readonly watch: Watch,
  ) {
    this.yieldsShortestTraces = options.search !== 'depth';
    const declared = options.properties ?? compiled.worlds.protocol.properties;
    const reads = this.yieldsShortestTraces ? new Reads() : undefined;
    this.properties = new CompiledProperties(compiled, declared, reads);
  }

  judge(): Judgement {
    return runToEnd(this.judgeResumably());
  }

  /** The same as resumable work, which yields where the kernel searches. */
  judgeResumably(): Resumable<Judgement> {
    const { compiled, properties, watch } = this;
    const { fairness = 'weak', all = true, counterexamples: most = 1, onProgress } = this.options;
    const searched = (graph: boolean, listener: SearchListener) => this.#search(graph, listener);
    return judgeResumably(compiled, properties.declared, {
      ...{ fairness, all, onProgress, watch },
      *search(graph, listener) {
        return confirmSearch(yield* searched(graph, listener), () => compiled.confirm());
      },
      optional: (action) => compiled.isOptional(action),
      faults: properties.faults,
      violatedBy: (error) => properties.violatedBy(error),
      deadlocks: properties.deadlocks,
      ...(most > 1 && { counterexamples: { most, endOf: (vector) => endOf(compiled, vector) } }),
    });
  }

  *#search(graph: boolean, listener: SearchListener): Resumable<Search> {
    const { compiled, watch } = this;
    const { limits = {}, search: order = 'breadth' } = this.options;
    if (!this.yieldsShortestTraces)
      return search(compiled, { limits, watch, order, graph }, listener);
    return yield* searchByKernelResumably(
      compiled,
      { limits, watch, graph },
      listener,
      // it leaves out worlds in which each property is known, which may end differently
      (this.options.counterexamples ?? 1) > 1 ? undefined : this.properties.seen,
    );
  }
}

/** What tells the ends of counterexamples apart: in which states the nodes are. */
const endOf = ({ encoding }: CompiledWorlds, vector: Int32Array): string =>
  JSON.stringify(Object.values(encoding.decode(vector).nodes).map(({ value }) => value));

/**
 * The memory of a node and a link before the first step, in bytes: their machines and tables.
 * Measured on rings and complete networks, rounded up.
 */
const bytesANode = 10_000;
const bytesALink = 2_500;

/**
 * The memory of a system before the first step: tables, and the first page of worlds (one number
 * for each node, each link and the environment).
 */
type Size = { readonly nodes: number; readonly links: number };

const bytesOf = ({ nodes, links }: Size): number =>
  tablesOf({ nodes, links }) + (2 << pageBits) * (nodes + links + 1);
const tablesOf = ({ nodes, links }: Size): number => bytesANode * nodes + bytesALink * links;

/** Smaller systems are always built: the search itself measures their memory. */
const small = 64 * 2 ** 20;

/**
 * @throws {ConclaveError} `bad-topology` for a network whose system takes more than `memory` bytes
 * before the first step, with how many nodes would fit.
 */
function requireMemoryFor({ spec, nodes, links }: Topology, memory: number): void {
  const size = { nodes: nodes.length, links: links.length };
  const allowed = Math.max(small, memory);
  const heap = Math.max(small, freeHeap());
  /** The larger of two shares: of the allowed memory, and of the heap. */
  const share = (fitting: Size) => Math.max(bytesOf(fitting) / allowed, tablesOf(fitting) / heap);
  if (share(size) <= 1) return;
  const tightest =
    bytesOf(size) / allowed === share(size)
      ? `${megabytes(allowed)} are allowed`
      : `the heap has room for ${megabytes(heap)} of it`;
  throw new ConclaveError(
    'bad-topology',
    `To search '${shown(spec)}' takes ${megabytes(bytesOf(size))} before the first step, and ${tightest}`,
    `Of this shape, ${mostFitting(size, share, 1)} nodes would fit; two to six are what can be searched to the end.`,
  );
}
