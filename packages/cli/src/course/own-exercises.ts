/** A teacher's own exercises in code, from a file. */
import { readFileSync } from 'node:fs';
import type { CodeExercise } from '@conclave/studio/internal/course';
import { attempt, badInput } from '../errors.js';

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isListOf = (is: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every(is);
const isNumber = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0;

const fields: Readonly<Record<string, (value: unknown) => boolean>> = {
  kind: (value) => value === 'mend' || value === 'write' || value === 'say',
  name: (value) => typeof value === 'string' && /^[a-z0-9-]+$/.test(value),
  ...{ lab: isNumber, protocol: isText, role: isText, goal: isText, minutes: isNumber },
  hints: (value) => Array.isArray(value) && value.every(isText),
  systems: isListOf((one) => isText(Object(one).topology)),
};

/**
 * A teacher's own exercises in which students write code.
 *
 * @throws {ConclaveError} `bad-input` for a file that holds no exercises, with the field.
 */
export function codeExercisesIn(path: string): readonly CodeExercise[] {
  const value: unknown = attempt(`The exercises '${path}' cannot be read`, () =>
    JSON.parse(readFileSync(path, 'utf8')),
  );
  if (!Array.isArray(value))
    throw badInput(`'${path}' holds no list of exercises`, 'See docs/teaching.md.');
  for (const [index, one] of value.entries()) requireExercise(path, index, Object(one));
  return value;
}

function requireExercise(path: string, index: number, one: Readonly<Record<string, unknown>>) {
  const needed = one.kind === 'write' ? 'holes' : 'mutants';
  const all = { ...fields, [needed]: isListOf(isText) };
  const wrong = Object.entries(all).find(([name, is]) => !is(one[name]));
  if (wrong)
    throw badInput(
      `Exercise ${index + 1} of '${path}': '${wrong[0]}' is ${JSON.stringify(one[wrong[0]]) ?? 'missing'}`,
      'See docs/teaching.md for the fields.',
    );
}
