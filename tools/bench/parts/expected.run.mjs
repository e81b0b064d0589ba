/**
 * One measurement of tools/bench/parts/expected.mjs: prints `{ states, cpu, peak, kind }`, seconds of
 * the processor and MB, as JSON. Arguments: a kind of process and how many states it has.
 */
import { expectedCost } from '../../../packages/core/dist/probability/internal.js';

const [kind, states] = [process.argv[2], Number(process.argv[3])];

/** The same numbers each time (Numerical Recipes, ranqd1). */
let seed = 12_345;
function below(limit) {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * limit);
}

const last = states - 1;
const width = Math.ceil(states / 20);
const side = Math.floor(Math.sqrt(states - 1));
const one = (to, weight = 1, cost = 1) => [to, weight, cost];
const inNextLayer = (state) =>
  Math.min(last, (Math.floor(state / width) + 1) * width + below(width));
const isInLastLayer = (state) => (Math.floor(state / width) + 1) * width >= states;

/** By state: its choices, each a list of branches. */
const kinds = {
  /** Twenty layers; a state chooses among three in the next one, or moves to any of three. */
  layers: (state) => {
    if (isInLastLayer(state)) return state === last ? [] : [[one(last)]];
    const next = [0, 1, 2].map((cost) => one(inNextLayer(state), 1, cost));
    return state % 2 === 0 ? next.map((branch) => [branch]) : [next];
  },
  /** The same without choices; from the last layer, half of the runs begin again. */
  rounds: (state) => {
    if (isInLastLayer(state)) return state === last ? [] : [[one(0), one(last)]];
    return [[one(inNextLayer(state)), one(inNextLayer(state)), one(inNextLayer(state), 2)]];
  },
  /** A walk on a square to two or three neighbours, which ends in one of three or four steps. */
  grid: (state) => {
    if (state >= side * side) return state === last ? [] : [[one(last)]];
    const [x, y] = [state % side, Math.floor(state / side)];
    const neighbours = [
      ...(x > 0 ? [state - 1] : []),
      ...(x < side - 1 ? [state + 1] : []),
      ...(y > 0 ? [state - side] : []),
      ...(y < side - 1 ? [state + side] : []),
    ];
    return [[...neighbours.slice(0, 3).map((to) => one(to)), one(last)]];
  },
};

function built(choicesOf) {
  const [firstChoice, firstBranch] = [[0], [0]];
  const branches = [];
  for (let state = 0; state < states; state++) {
    for (const choice of choicesOf(state)) {
      for (const branch of choice) branches.push(branch);
      firstBranch.push(branches.length);
    }
    firstChoice.push(firstBranch.length - 1);
  }
  return {
    states,
    firstChoice: Int32Array.from(firstChoice),
    firstBranch: Int32Array.from(firstBranch),
    targets: Int32Array.from(branches, ([to]) => to),
    weights: Float64Array.from(branches, ([, weight]) => weight),
    costs: Float64Array.from(branches, ([, , cost]) => cost),
  };
}

const system = built(kinds[kind]);
const goal = new Uint8Array(states);
goal[last] = 1;
const before = process.cpuUsage();
const value = expectedCost(system, { goal, extreme: 'least' });
const { user, system: kernel } = process.cpuUsage(before);
console.log(JSON.stringify({ states, cpu: (user + kernel) / 1e6, kind: value.kind }));
