import { one, type Rational, rational, zero } from '../../probability/rational.js';
import type { ExploredProcess } from './process-of.js';

/** What is solved: a decision process, and what is asked about it. */
export interface CostGraph {
  readonly process: ExploredProcess;
  readonly goal: Uint8Array;
  /** The name of the cost. */
  readonly cost: string;
  /** What runs cost before their first step, in units of the process. */
  readonly before: number;
  /** So many units of the process are one of the cost. */
  readonly unit: number;
  readonly watch?: { tick(weight?: number): void };
}

/** A state as other tools read it: it has at least one choice. */
export interface GraphState {
  readonly isInitial: boolean;
  readonly isGoal: boolean;
  readonly choices: readonly GraphChoice[];
}

export interface GraphChoice {
  /** What it costs, on average over its draw. */
  readonly cost: Rational;
  /** By rising number of the target, each once. */
  readonly branches: readonly { readonly to: number; readonly probability: Rational }[];
}

const stay = (state: number): GraphChoice => ({
  cost: zero,
  branches: [{ to: state, probability: one }],
});

/**
 * The states by number. One without choices gets a loop of cost 0, since other tools refuse
 * deadlocks. Where the start costs something, a last state leads to the first one for that.
 */
export function* statesOf(graph: CostGraph): Generator<GraphState> {
  const { process, goal, before, unit, watch } = graph;
  for (let state = 0; state < process.states; state++) {
    watch?.tick();
    const choices = choicesOf(graph, state);
    yield {
      isInitial: before === 0 && state === process.initial,
      isGoal: goal[state] === 1,
      choices: choices.length > 0 ? choices : [stay(state)],
    };
  }
  if (before === 0) return;
  const cost = rational(BigInt(before), BigInt(unit));
  yield {
    ...{ isInitial: true, isGoal: false },
    choices: [{ cost, branches: [{ to: process.initial, probability: one }] }],
  };
}

function choicesOf(graph: CostGraph, state: number): GraphChoice[] {
  const { firstChoice } = graph.process;
  const choices: GraphChoice[] = [];
  const end = firstChoice[state + 1] as number;
  for (let choice = firstChoice[state] as number; choice < end; choice++)
    choices.push(choiceOf(graph, choice));
  return choices;
}

function choiceOf({ process, unit }: CostGraph, choice: number): GraphChoice {
  const { firstBranch, targets, weights, costs } = process;
  const [first, end] = [firstBranch[choice] as number, firstBranch[choice + 1] as number];
  const byTarget = new Map<number, bigint>();
  let [total, cost] = [0n, 0n];
  for (let branch = first; branch < end; branch++) {
    const [target, weight] = [targets[branch] as number, BigInt(weights[branch] as number)];
    byTarget.set(target, (byTarget.get(target) ?? 0n) + weight);
    total += weight;
    cost += weight * BigInt(costs[branch] as number);
  }
  return {
    cost: rational(cost, total * BigInt(unit)),
    branches: [...byTarget]
      .sort(([a], [b]) => a - b)
      .map(([to, weight]) => ({ to, probability: rational(weight, total) })),
  };
}

/** As a name that other tools take: letters, digits and underscores, no digit first. */
export const identifierOf = (cost: string): string =>
  cost.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d|$)/, '_');

/**
 * All digits of a number that has finitely many binary ones, such as 0.625; undefined for others.
 */
export function decimalOf({ numerator, denominator }: Rational): string | undefined {
  const digits = denominator.toString(2).length - 1;
  if (denominator !== 1n << BigInt(digits)) return undefined;
  if (digits === 0) return `${numerator}`;
  const shifted = `${numerator * 5n ** BigInt(digits)}`.padStart(digits + 1, '0');
  return `${shifted.slice(0, -digits)}.${shifted.slice(-digits)}`;
}
