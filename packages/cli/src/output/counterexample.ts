import type { PropertyFinding } from '@conclave/core/exploration';
import { linesText } from '@conclave/core/trace';
import type { Session } from '../session.js';
import { counted } from './numbers.js';

/** A run that violates a property; for liveness with a mark where it begins to repeat. */
export function counterexample({ name, trace, loopsFrom }: PropertyFinding, colours: Session['colours']): string {
  const steps = trace ? linesText(trace.lines).split('\n').slice(0, -1) : [];
  const fault = trace?.header.get('fault');
  return `${markedSteps(name, steps, loopsFrom, colours)}${fault === undefined ? '' : `${fault}\n`}`;
}

/** The same for steps that are lines already. */
export function markedSteps(
  name: string,
  steps: readonly string[],
  loopsFrom: number | undefined,
  { red, dim }: Session['colours'],
): string {
  const after = steps.length === 0 ? 'at the very start' : `after ${counted(steps.length, 'step')}`;
  const when = loopsFrom === undefined || loopsFrom === steps.length ? `${after}:` : 'on a run without end:';
  const marks =
    loopsFrom === undefined ? [] : [dim(loopsFrom === steps.length ? '— here it comes to rest —' : '— from here on, for ever —')];
  const lines = [...abridged(steps.slice(0, loopsFrom)), ...marks, ...abridged(steps.slice(loopsFrom ?? steps.length))];
  return [`${red('✗')} ${name}, ${when}`, ...lines].map((line) => `${line}\n`).join('');
}

/** The beginning and the end of what is too long to be read; a trace file has all of it. */
function abridged(steps: readonly string[]): readonly string[] {
  const [first, last] = [10, 20];
  const left = steps.length - first - last;
  return left <= 1 ? steps : [...steps.slice(0, first), `… ${counted(left, 'step')} …`, ...steps.slice(-last)];
}
