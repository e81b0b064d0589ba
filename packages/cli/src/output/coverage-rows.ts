import type { Exploration } from '@conclave/core/exploration';
import { counted } from './numbers.js';

/** How much of each statechart was used; what was not, where a small system cannot come to all of it. */
export function coverageRows({ coverage = [], complete }: Pick<Exploration, 'coverage' | 'complete'>): string[][] {
  return coverage.flatMap(({ role, transitions, taken, missed, guards, unentered, undelivered }) => [
    ['coverage', `${role}: ${taken} of ${counted(transitions, 'transition')} taken${complete ? '' : ' so far'}`],
    ...missed.map((transition) => ['', `never ${transition}${guards.neverTrue.includes(transition) ? ' (asked, never true)' : ''}`]),
    ...listRow('never false', guards.neverFalse),
    ...listRow('never entered', unentered),
    ...listRow('never delivered', undelivered),
  ]);
}

const listRow = (what: string, list: readonly string[]): string[][] => (list.length === 0 ? [] : [['', `${what}: ${few(list)}`]]);

/** Enough for a summary; the JSON has all. */
export const few = (list: readonly string[], separator = '; '): string =>
  list.length <= 5 ? list.join(separator) : `${list.slice(0, 4).join(separator)}${separator}and ${list.length - 4} more`;
