import { checkCosts } from '../protocol/cost.js';
import { ConclaveError } from '../protocol/error.js';
import type { Property, SystemView, Verdict } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import { traceHeader } from '../trace/recording.js';
import type { Trace } from '../trace/trace.js';
import type { Budget } from './budget.js';
import { CompiledWorlds } from './compiled.js';
import { CompiledView } from './compiled-view.js';
import { tallyOf } from './cost.js';
import { coverage, type RoleCoverage } from './coverage.js';
import { type Diagnosis, diagnose } from './diagnosis.js';
import { type Claim, type Evidence, type Judgement, judge } from './judge.js';
import type { Fairness } from './liveness.js';
import { Quotient } from './quotient.js';
import { type RunLines, runLines } from './run-lines.js';
import { searchInParallel } from './parallel/search.js';
import { type Limit, type Limits, type Search, type SearchOptions, search } from './search.js';
import { OrderReduction } from './order-reduction.js';
import { Reads, WatchedView } from './reads.js';
import { pathTo } from './visited.js';
import { type World, Worlds } from './world.js';

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
   * with a probability that {@link Exploration.omission} bounds, and runs (`eventually`, `leadsTo`, `atMost`) are not judged. Breadth-first
   * only.
   */
  readonly visited?: SearchOptions['memory'];
  /** How many threads search, on Node; breadth-first, and exactly. Default 1. */
  readonly workers?: number;
  /**
   * What the search may leave out. `symmetry`: worlds that differ only by a symmetry which the protocol declares. `order`: worlds that differ
   * only in the order of independent steps, as far as the properties look; nothing where they look at messages in flight, in bounded time, or
   * while the environment may still do more than wish. `all`: both. Runs (`eventually`, `leadsTo`, `atMost`) are not judged then. Default `none`.
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

export interface PropertyFinding {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly verdict: Verdict;
  /** A shortest run that violates it, or (`sometimes`) reaches it. */
  readonly trace?: Trace;
  /**
   * For a violated `leadsTo` or `eventually`: the line, from 0, from which on the trace repeats; its length where it comes to rest. For a
   * violated `atMost`: the same, where messages are sent for ever.
   */
  readonly loopsFrom?: number;
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

const handled = 'every message is handled or explicitly ignored';
const noDeadlock = 'nobody waits when nothing can happen any more';

/** What every protocol is checked for besides its own properties: messages that no state handles, and deadlock. */
export const standardProperties: readonly string[] = [handled, noDeadlock];

/**
 * Looks at every interleaving of a protocol on a small network, breadth-first.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input`.
 * @example explore(ricartAgrawala, complete(3), { wishes: 2 }).properties.every(({ verdict }) => verdict === 'holds' || verdict === 'reached')
 */
export function explore(protocol: Protocol, topology: Topology, options: ExploreOptions = {}): Exploration {
  return new Explorer(new CompiledWorlds(new Worlds(protocol, topology, options)), options).run();
}

class Explorer {
  readonly #view: CompiledView;
  /** Notes what the properties look at, where it matters. */
  readonly #watched: WatchedView | undefined;
  readonly #claims: readonly Claim[];
  readonly #rules: Claim = { name: handled, kind: 'always', holds: () => true };
  readonly #rest: Claim;
  readonly #reduction: OrderReduction | undefined;
  readonly #quotient: Quotient | undefined;

  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly options: ExploreOptions,
  ) {
    const view = new CompiledView(compiled);
    this.#view = view;
    const { reduce, normalise } = options;
    const symmetry = reduce === 'symmetry' || (reduce === 'all' && compiled.worlds.protocol.symmetry !== undefined);
    if (reduce === 'order' || reduce === 'all') {
      const reads = new Reads();
      this.#watched = new WatchedView(view, reads);
      this.#reduction = new OrderReduction(compiled, reads, !symmetry && !normalise && !options.coverage);
    }
    // Worlds at rest are never left out: what is asked of them need not be noted.
    this.#rest = { name: noDeadlock, kind: 'always', holds: (vector) => view.at(vector).count('waiting') === 0 };
    const { protocol } = compiled.worlds;
    const { properties = protocol.properties } = options;
    checkCosts(protocol, properties);
    this.#claims = properties.map((property) => this.#claim(property));
    if (symmetry || normalise) this.#quotient = new Quotient(compiled, this.#reduction ?? compiled, { symmetry, normalise, claims: [...this.#claims, this.#rest] });
  }

  run(): Exploration {
    const { fairness = 'weak', limits = {}, search: order = 'breadth', visited: memory = 'exact', workers = 1, all = true, onProgress } = this.options;
    if (memory === 'compact' && order === 'depth')
      throw new ConclaveError('bad-input', 'A compact search goes breadth-first only', "Leave out search: 'depth', or visited: 'compact'.");
    if (!Number.isInteger(workers) || workers < 1)
      throw new ConclaveError('bad-input', `${workers} is no number of workers`, 'Give a whole number, 1 or more.');
    if (workers > 1 && (memory === 'compact' || order === 'depth'))
      throw new ConclaveError('bad-input', 'Several workers search breadth-first and exactly', "Leave out search: 'depth' and visited: 'compact', or the workers.");
    const optional = (action: number) => this.compiled.isWish(action);
    const reduction = this.#reduction;
    const system = this.#quotient ?? reduction ?? this.compiled;
    if (workers > 1 && system !== this.compiled)
      throw new ConclaveError('bad-input', 'Several workers search without reductions', 'Leave out reduce and normalise, or the workers.');
    const judged = () =>
      judge(system, this.#claims, {
        fairness,
        search: (graph, listener) =>
          workers > 1
            ? searchInParallel(this.compiled, workers, { limits, graph }, listener)
            : search(system, { limits, order, memory, graph }, listener),
        runs: memory === 'exact' && system === this.compiled,
        all,
        optional,
        rules: this.#rules,
        rest: this.#rest,
        vain: reduction && (() => reduction.isVain),
        onProgress,
      });
    const judgement = reduction ? reduction.settle(judged) : judged();
    const { protocol, topology } = this.compiled.worlds;
    const { states, transitions, depth, width, seconds, complete, limit, omission } = judgement.search;
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
      ...(limit ? { limit } : {}),
      properties: [...this.#claims, this.#rules, this.#rest].map((claim) => this.#finding(claim, judgement)),
      diagnosis: diagnose(this.compiled, complete),
      ...(this.options.coverage ? { coverage: coverage(this.compiled) } : {}),
    };
  }

  #claim(property: Property): Claim {
    const { name, kind } = property;
    if (property.kind === 'atMost') return { name, kind, holds: () => true, tally: tallyOf(this.compiled, property) };
    if (property.kind !== 'leadsTo') return { name, kind, holds: (vector) => property.holds(this.#look(vector)) };
    const cases = this.compiled.worlds.topology.nodes.map((_, node) => {
      const nodeAt = (vector: Int32Array) => this.#view.at(vector).nodeAt(node);
      const paid = (vector: Int32Array) => nodeAt(vector).crashed || property.then(nodeAt(vector));
      return { paid, owes: (vector: Int32Array) => !paid(vector) && property.holds(nodeAt(vector)) };
    });
    return { name, kind, holds: () => true, cases };
  }

  #look(vector: Int32Array): SystemView {
    const view = this.#view.at(vector);
    return this.#watched ?? view;
  }

  #finding(claim: Claim, { evidence, verdict, search }: Judgement): PropertyFinding {
    const { name, kind } = claim;
    const decided = evidence.get(claim);
    return { name, kind, verdict: verdict(claim), ...(decided ? this.#witness(decided, search) : {}) };
  }

  #witness({ world, onward = [], fault, run }: Evidence, { store, graph }: Search): Pick<PropertyFinding, 'trace' | 'loopsFrom'> {
    const { worlds } = this.compiled;
    const header = new Map(traceHeader(worlds.protocol, worlds.topology));
    header.set('channels', `order ${worlds.order}`);
    const path = pathTo(store, world).actions;
    const real = this.#quotient?.realRun(path);
    if (fault) header.set('fault', (real?.error ?? fault.error).message);
    const way = [...(real?.actions ?? path)];
    if (graph) for (const edge of onward) way.push(graph.action(edge));
    if (!run || !graph) return { trace: { header, lines: this.#lines(way).lines } };
    const { approach, edges } = run;
    // A loop that begins amid choices is told from where they are answered, and once around.
    const settled = [run.entry, ...edges.map((edge) => graph.target(edge))].findIndex((at) => this.#isSettled(at, store));
    for (const edge of [...approach, ...edges, ...edges.slice(0, Math.max(0, settled))]) way.push(graph.action(edge));
    const { lines, places } = this.#lines(way);
    return { trace: { header, lines }, loopsFrom: places[way.length - edges.length] ?? lines.length };
  }

  #lines(actions: readonly number[]): RunLines {
    return runLines(
      this.compiled.worlds,
      actions.map((action) => this.compiled.actionOf(action)),
    );
  }

  #isSettled(world: number, store: Search['store']): boolean {
    const vector = new Int32Array(this.compiled.width);
    store.read(world, vector);
    return this.compiled.decode(vector).choosing.length === 0;
  }
}
