import { ConclaveError } from '../../base/error.js';
import { budgetIn, expectedOptions } from '../../options/exploration.js';
import { checkGiven } from '../../options/shapes.js';
import { answerOf } from '../../protocol/answer.js';
import type { SystemView } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import { withoutChance } from '../../protocol/purity.js';
import { checkOptions } from '../../schema/check.js';
import type { Topology } from '../../topology/topology.js';
import { assumptionsOf } from '../explore/assumptions.js';
import { discardedIn, discardsAssumed } from '../explore/discarded.js';
import type { Exploration } from '../explore/explore.js';
import type { Limit, Limits } from '../search/limits/limits.js';
import { LimitReached, Watch } from '../search/limits/watch.js';
import { CompiledView } from '../search/tables/compiled-view.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { confirmSearch } from '../search/traversal/confirm-search.js';
import { searchByKernel } from '../search/traversal/kernel-search.js';
import type { Search } from '../search/traversal/search.js';
import type { PropertyFinding } from '../verdicts/property-finding.js';
import { loopingRun } from '../verdicts/witness/looping-run.js';
import type { Budget } from '../worlds/budget.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import { Worlds } from '../worlds/worlds.js';
import { type Cost, costsOf, nameOf } from './costs.js';
import { endsOf, type Figures, figuresOf } from './figures.js';
import { type GraphFormat, type GraphTexts, graphTexts } from './graph-texts.js';
import { processOf } from './process-of.js';

export interface ExpectedOptions extends Budget {
  /**
   * What a run costs. Default `messages`.
   *
   * @example cost: ({ cause }) => (cause.kind === 'choice' ? 1 : 0)
   */
  readonly cost?: Cost;
  /** The states to reach. Default: those in which nothing can happen any more. */
  readonly until?: (system: SystemView) => boolean;
  /** Asks for the probability, too, that they are reached for no more than this. */
  readonly within?: number;
  /** Returns the explored graph, too, in the format of another model checker, Storm or PRISM. */
  readonly graph?: GraphFormat;
  readonly limits?: Limits;
  /** Called from time to time. */
  readonly onProgress?: (states: number, transitions: number, depth: number) => void;
}

/** A run that never reaches the goal; see {@link PropertyFinding} for the fields. */
export type EndlessRun = Required<
  Pick<PropertyFinding, 'trace' | 'loopsFrom' | 'steps' | 'loopsFromStep'>
>;

/** What runs of a system cost, exactly. */
export interface Expectation extends Partial<Figures<EndlessRun>> {
  readonly protocol: string;
  readonly topology: string;
  readonly cost: string;
  readonly states: number;
  readonly transitions: number;
  /** How many states draw at random. Absent after an incomplete search. */
  readonly draws?: number;
  readonly seconds: number;
  /** In exact time: the step of time in milliseconds. */
  readonly tick?: number;
  /** What the figures assume. */
  readonly assumptions: readonly string[];
  /** Whether every reachable state was looked at; if not, there are no figures. */
  readonly complete: boolean;
  readonly limit?: NonNullable<Exploration['limit']>;
  /** Where `graph` asks for it and there are figures: the texts of its files, by their ending. */
  readonly graph?: GraphTexts;
}

/**
 * What runs of a protocol cost on a small network: the least and the greatest expectation over all
 * schedulers, and the least and the greatest probability that a run gets to its end, or to `until`.
 * A scheduler decides what happens next; only draws are random. The explored worlds are a Markov
 * decision process (de Alfaro, 1997), and its values are fractions that were proved, or intervals.
 *
 * @throws {ConclaveError} as `explore`; `bad-input` for a cost that the protocol does not have, and
 * `bad-protocol` or `unhandled` for a step that fails.
 * @example expected(itaiRodeh(), ring(3), { cost: 'draws' }).expectation?.greatest
 */
export function expected(
  protocol: Protocol,
  topology: Topology,
  options: ExpectedOptions = {},
): Expectation {
  checkGiven('expected', { protocol, topology });
  checkOptions('expected', expectedOptions, options);
  const watch = new Watch(options.limits);
  return withoutChance(() =>
    withFittingTick(timeOf(protocol, options), (time) =>
      new ExpectedCosts(protocol, topology, { ...options, time }, watch).result(),
    ),
  );
}

const unexplored = { states: 0, transitions: 0, complete: false } as const;

class ExpectedCosts {
  #search: Pick<Search, 'states' | 'transitions' | 'complete' | 'limit'> = unexplored;
  #draws: number | undefined;
  #tick: number | undefined;
  #graph: GraphTexts | undefined;
  #discards: readonly string[] = [];

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    private readonly options: ExpectedOptions,
    private readonly watch: Watch,
  ) {}

  result(): Expectation {
    let figures: Figures<EndlessRun> | undefined;
    let { limit }: { limit?: Limit | undefined } = {};
    try {
      figures = this.#figures();
      limit = this.#search.limit;
    } catch (reached) {
      if (!(reached instanceof LimitReached)) throw reached;
      limit = reached.limit;
    }
    this.watch.end();
    const { protocol, topology, options } = this;
    const { states, transitions } = this.#search;
    return {
      ...{ protocol: protocol.name, topology: topology.spec, cost: nameOf(options.cost ?? usual) },
      ...{ states, transitions, seconds: this.watch.elapsed },
      ...(this.#draws !== undefined && { draws: this.#draws }),
      ...(this.#tick !== undefined && { tick: this.#tick }),
      assumptions: [...this.#assumptions()],
      complete: figures !== undefined,
      ...(limit && { limit }),
      ...(figures && this.#graph && { graph: this.#graph }),
      ...figures,
    };
  }

  /** Undefined after an incomplete search. */
  #figures(): Figures<EndlessRun> | undefined {
    const { protocol, topology, options, watch } = this;
    const { cost = usual, within, until, graph: format } = options;
    const budget = { ...budgetIn(options), atomicSteps: true };
    const worlds = new Worlds(protocol, topology, budget, () => watch.look());
    this.#tick = worlds.clockwork?.tick;
    const compiled = new CompiledWorlds(worlds, watch);
    const search = this.#searched(compiled);
    this.#discards = discardsAssumed(discardedIn(compiled));
    const { graph, store } = search;
    if (!search.complete || !graph) return undefined;
    graph.watch = watch;
    const costs = costsOf(compiled, cost);
    const explored = { store, graph, width: compiled.width };
    const process = processOf(explored, {
      weights: (vector) => compiled.weights(vector),
      cost: (vector, action) => costs.of(vector, action),
      starts: 1,
    });
    this.#draws = process.draws;
    const goal = until ? goalOf(compiled, search, until) : endsOf(process);
    const asked = { goal, watch, before: costs.starts, unit: costs.unit };
    this.#graph = format && graphTexts(format, { ...asked, process, cost: nameOf(cost) });
    return figuresOf(process, {
      ...{ ...asked, within },
      runOf: (actions, loopsFrom) => loopingRun(compiled, actions, loopsFrom),
    });
  }

  #searched(compiled: CompiledWorlds): Search {
    const { watch } = this;
    const { limits = {}, onProgress = () => {} } = this.options;
    const listener = {
      found: () => true,
      ended: (_: number, vector: Int32Array) => {
        if (compiled.time?.runs(vector)) throw compiled.time.stopped(vector);
        return true;
      },
      fault: (_: number, __: number, error: ConclaveError) => {
        const { code, what } = error;
        throw new ConclaveError(code, what, 'Run conclave check first: a step fails.', {
          cause: error,
        });
      },
      progress: onProgress,
    };
    const search = confirmSearch(
      searchByKernel(compiled, { limits, watch, graph: true }, listener),
      () => compiled.confirm(),
    );
    this.#search = search;
    return search;
  }

  *#assumptions(): Generator<string> {
    const { protocol, topology, options } = this;
    const { crashes = 0, atomicSteps, until } = options;
    yield 'that whoever decides what happens next may do as it likes, also be unfair; only draws are random';
    const isOptional = Object.values(protocol.commands).some(({ kind }) => kind === 'optional');
    if (isOptional && !until && (options.commands ?? 1) > 0)
      yield 'that every optional command is given before the run ends';
    if (crashes > 0 && !atomicSteps)
      yield 'that nodes crash between steps only, not while they send';
    yield* assumptionsOf(protocol, topology, options);
    yield* this.#discards;
  }
}

const usual = 'messages';

function goalOf(
  compiled: CompiledWorlds,
  { store, graph }: Search,
  until: (system: SystemView) => boolean,
): Uint8Array {
  const view = new CompiledView(compiled);
  const goal = new Uint8Array(store.size);
  const vector = new Int32Array(compiled.width);
  const property = { name: 'until' };
  for (let world = 0; world < store.size; world++) {
    graph?.watch?.tick();
    store.read(world, vector);
    goal[world] = answerOf(property, until, view.at(vector).once()) ? 1 : 0;
  }
  return goal;
}
