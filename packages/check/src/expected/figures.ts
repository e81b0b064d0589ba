/**
 * A complete graph of worlds as a Markov decision process, and its figures: least and greatest
 * probabilities and expectations over all schedulers.
 */
import type {
  DecisionProcess,
  Extreme,
  Lasso,
  Question,
  Value,
} from '../probability/decision-process.js';
import { expectedCost } from '../probability/expected-cost.js';
import { probabilityWithin } from '../probability/probability-within.js';
import { add, divide, rational, toNumber, toText } from '../probability/rational.js';
import { reachProbability } from '../probability/reach-probability.js';
import type { Exploration } from '../verdicts/exploration.js';
import type { Explored } from '../verdicts/graphs/paths.js';
import type { PropertyFinding } from '../verdicts/property-finding.js';

/** A probability or an expectation. `Run`: a run of the system. */
export type Figure<Run> =
  /** Proved: a fraction such as '10/3', and the closest number. */
  | { readonly kind: 'exact'; readonly fraction: string; readonly value: number }
  /** Not proved: it is at least `least` and at most `greatest`. */
  | { readonly kind: 'interval'; readonly least: number; readonly greatest: number }
  /** Without bound, since a run may never reach the goal: such a run. */
  | { readonly kind: 'infinite'; readonly run: Run };

/** The smallest and the largest value over all schedulers. */
export interface Extremes<Run> {
  readonly least: Figure<Run>;
  readonly greatest: Figure<Run>;
}

/** What runs of a system cost, exactly. `Run`: one that never reaches the goal. */
export interface Expectation<
  Run = Required<Pick<PropertyFinding, 'trace' | 'loopsFrom' | 'steps' | 'loopsFromStep'>>,
> {
  /** That the goal is reached. */
  readonly probability?: Extremes<Run>;
  /** What it costs until the goal is reached. A run that never reaches it costs ∞. */
  readonly expectation?: Extremes<Run>;
  /** That the goal is reached, for no more than `most`. */
  readonly within?: Extremes<Run> & { readonly most: number };
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
  readonly graph?: Readonly<Record<string, string>>;
}

/** A run of a protocol that never reaches the goal. */
export type EndlessRun = Expectation extends Expectation<infer Run> ? Run : never;

/** What is computed of a process. */
export type Figures<Run> = Required<Pick<Expectation<Run>, 'probability' | 'expectation'>> &
  Pick<Expectation<Run>, 'within'>;

/** What is asked of a process. */
interface Asked<Run> {
  readonly goal: Uint8Array;
  readonly within: number | undefined;
  /** What runs cost before their first step, in units of the process. */
  readonly before: number;
  /** So many units of the process are one. */
  readonly unit: number;
  /**
   * A run that never reaches the goal, by its actions. After the last one it goes on with the one
   * at `loopsFrom`; where that is their number, it ends.
   */
  readonly runOf: (actions: readonly number[], loopsFrom: number) => Run;
  readonly watch: NonNullable<Question['watch']>;
}

export function figuresOf<Run>(process: ExploredProcess, asked: Asked<Run>): Figures<Run> {
  const { goal, within, before, unit, watch } = asked;
  const { initial } = process;
  const both = (ask: (question: Question) => Value, shift = 0, scale = 1): Extremes<Run> => {
    const figure = (extreme: Extreme) =>
      figureOf(ask({ goal, extreme, initial, watch }), shift, scale, (lasso) =>
        asked.runOf(...actionsOf(process, lasso)),
      );
    return { least: figure('least'), greatest: figure('greatest') };
  };
  const most = within === undefined ? 0 : Math.floor(within * unit) - before;
  return {
    probability: both((question) => reachProbability(process, question)),
    expectation: both((question) => expectedCost(process, question), before, unit),
    ...(within !== undefined && {
      within: {
        most: within,
        ...(most < 0
          ? { least: never, greatest: never }
          : both((question) => probabilityWithin(process, { ...question, most }))),
      },
    }),
  };
}

const never = { kind: 'exact', fraction: '0', value: 0 } as const;

/** A value in the units that were asked for. */
function figureOf<Run>(
  value: Value,
  shift: number,
  scale: number,
  runOf: (lasso: Lasso) => Run,
): Figure<Run> {
  if (value.kind === 'infinite') return { kind: 'infinite', run: runOf(value.lasso) };
  if (value.kind === 'exact') {
    const moved = divide(add(value.value, rational(BigInt(shift))), rational(BigInt(scale)));
    return { kind: 'exact', fraction: toText(moved), value: toNumber(moved) };
  }
  const { least, greatest } = value;
  if (shift === 0 && scale === 1) return value;
  // an addition and a division, each rounded by at most half of a last digit
  return {
    kind: 'interval',
    least: ((least + shift) / scale) * (1 - 2 * Number.EPSILON),
    greatest: ((greatest + shift) / scale) * (1 + 2 * Number.EPSILON),
  };
}

/** The actions of a lasso; the choice of an initial world is none. */
function actionsOf(
  { actions }: ExploredProcess,
  { branches, loopsFrom }: Lasso,
): readonly [actions: readonly number[], loopsFrom: number] {
  const taken = branches.map((branch) => actions[branch] as number);
  const chosen = taken[0] === -1 ? 1 : 0;
  return [taken.slice(chosen), loopsFrom - chosen];
}

/** The states without choices. */
export function endsOf({ states, firstChoice }: ExploredProcess): Uint8Array {
  const ends = new Uint8Array(states);
  for (let state = 0; state < states; state++)
    ends[state] = firstChoice[state] === firstChoice[state + 1] ? 1 : 0;
  return ends;
}

/** How a graph becomes a decision process. */
interface Chances {
  /**
   * Of a world that draws: the weights of its edges, in their order. Undefined: a scheduler chooses
   * among its edges.
   */
  weights(vector: Int32Array, world: number): readonly number[] | undefined;
  /** The cost of an action in a world. */
  cost(vector: Int32Array, action: number): number;
  /** The first worlds, among which a scheduler chooses. */
  readonly starts: number;
}

/** An explored system as a decision process: its worlds are the states, its edges the branches. */
export interface ExploredProcess extends DecisionProcess {
  readonly initial: number;
  /** By branch; −1 where one of several initial worlds is chosen. */
  readonly actions: Int32Array;
  /** How many worlds draw. */
  readonly draws: number;
}

export function processOf(explored: Explored, chances: Chances): ExploredProcess {
  const { store, graph, width } = explored;
  const { starts } = chances;
  const isOne = starts === 1;
  const process = new GrowingProcess(
    store.size + (isOne ? 0 : 1),
    graph.edges + (isOne ? 0 : starts),
  );
  const vector = new Int32Array(width);
  for (let world = 0; world < store.size; world++) {
    graph.watch?.tick();
    store.read(world, vector);
    const [first, end] = [graph.first(world), graph.end(world)];
    process.begin(chances.weights(vector, world), end - first);
    for (let edge = first; edge < end; edge++) {
      const action = graph.action(edge);
      process.add(graph.target(edge), action, chances.cost(vector, action));
    }
  }
  if (!isOne) {
    process.begin(undefined, starts);
    for (let start = 0; start < starts; start++) process.add(start, -1, 0);
  }
  return process.ended(isOne ? 0 : store.size);
}

/** A process to which states and their branches are added. */
class GrowingProcess {
  readonly #firstChoice: Int32Array;
  readonly #firstBranch: Int32Array;
  readonly #targets: Int32Array;
  readonly #actions: Int32Array;
  readonly #weights: Float64Array;
  readonly #costs: Float64Array;
  #states = 0;
  #choices = 0;
  #branches = 0;
  #draws = 0;
  /** Of the state whose branches are added, if it draws, and the first of them. */
  #drawn: readonly number[] | undefined;
  #first = 0;

  constructor(states: number, branches: number) {
    this.#firstChoice = new Int32Array(states + 1);
    this.#firstBranch = new Int32Array(branches + 1);
    this.#targets = new Int32Array(branches);
    this.#actions = new Int32Array(branches);
    this.#weights = new Float64Array(branches).fill(1);
    this.#costs = new Float64Array(branches);
  }

  /** The next state, which has so many branches. */
  begin(weights: readonly number[] | undefined, branches: number): void {
    if (weights && weights.length !== branches)
      throw new Error(`unreachable: a state with ${branches} edges draws one of ${weights.length}`);
    this.#firstChoice[this.#states++] = this.#choices;
    this.#drawn = weights;
    this.#first = this.#branches;
    if (!weights) return;
    this.#draws++;
    this.#firstBranch[this.#choices++] = this.#branches;
  }

  add(target: number, action: number, cost: number): void {
    if (!this.#drawn) this.#firstBranch[this.#choices++] = this.#branches;
    const branch = this.#branches++;
    this.#targets[branch] = target;
    this.#actions[branch] = action;
    this.#costs[branch] = cost;
    const weight = this.#drawn?.[branch - this.#first];
    if (weight !== undefined) this.#weights[branch] = weight;
  }

  ended(initial: number): ExploredProcess {
    this.#firstChoice[this.#states] = this.#choices;
    this.#firstBranch[this.#choices] = this.#branches;
    return {
      states: this.#states,
      firstChoice: this.#firstChoice,
      firstBranch: this.#firstBranch.slice(0, this.#choices + 1),
      targets: this.#targets,
      weights: this.#weights,
      costs: this.#costs,
      actions: this.#actions,
      initial,
      draws: this.#draws,
    };
  }
}
