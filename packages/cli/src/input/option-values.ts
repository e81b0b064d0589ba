import { InvalidArgumentError } from '@commander-js/extra-typings';
import { type Schema, schemas, wantedInstead } from '@conclave/core/options';
import type { Fault } from '@conclave/core/simulation';

/** A number as `schema` wants it: the API's own, so that the two take the same. */
const numberAs =
  (schema: Schema<number>) =>
  (text: string): number => {
    const value = /^-?\d*\.?\d+$/.test(text) ? Number(text) : NaN;
    const wanted = wantedInstead(schema, value);
    if (wanted !== undefined) throw new InvalidArgumentError(`It is ${wanted}.`);
    return value;
  };

/** A number of times, a number of steps. */
export const count = numberAs(schemas.count);
/** At least one. */
export const positive = numberAs(schemas.positive);
export const seed = numberAs(schemas.seed);
export const probability = numberAs(schemas.probability);
/** An amount of something measured: `measure('milliseconds')`. */
export const measure = (unit: string) => numberAs(schemas.measure(unit));
/** The same, but not nothing. */
export const measureAbove0 = (unit: string) => numberAs(schemas.measureAbove0(unit));

/** A time for which to go on, such as `30s` or `2m`, in seconds. */
export function duration(text: string): number {
  const [, amount, unit] = /^(\d*\.?\d+)(ms|s|m|h)$/.exec(text) ?? [];
  const seconds = { ms: 0.001, s: 1, m: 60, h: 3600 }[unit ?? ''];
  if (seconds === undefined) throw new InvalidArgumentError('It is a time such as 500ms, 30s, 2m or 1h.');
  return Number(amount) * seconds;
}

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
