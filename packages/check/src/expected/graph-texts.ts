import { one, type Rational, rational, toNumber, toText, zero } from '../probability/rational.js';
import type { ExploredProcess } from './figures.js';

/** Of another model checker: one `.drn` for Storm; `.tra`, `.lab` and `.trew` for PRISM. */
type GraphFormat = 'drn' | 'prism';

/** The texts of its files, by their ending. */
export type GraphTexts = Readonly<Record<string, string>>;

export const graphTexts = (format: GraphFormat, graph: CostGraph): GraphTexts =>
  format === 'drn' ? { '.drn': drnText(graph) } : prismTexts(graph);

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
interface GraphState {
  readonly isInitial: boolean;
  readonly isGoal: boolean;
  readonly choices: readonly GraphChoice[];
}

interface GraphChoice {
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
function* statesOf(graph: CostGraph): Generator<GraphState> {
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
const identifierOf = (cost: string): string =>
  cost.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d|$)/, '_');

/**
 * All digits of a number that has finitely many binary ones, such as 0.625; undefined for others.
 */
function decimalOf({ numerator, denominator }: Rational): string | undefined {
  const digits = denominator.toString(2).length - 1;
  if (denominator !== 1n << BigInt(digits)) return undefined;
  if (digits === 0) return `${numerator}`;
  const shifted = `${numerator * 5n ** BigInt(digits)}`.padStart(digits + 1, '0');
  return `${shifted.slice(0, -digits)}.${shifted.slice(-digits)}`;
}

/**
 * A graph in the explicit format DRN of the model checker Storm: one file, which
 * `storm --explicit-drn` reads, with `--exact` as fractions.
 */
export function drnText(graph: CostGraph): string {
  const parts: string[] = [];
  let [states, choices] = [0, 0];
  for (const { isInitial, isGoal, choices: all } of statesOf(graph)) {
    parts.push(`state ${states++} [0]${isInitial ? ' init' : ''}${isGoal ? ' goal' : ''}\n`);
    choices += all.length;
    for (const [action, { cost, branches }] of all.entries()) {
      parts.push(`\taction ${action} [${exactText(cost)}]\n`);
      for (const { to, probability } of branches)
        parts.push(`\t\t${to} : ${exactText(probability)}\n`);
    }
  }
  const name = identifierOf(graph.cost);
  const header = [
    `// Solve R{"${name}"}min=? [F "goal"] and R{"${name}"}max=? [F "goal"].`,
    '// A state that has no successor in the system has a loop of cost 0.',
    '// A number is a decimal where that is exact, else a fraction.',
    '// What an action costs is the mean over its draw.',
    ...['@type: MDP', '@parameters', '', '@reward_models', name],
    ...['@nr_states', states, '@nr_choices', choices, '@model'],
  ];
  return `${header.join('\n')}\n${parts.join('')}`;
}

const exactText = (value: Rational): string => decimalOf(value) ?? toText(value);

/**
 * A graph in the explicit files of the model checker PRISM, by their ending: transitions, labels
 * and the costs of choices. `prism -importmodel NAME.all` reads them.
 */
export function prismTexts(graph: CostGraph): Readonly<Record<'.tra' | '.lab' | '.trew', string>> {
  const transitions: string[] = [];
  const labels: string[] = [];
  const costs: string[] = [];
  let [states, choices] = [0, 0];
  for (const { isInitial, isGoal, choices: all } of statesOf(graph)) {
    const state = states++;
    choices += all.length;
    if (isInitial || isGoal)
      labels.push(`${state}:${isInitial ? ' 0' : ''}${isGoal ? ' 1' : ''}\n`);
    for (const [choice, { cost, branches }] of all.entries())
      for (const { to, probability } of branches) {
        const at = `${state} ${choice} ${to}`;
        transitions.push(`${at} ${decimalText(probability)}\n`);
        if (cost.numerator > 0n) costs.push(`${at} ${decimalText(cost)}\n`);
      }
  }
  const name = identifierOf(graph.cost);
  // older versions of PRISM take comments here only
  const header = [
    `# Reward structure "${name}"`,
    '# Transition rewards',
    `# Solve R{"${name}"}min=? [F "goal"] and R{"${name}"}max=? [F "goal"].`,
    '# A state that has no successor in the system has a loop of cost 0.',
    '# A number that is no finite binary fraction has 17 digits.',
    '# What a choice costs is the mean over its draw.',
  ];
  return {
    '.tra': `${states} ${choices} ${transitions.length}\n${transitions.join('')}`,
    '.lab': `0="init" 1="goal"\n${labels.join('')}`,
    '.trew': `${header.join('\n')}\n${states} ${choices} ${costs.length}\n${costs.join('')}`,
  };
}

const decimalText = (value: Rational): string =>
  decimalOf(value) ?? toNumber(value).toPrecision(17);
