/**
 * Readers of the files of other model checkers, and a judge of what they say: no code is shared
 * with what writes the files, and none with the solver.
 */
import { expect } from 'vitest';
import {
  chainCosts,
  differenceSign,
  type Fraction,
  fraction,
  over,
  type PlainProcess,
  plus,
  times,
} from '../probability/plain-solver.contract.js';

/** A file, read. */
export interface ReadGraph {
  /** Of the cost. */
  readonly name: string;
  readonly initial: readonly number[];
  readonly goal: readonly boolean[];
  /** By state. */
  readonly choices: readonly (readonly ReadChoice[])[];
}
export interface ReadChoice {
  readonly cost: Fraction;
  readonly branches: readonly (readonly [to: number, probability: Fraction])[];
}

/** `3`, `0.25`, `1.5e-7` or `1/3`. */
export function numberIn(text: string): Fraction {
  const [, above = '', below] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (below !== undefined) return fraction(BigInt(above), BigInt(below));
  const decimal = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text);
  if (!decimal) throw new Error(`'${text}' is no number`);
  const [, whole = '', digits = '', exponent = '0'] = decimal;
  const shift = Number(exponent) - digits.length;
  const power = 10n ** BigInt(Math.abs(shift));
  const all = BigInt(whole + digits);
  return shift < 0 ? fraction(all, power) : [all * power, 1n];
}

/** The lines that Storm reads: those that are empty or begin with // are none. */
const drnLines = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('//'));

/** A file for Storm, with all that its reader demands. */
export function readDrn(text: string): ReadGraph {
  expect(text.endsWith('\n')).toBe(true);
  const lines = drnLines(text);
  const begin = lines.indexOf('@model');
  const header = lines.slice(0, begin);
  expect(header.filter((line) => line.startsWith('@'))).toEqual([
    '@type: MDP',
    '@parameters',
    '@reward_models',
    '@nr_states',
    '@nr_choices',
  ]);
  const under = (section: string) => header[header.indexOf(section) + 1] ?? '';
  const read = { initial: [] as number[], goal: [] as boolean[] };
  const choices: { cost: Fraction; branches: [number, Fraction][] }[][] = [];
  for (const line of lines.slice(begin + 1)) {
    const state = /^state (\d+) \[0\]((?: \w+)*)$/.exec(line);
    const action = /^\taction (\d+) \[(\S+)\]$/.exec(line);
    const branch = /^\t\t(\d+) : (\S+)$/.exec(line);
    if (state) {
      expect(Number(state[1])).toBe(choices.length);
      const labels = (state[2] ?? '').split(' ').slice(1);
      if (labels.includes('init')) read.initial.push(choices.length);
      read.goal.push(labels.includes('goal'));
      choices.push([]);
    } else if (action) {
      expect(Number(action[1])).toBe(choices.at(-1)?.length);
      choices.at(-1)?.push({ cost: numberIn(action[2] ?? ''), branches: [] });
    } else if (branch) {
      choices
        .at(-1)
        ?.at(-1)
        ?.branches.push([Number(branch[1]), numberIn(branch[2] ?? '')]);
    } else throw new Error(`'${line}' is no line of a file for Storm`);
  }
  expect([choices.length, choices.flat().length].map(String)).toEqual([
    under('@nr_states'),
    under('@nr_choices'),
  ]);
  return { ...read, name: under('@reward_models'), choices };
}

type Row = readonly number[];

/** The rows of numbers in a file for PRISM, and its first line. */
function rowsOf(text: string | undefined): {
  readonly head: string;
  readonly rows: readonly (readonly string[])[];
} {
  const [head = '', ...lines] = (text ?? '').split('\n').filter((line) => !line.startsWith('#'));
  expect(lines.pop()).toBe('');
  return { head, rows: lines.map((line) => line.split(' ')) };
}
const key = (row: Row | readonly string[]) => row.slice(0, 3).join(' ');

/** The three files for PRISM, with all that its reader demands. */
export function readPrism(files: Readonly<Record<string, string>>): ReadGraph {
  expect(Object.keys(files)).toEqual(['.tra', '.lab', '.trew']);
  const { head, rows } = rowsOf(files['.tra']);
  const [states = 0, count, transitions] = head.split(' ').map(Number);
  const costs = rowsOf(files['.trew']);
  expect(costs.head).toBe(`${states} ${count} ${costs.rows.length}`);
  const costAt = new Map(costs.rows.map((row) => [key(row), numberIn(row[3] ?? '')]));
  expect(costAt.size).toBe(costs.rows.length);
  const choices = Array.from({ length: states }, (): ReadChoice[] => []);
  for (const row of rows) {
    const [state = 0, choice = 0, to = 0] = row.map(Number);
    const cost = costAt.get(key(row)) ?? [0n, 1n];
    costAt.delete(key(row));
    const known = choices[state]?.[choice];
    // PRISM demands the same cost at each branch of a choice
    if (known) expect(known.cost).toEqual(cost);
    const branches = [...(known?.branches ?? []), [to, numberIn(row[3] ?? '')] as const];
    (choices[state] ?? [])[choice] = { cost, branches };
  }
  expect(costAt.size).toBe(0);
  expect([choices.flat().length, rows.length]).toEqual([count, transitions]);
  const labels = rowsOf(files['.lab']);
  expect(labels.head).toBe('0="init" 1="goal"');
  const labelled = (label: string) =>
    labels.rows
      .filter((row) => row.slice(1).includes(label))
      .map(([state]) => Number.parseInt(state ?? '', 10));
  const goals = new Set(labelled('1'));
  const [, name = ''] = /^# Reward structure "(\w+)"$/m.exec(files['.trew'] ?? '') ?? [];
  return {
    ...{ name, choices, initial: labelled('0') },
    goal: choices.map((_, state) => goals.has(state)),
  };
}

const sum = (list: readonly Fraction[]): Fraction => list.reduce(plus, [0n, 1n] as Fraction);

/** What holds of each graph: other tools refuse it otherwise. */
export function requireSound({ initial, choices }: ReadGraph): void {
  expect(initial).toHaveLength(1);
  for (const all of choices) expect(all.length).toBeGreaterThan(0);
  for (const { branches } of choices.flat()) {
    const targets = branches.map(([to]) => to);
    expect(targets).toEqual([...new Set(targets)].sort((a, b) => a - b));
    expect(Math.max(...targets)).toBeLessThan(choices.length);
    const [above, below] = sum(branches.map(([, probability]) => probability));
    expect(Math.abs(Number(above) / Number(below) - 1)).toBeLessThan(1e-12);
  }
}

/** The least common denominator. */
const common = (list: readonly Fraction[]): bigint =>
  list.reduce((least, [, below]) => fraction(least, below)[0] * below, 1n);

/** With whole weights and costs: so many of them are one. */
function scaled(graph: ReadGraph): { readonly plain: PlainProcess; readonly unit: bigint } {
  const unit = common(graph.choices.flat().map(({ cost }) => cost));
  const plain = graph.choices.map((choices) =>
    choices.map(({ cost, branches }) => {
      const parts = common(branches.map(([, probability]) => probability));
      return branches.map(([to, probability]) => ({
        to,
        weight: Number(times(probability, [parts, 1n])[0]),
        cost: Number(times(cost, [unit, 1n])[0]),
      }));
    }),
  );
  return { plain, unit };
}

/**
 * The extreme expected cost from the initial state to the goal, for graphs in which every scheduler
 * gets there: schedulers are improved (R. Howard, 1960), each as a chain that is solved by Gauss
 * elimination.
 */
export function judged(graph: ReadGraph, extreme: 'least' | 'greatest'): Fraction {
  requireSound(graph);
  const { plain, unit } = scaled(graph);
  const sign = extreme === 'least' ? -1 : 1;
  const picks = plain.map(() => 0);
  for (;;) {
    const chain = plain.map((choices, state) => choices[picks[state] ?? 0] ?? []);
    const values = chainCosts(chain, graph.goal).map((value) => {
      if (!value) throw new Error('a scheduler that does not reach the goal');
      return value;
    });
    const worth = (state: number, choice: number) => {
      const branches = plain[state]?.[choice] ?? [];
      const total = BigInt(branches.reduce((all, { weight }) => all + weight, 0));
      return sum(
        branches.map(({ to, weight, cost }) =>
          times([BigInt(weight), total], plus([BigInt(cost), 1n], values[to] as Fraction)),
        ),
      );
    };
    let isBetter = false;
    for (const [state, choices] of plain.entries())
      for (const choice of choices.keys()) {
        if (graph.goal[state]) continue;
        const best = worth(state, picks[state] ?? 0);
        if (differenceSign(worth(state, choice), best) !== sign) continue;
        picks[state] = choice;
        isBetter = true;
      }
    if (!isBetter) return over(values[graph.initial[0] ?? 0] as Fraction, [unit, 1n]);
  }
}
