import { amountFrom, answerOf, checkOptions } from '@conclave/core/internal';
import type { NodeStep, Protocol, SystemView } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { badInput } from '../base/bad-input.js';
import { withoutChance } from '../base/resumable.js';
import { assumptionsOf, discardedIn, discardsAssumed } from '../explore/assumptions.js';
import { budgetIn, checkGiven, expectedOptions } from '../options/options.js';
import { type Limit, LimitReached, type Limits, Watch } from '../search/limits/limits.js';
import { CompiledView } from '../search/tables/compiled-view.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { PairTable } from '../search/tables/interner.js';
import type { DistinctStep } from '../search/tables/local-steps.js';
import { searchByKernel } from '../search/traversal/kernel-search.js';
import { confirmSearch, type Search } from '../search/traversal/search.js';
import { stepView } from '../verdicts/properties/step-violation.js';
import { loopingRun } from '../verdicts/witness.js';
import type { Budget } from '../worlds/budget.js';
import { usualCommands } from '../worlds/commands.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import { actorOf, type HostEffect, isStep } from '../worlds/world.js';
import { Worlds } from '../worlds/worlds.js';
import {
  type EndlessRun,
  type Expectation,
  endsOf,
  type Figures,
  figuresOf,
  processOf,
} from './figures.js';
import { type GraphTexts, graphTexts } from './graph-texts.js';

export interface ExpectedOptions extends Budget {
  /**
   * What a run costs: the number of its messages, of its steps, its time in milliseconds, one of the
   * protocol's rewards or the number of messages of one type, by name; or what a function says of
   * each step of a node, a whole number. Default `messages`.
   *
   * @example cost: ({ cause }) => (cause.kind === 'choice' ? 1 : 0)
   */
  readonly cost?: string | ((step: NodeStep) => number);
  /** The states to reach. Default: those in which nothing can happen any more. */
  readonly until?: (system: SystemView) => boolean;
  /** Asks for the probability, too, that they are reached for no more than this. */
  readonly within?: number;
  /** Returns the explored graph, too, in the format of another model checker, Storm or PRISM. */
  readonly graph?: 'drn' | 'prism';
  readonly limits?: Limits;
  /** Called from time to time. */
  readonly onProgress?: (states: number, transitions: number, depth: number) => void;
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
  if ((options.commands ?? usualCommands(protocol)) === 'unlimited' && !options.until)
    throw badInput(
      'expected: commands are unlimited, so no run ends',
      'Give their number, or until.',
    );
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
      ...{ protocol: protocol.name, topology: topology.spec },
      cost: nameOf(options.cost ?? defaultCost),
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
    const { cost = defaultCost, within, until, graph: format } = options;
    const budget = { ...budgetIn(options), atomicSteps: true };
    const worlds = new Worlds(protocol, topology, budget, () => watch.look());
    this.#tick = worlds.clockwork?.tick;
    const compiled = new CompiledWorlds(worlds, watch);
    const search = this.#explore(compiled);
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
    const question = { goal, watch, before: costs.starts, unit: costs.unit };
    this.#graph = format && graphTexts(format, { ...question, process, cost: nameOf(cost) });
    return figuresOf(process, {
      ...{ ...question, within },
      runOf: (actions, loopsFrom) => loopingRun(compiled, actions, loopsFrom),
    });
  }

  #explore(compiled: CompiledWorlds): Search {
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
    if (isOptional && !until && options.commands !== 0)
      yield 'that every optional command is given before the run ends';
    if (crashes > 0 && !atomicSteps)
      yield 'that nodes crash between steps only, not while they send';
    yield* assumptionsOf(protocol, topology, options);
    yield* this.#discards;
  }
}

const defaultCost = 'messages';

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

type Cost = NonNullable<ExpectedOptions['cost']>;

/** What the steps of a system cost, in whole units. */
interface Costs {
  /** What the starts of the nodes cost. */
  readonly starts: number;
  /** So many units are one of what was asked for. */
  readonly unit: number;
  /** The cost of an action in a world. */
  of(vector: Int32Array, action: number): number;
}

/** @throws {ConclaveError} `bad-input` for a cost that this system does not have. */
function costsOf(compiled: CompiledWorlds, cost: Cost): Costs {
  const { protocol, clockwork } = compiled.worlds;
  if (cost === 'steps') {
    const { tick } = compiled.layout;
    return { starts: 0, unit: 1, of: (_, action) => (action === tick ? 0 : 1) };
  }
  if (cost === 'time') {
    if (!clockwork)
      throw badInput(
        'What takes how long is unknown: this system has no exact time',
        "Give time: { kind: 'exact', delay: [least, most] }.",
      );
    const microseconds = Math.round(clockwork.tick * 1000);
    const { tick } = compiled.layout;
    return { starts: 0, unit: 1000, of: (_, action) => (action === tick ? microseconds : 0) };
  }
  const rewardOf = rewardIn(protocol, cost);
  if (rewardOf) {
    const ofStep = (step: DistinctStep) => {
      const seen = stepView(compiled, step);
      return seen ? amountFrom(nameOf(cost), rewardOf, seen) : 0;
    };
    return new StepCosts(compiled, ofStep, 0);
  }
  const counts = (effect: HostEffect) =>
    effect.type === 'send' && (cost === 'messages' || effect.message.type === cost);
  const countOf = (effects: readonly HostEffect[]) => effects.filter(counts).length;
  return new StepCosts(
    compiled,
    ({ outcome }) => countOf(outcome.effects),
    startEffects(compiled.worlds).reduce((sum, effects) => sum + countOf(effects), 0),
  );
}

/** How a cost is called. */
const nameOf = (cost: Cost): string =>
  typeof cost === 'string' ? cost : cost.name || 'a cost of steps';

const startEffects = (worlds: Worlds): readonly (readonly HostEffect[])[] =>
  worlds.topology.nodes.map((id) => worlds.startOf(id).effects);

/** The function of a cost that is none of the built-in ones and no type of messages. */
function rewardIn(
  { title, rewards = {}, messages }: Protocol,
  cost: Cost,
): ((step: NodeStep) => number) | undefined {
  if (typeof cost === 'function') return cost;
  if (Object.hasOwn(rewards, cost)) return rewards[cost];
  if (cost === 'messages' || Object.hasOwn(messages, cost)) return undefined;
  const known = ['messages', 'steps', 'time', ...Object.keys(rewards), ...Object.keys(messages)];
  throw badInput(`${title} has no cost '${cost}'`, `It has ${known.join(', ')}.`);
}

/** The costs of the distinct steps of the nodes. */
class StepCosts implements Costs {
  readonly unit = 1;
  /** By node: its costs above 0, by local state and action. */
  readonly #costs: readonly PairTable[];
  /** By action: the node that takes a step by it, −1 for none; undefined: not asked yet. */
  readonly #actors: (number | undefined)[] = [];

  constructor(
    private readonly compiled: CompiledWorlds,
    costOf: (step: DistinctStep) => number,
    readonly starts: number,
  ) {
    this.#costs = compiled.configurations.map(() => new PairTable());
    for (const step of compiled.distinctSteps()) {
      if (!isStep(step.action) || step.outcome.error) continue;
      const cost = costOf(step);
      if (cost > 0)
        this.#costs[step.index]?.add(step.number, compiled.actionNumber(step.action), cost);
    }
  }

  of(vector: Int32Array, action: number): number {
    const { compiled } = this;
    const node = this.#actorOf(action);
    if (node < 0) return 0;
    const state = compiled.configurations[node]?.stateOf(vector[node] as number) ?? -1;
    return Math.max(0, this.#costs[node]?.get(state, compiled.asTaken(action)) ?? 0);
  }

  #actorOf(action: number): number {
    const known = this.#actors[action];
    if (known !== undefined) return known;
    const taken = this.compiled.actionOf(action);
    const { nodes } = this.compiled.worlds.topology;
    const actor = isStep(taken) ? nodes.indexOf(actorOf(taken)) : -1;
    this.#actors[action] = actor;
    return actor;
  }
}
