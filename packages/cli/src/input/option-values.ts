import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { Fault } from '@conclave/core/simulation';

/** A number of times, a number of steps. */
export function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number, 0 or more.');
  return Number(text);
}

/** At least one. */
export function positive(text: string): number {
  if (!/^\d+$/.test(text) || Number(text) === 0) throw new InvalidArgumentError('It is a whole number, 1 or more.');
  return Number(text);
}

export function seed(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

export function probability(text: string): number {
  if (!/^\d*\.?\d+$/.test(text) || Number(text) > 1) throw new InvalidArgumentError('It is a number from 0 to 1.');
  return Number(text);
}

/** A time for which to go on, such as `30s` or `2m`, in seconds. */
export function duration(text: string): number {
  const [, amount, unit] = /^(\d*\.?\d+)(ms|s|m|h)$/.exec(text) ?? [];
  const seconds = { ms: 0.001, s: 1, m: 60, h: 3600 }[unit ?? ''];
  if (seconds === undefined) throw new InvalidArgumentError('It is a time such as 500ms, 30s, 2m or 1h.');
  return Number(amount) * seconds;
}

/** An amount of something measured: `measure('milliseconds')`. */
export const measure =
  (unit: string) =>
  (text: string): number => {
    if (!/^\d*\.?\d+$/.test(text)) throw new InvalidArgumentError(`It is a number of ${unit}, 0 or more.`);
    return Number(text);
  };

/** `all` (undefined), or some nodes, each once. */
export function initiators(text: string): readonly string[] | undefined {
  const nodes = text.split(',').map((node) => node.trim());
  if (nodes.includes('')) throw new InvalidArgumentError("It is 'all', or nodes such as a,b.");
  return text === 'all' ? undefined : [...new Set(nodes)];
}

/** `c@100`, or `c@100+50` for a restart 50 ms later; may be given repeatedly. */
export function crash(text: string, previous: readonly Fault[] = []): readonly Fault[] {
  const [, node, at, restartAfter] = /^(.+)@(\d*\.?\d+)(?:\+(\d*\.?\d+))?$/.exec(text) ?? [];
  if (node === undefined) throw new InvalidArgumentError('Write c@100, or c@100+50 for a restart 50 ms later.');
  return [
    ...previous,
    { kind: 'crash', node, at: Number(at), ...(restartAfter === undefined ? {} : { restartAfter: Number(restartAfter) }) },
  ];
}

/** Lets an option be given repeatedly. */
export const collected = (text: string, previous: readonly string[] = []): readonly string[] => [...previous, text];
