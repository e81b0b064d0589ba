/** `1..1000` */
import type { SeedsOptions } from '@conclave/core/internal/simulation';
import { InvalidArgumentError } from 'commander';
import { number } from '../output/text.js';

/** What a summary keeps of each run takes memory. */
const mostSeeds = 1_000_000;

export type Seeds = SeedsOptions['seeds'];

export function seedRange(text: string): Seeds {
  const [, from = NaN, to = NaN] = (/^(-?\d+)\.\.(-?\d+)$/.exec(text) ?? []).map(Number);
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to))
    throw new InvalidArgumentError('It is two whole numbers, as in 1..1000.');
  if (from > to)
    throw new InvalidArgumentError(`${from} is larger than ${to}: write ${to}..${from}.`);
  if (to - from >= mostSeeds)
    throw new InvalidArgumentError(
      `It has ${number(to - from + 1)} seeds; ${number(mostSeeds)} is the most.`,
    );
  return { from, to };
}
