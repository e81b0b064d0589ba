import type { DecisionProcess } from '../../probability/decision-process.js';
import type { Explored } from '../verdicts/graphs/longest-path.js';

/** How a graph becomes a decision process. */
export interface Chances {
  /**
   * Of a world that draws: the weights of its edges, in their order. Undefined: a scheduler
   * chooses among its edges.
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

export function processOf(explored: Explored, { weights, cost, starts }: Chances): ExploredProcess {
  const { store, graph, width } = explored;
  const worlds = store.size;
  const isOne = starts === 1;
  const branches = graph.edges + (isOne ? 0 : starts);
  const process = {
    states: worlds + (isOne ? 0 : 1),
    firstChoice: new Int32Array(worlds + (isOne ? 1 : 2)),
    firstBranch: new Int32Array(branches + 1),
    targets: new Int32Array(branches),
    weights: new Float64Array(branches).fill(1),
    costs: new Float64Array(branches),
    actions: new Int32Array(branches).fill(-1),
  };
  const vector = new Int32Array(width);
  let [choices, branch, draws] = [0, 0, 0];
  for (let world = 0; world < worlds; world++) {
    graph.watch?.tick();
    store.read(world, vector);
    process.firstChoice[world] = choices;
    const drawn = weights(vector, world);
    if (drawn) draws++;
    const first = graph.first(world);
    const end = graph.end(world);
    if (drawn && drawn.length !== end - first)
      throw new Error(`unreachable: world ${world} draws one of ${drawn.length}`);
    if (drawn) process.firstBranch[choices++] = branch;
    for (let edge = first; edge < end; edge++) {
      if (!drawn) process.firstBranch[choices++] = branch;
      const action = graph.action(edge);
      process.targets[branch] = graph.target(edge);
      process.actions[branch] = action;
      process.costs[branch] = cost(vector, action);
      if (drawn) process.weights[branch] = drawn[edge - first] as number;
      branch++;
    }
  }
  process.firstChoice[worlds] = choices;
  if (!isOne) {
    for (let start = 0; start < starts; start++) {
      process.firstBranch[choices++] = branch;
      process.targets[branch++] = start;
    }
    process.firstChoice[worlds + 1] = choices;
  }
  return {
    ...process,
    firstBranch: process.firstBranch.fill(branch, choices, choices + 1).slice(0, choices + 1),
    initial: isOne ? 0 : worlds,
    draws,
  };
}
