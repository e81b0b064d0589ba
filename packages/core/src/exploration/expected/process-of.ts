import type { DecisionProcess } from '../../probability/decision-process.js';
import type { Explored } from '../verdicts/graphs/longest-path.js';

/** How a graph becomes a decision process. */
export interface Chances {
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
