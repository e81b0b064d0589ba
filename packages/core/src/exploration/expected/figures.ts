import type { Extreme } from '../../probability/decision-process.js';
import { expectedCost } from '../../probability/expected-cost.js';
import { probabilityWithin } from '../../probability/probability-within.js';
import type { Lasso, Question, Value } from '../../probability/question.js';
import { add, divide, rational, toNumber, toText } from '../../probability/rational.js';
import { reachProbability } from '../../probability/reach-probability.js';
import type { ExploredProcess } from './process-of.js';

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

/** What is computed of a system. */
export interface Figures<Run> {
  /** That the goal is reached. */
  readonly probability: Extremes<Run>;
  /** What it costs until the goal is reached. A run that never reaches it costs ∞. */
  readonly expectation: Extremes<Run>;
  /** That the goal is reached, for no more than `most`. */
  readonly within?: Extremes<Run> & { readonly most: number };
}

/** What is asked of a process. */
export interface Asked<Run> {
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
