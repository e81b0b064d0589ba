/** All exercises of the course, numbered by their labs: first those that are links. */

import { readFileSync } from 'node:fs';
import { loadProtocol } from '@conclave/algorithms/load';
import { fittingTime, nextOrFault, RunJudge, Worlds } from '@conclave/check/internal';
import { ConclaveError } from '@conclave/core/protocol';
import { topology } from '@conclave/core/topology';
import { type CodeExercise, codeExercises } from '@conclave/studio/internal/course';
import { labs, numbered } from '@conclave/studio/internal/page';
import { type languages, say } from '@conclave/studio/internal/texts';
import { type Link, linkText } from '@conclave/studio/link';
import { attempt, badInput } from '../errors.js';

/** In which the course and its grades are said. */
export type Language = (typeof languages)[number];

type Exercise = (typeof labs)[number]['exercises'][number];

/** An exercise in code, and its place in the course. */
export interface PlacedCode {
  readonly number: string;
  readonly lab: string;
  readonly exercise: CodeExercise;
}

/**
 * The exercises of a lab, or of all.
 *
 * @param file a teacher's own exercises in code, instead of those of the course
 * @throws {ConclaveError} `bad-input` for a lab that has none, or a file that holds none.
 */
export async function allExercises(
  lab: number | undefined,
  file: string | undefined,
): Promise<{ readonly links: readonly Placed[]; readonly codes: readonly PlacedCode[] }> {
  const isAsked = ({ number }: { readonly number: string }) =>
    lab === undefined || number.startsWith(`${lab}.`);
  const links = (await placedExercises()).filter(isAsked);
  const all = file === undefined ? codeExercises : codeExercisesIn(file);
  const codes = numbered(all).map(({ number, exercise }): PlacedCode => {
    const { title } = labs[exercise.lab - 1] ?? {};
    const lab = title ? say(title) : say('Lab {lab}', { lab: exercise.lab });
    return { number, lab, exercise };
  });
  const asked = codes.filter(isAsked);
  if (links.length + asked.length > 0) return { links, codes: asked };
  throw badInput(`There is no lab ${lab}`, 'conclave course lists the labs.');
}

// A teacher's own exercises in code, from a file.

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

// Whether a link solves an exercise of the course.

/** An exercise and its place in the course. */
export interface Placed {
  /** `3.2`: the second exercise of the third lab. */
  readonly number: string;
  readonly lab: string;
  readonly exercise: Exercise;
  /** What links of the same system have in common. */
  readonly key: string;
}

export type Judgement =
  | { readonly result: 'solved'; readonly steps: number }
  /** The property is not violated by as many steps as are allowed. */
  | { readonly result: 'not solved' }
  /** This step is not possible there. */
  | { readonly result: 'not a run'; readonly step: number };

/** All exercises, in the order of the course. */
const placedExercises = async (): Promise<readonly Placed[]> =>
  Promise.all(
    labs.flatMap(({ title, exercises }, lab) =>
      exercises.map(async (exercise, index) => ({
        ...{ number: `${lab + 1}.${index + 1}`, lab: say(title), exercise },
        key: await keyOf(exercise.link),
      })),
    ),
  );

/** The text that links of the same system share; with the network that is usual without one. */
export async function keyOf({ setup }: Pick<Link, 'setup'>): Promise<string> {
  const { name, topology: needed } = await loadProtocol(setup.protocol, setup.options);
  const spec = setup.topology ?? needed.example(3).spec;
  return linkText({
    setup: { ...setup, protocol: name, topology: spec },
    view: 'world',
    steps: [],
  });
}

/** Takes the steps of a link, as many as the exercise allows, and judges them. */
export async function judgedLink({ setup, steps }: Link, { link }: Exercise): Promise<Judgement> {
  const { property, within } = link.goal;
  const protocol = await loadProtocol(setup.protocol, setup.options);
  const network = topology(setup.topology ?? protocol.topology.example(3).spec);
  const time = fittingTime(protocol, network, setup.budget);
  const worlds = new Worlds(protocol, network, { ...setup.budget, time });
  const judge = new RunJudge(worlds);
  let run = judge.begin();
  let world = worlds.initial;
  const isViolated = () =>
    run.standings.some(({ name, value }) => name === property && value === 'false');
  for (const [index, number] of steps.slice(0, within).entries()) {
    const action = worlds.actions(world)[number];
    if (!action) return { result: 'not a run', step: index + 1 };
    const next = nextOrFault(worlds, world, action);
    run = judge.after(run, action, next);
    if (isViolated()) return { result: 'solved', steps: index + 1 };
    if (next instanceof ConclaveError) break;
    world = next;
  }
  return { result: 'not solved' };
}

// In which language students are spoken to.
