/** Exercises in which students write code: data, so that a teacher adds some of another file. */
import { readFileSync } from 'node:fs';
import type { Setup } from '@conclave/studio/link';
import { attempt, badInput } from '../errors.js';

/** A system on which a submission is explored. */
export interface GradedSystem {
  readonly topology: string;
  readonly budget?: Setup['budget'];
}

export interface CodeExercise {
  /**
   * `mend`: a chart with one mistake becomes right. `write`: the rules of some states are missing.
   * `say`: properties tell the protocol from mutants of it.
   */
  readonly kind: 'mend' | 'write' | 'say';
  /** Also the name of the student's file. */
  readonly name: string;
  /** The lab that it belongs to. */
  readonly lab: number;
  /** In the catalogue, by its name. */
  readonly protocol: string;
  readonly role: string;
  readonly goal: string;
  readonly minutes: number;
  /** Each says more than the one before. */
  readonly hints: readonly string[];
  /** The ids of mutants of the protocol. `mend`: the one to mend. `say`: those to be noticed. */
  readonly mutants?: readonly string[];
  /** `write`: the states whose rules are missing, such as `passive.asleep`. */
  readonly holes?: readonly string[];
  /** Hidden from the students, the smallest first. */
  readonly systems: readonly GradedSystem[];
}

/** A part of an exercise, which is worth a point. */
export interface Part {
  readonly name: string;
  readonly passed: boolean;
  /** Why not: with the run that shows it, and its link behind `#`. */
  readonly feedback?: string;
  readonly link?: string;
}

/** How many points there are for it. */
export const pointsOf = ({ kind, mutants = [], systems }: CodeExercise): number =>
  kind === 'say' ? mutants.length : systems.length;

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
