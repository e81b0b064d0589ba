/** Probabilities and expectations as text. */
import type { Extremes, Figure, Figures } from '@conclave/core/exploration';
import { table } from '../output/text.js';

/** How what was computed is called. */
export interface FigureNames {
  /** Of the states to reach: 'the run ends', 'some node is tagged leader'. */
  readonly goal: string;
  /** Of the cost, such as 'messages' or 'ms'. */
  readonly cost: string;
}

/** A figure a row, least and greatest. */
export function figuresText(
  { probability, expectation, within }: Partial<Figures<unknown>>,
  { goal, cost }: FigureNames,
): string {
  return table([
    ...row(`probability that ${goal}`, probability),
    ...row(`expected ${cost} until then`, expectation),
    ...row(`probability that ${goal} within ${within?.most} ${cost}`, within),
  ]);
}

const row = (name: string, extremes: Extremes<unknown> | undefined): string[][] => {
  if (!extremes) return [];
  const [least, greatest] = [figureText(extremes.least), figureText(extremes.greatest)];
  return [[name, least === greatest ? least : `${least} to ${greatest}`]];
};

/** `10/3 (3.333333)`, `4`, `∞`, or the bounds of what is not proved. */
export function figureText(figure: Figure<unknown>): string {
  if (figure.kind === 'infinite') return '∞';
  if (figure.kind === 'interval')
    return `between ${rounded(figure.least)} and ${rounded(figure.greatest)} (not proved)`;
  const { fraction, value } = figure;
  if (!fraction.includes('/')) return fraction;
  return fraction.length > longest
    ? `${rounded(value)} (a fraction)`
    : `${fraction} (${rounded(value)})`;
}

/** A longer fraction is in the JSON only. */
const longest = 40;
const rounded = (value: number): string => String(Number(value.toPrecision(7)));
