/** Exercises in code, judged in the page as by the command. */
import { runInThisContext } from 'node:vm';
import * as algorithms from '@conclave/algorithms';
import { explore } from '@conclave/check';
import { topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { transform } from 'sucrase';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  cheats,
  fewSubmissions,
  manySubmissions,
  type Tried,
} from '../../../cli/src/course/submissions.contract.js';
import { pageExercise, pageExercises } from '../build/page.js';
import { codeExercises } from '../course/code-exercises.js';
import { numbered } from '../course/exercises.js';
import { type PageExercise, withStates } from '../course/judge.js';
import { mutantIn, protocolIn } from '../course/starting-file.js';
import { shareModules } from '../model/page-modules.js';
import { NearWorker } from '../worker/near-worker.contract.js';
import { Judging } from './trial.js';
import { moduleScript } from './user-module.js';

beforeAll(() => shareModules(() => algorithms));
afterEach(() => {
  vi.useRealTimers();
});

const openPort = (script: string) => {
  runInThisContext(moduleScript(script), { filename: 'blob:written' });
  return new NearWorker();
};

let exercises: Promise<readonly PageExercise[]> | undefined;
/** All: the versions that properties are judged by take their time. */
const allExercises = () => {
  exercises ??= pageExercises();
  return exercises;
};

/** The first of all: a chart to mend. */
async function firstExercise(): Promise<PageExercise> {
  const [first] = numbered(codeExercises);
  if (!first) throw new Error('There is no exercise');
  return pageExercise(first);
}

/** Its points, and all that it is told. */
async function judged(
  { exercise: name, text }: Pick<Tried, 'exercise' | 'text'>,
  among: readonly PageExercise[],
) {
  const exercise = among.find((one) => one.name === name);
  if (!exercise) throw new Error(`There is no exercise ${name}`);
  const judging = new Judging(openPort);
  judging.start(transform(text, { transforms: ['typescript', 'imports'] }).code, exercise);
  await expect.poll(() => judging.running.value, { timeout: 60_000, interval: 20 }).toBe(false);
  const parts = judging.parts.value ?? [];
  const told = parts.map(({ name, feedback, link }) => `${name} ${feedback} ${link}`);
  return {
    points: parts.filter(({ passed }) => passed).length,
    told: [judging.problem.value?.what ?? '', ...told].join('\n'),
  };
}

/** What of these is judged in another way than by the command. */
async function judgedOtherwise(all: readonly Tried[], among: readonly PageExercise[]) {
  const others: unknown[] = [];
  for (const tried of all) {
    const { what, points, says } = tried;
    const found = await judged(tried, among);
    const isSaid = typeof says === 'string' ? found.told.includes(says) : says.test(found.told);
    if (found.points !== points || !isSaid) others.push({ what, ...found });
  }
  return others;
}

describe('what is written for an exercise', () => {
  it('has points for a mended chart, and none for one with code in it', async () => {
    const known = [...(await fewSubmissions()), ...(await manySubmissions())];
    const sample = known.filter(({ what }) => ['mended', 'an inline action'].includes(what));
    expect(sample.map(({ points }) => points)).toEqual([3, 0]);
    expect(await judgedOtherwise(sample, [await firstExercise()])).toEqual([]);
  });

  proof('is judged as by the command', async () => {
    const known = await Promise.all([fewSubmissions(), manySubmissions(), cheats()]);
    const all = known.flat().filter(isJudgedAlike);
    expect(all.length).toBeGreaterThan(30);
    expect(await judgedOtherwise(all, await allExercises())).toEqual([]);
  });

  it('is stopped where it does not end', async () => {
    const exercise = await firstExercise();
    vi.useFakeTimers();
    const worker = new NearWorker();
    if (worker.scope) worker.scope.onmessage = null; // it never answers
    const judging = new Judging(() => worker);
    judging.start('', exercise);
    await vi.advanceTimersByTimeAsync(29_999);
    expect([judging.running.value, worker.terminated]).toEqual([true, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect([judging.running.value, worker.terminated]).toEqual([false, 1]);
    expect(judging.problem.value?.what).toMatch(/has not ended within 30 s/);
  });
});

/**
 * Not what a process of its own refuses or ends: the worker of a page has no files to lose. Nor what
 * takes the solution from the catalogue, which only the command hides: points of a page are no grade.
 */
const isJudgedAlike = ({ what, seconds }: Tried): boolean =>
  (seconds === undefined || what.startsWith('writ')) &&
  ![
    ...['finds the process', 'imports what it computes', 'makes code of text', 'looks at others'],
    ...['changes what all use', 'takes memory', 'takes memory beside the heap', 'calls out'],
    ...['ends early', 'a syntax error', 'reads a file', 'opens a socket', 'overwrites results'],
    ...['prints a lot', 'keeps what it saw beside the module', 'looks for the chart elsewhere'],
    ...['calls the properties of the catalogue', 'takes the properties of another lock'],
    'copies the chart of the catalogue',
  ].includes(what);

describe('the exercises of the page', () => {
  const expectNoSolution = (exercises: readonly PageExercise[]) => {
    const text = JSON.stringify(exercises);
    for (const { mutants = [] } of codeExercises)
      for (const id of mutants) expect(text).not.toContain(id);
    expect(exercises.flatMap((exercise) => Object.keys(exercise))).not.toContain('holes');
  };

  it('are numbered by their places, and hold no solution', async () => {
    const numbers = numbered(codeExercises).map(({ number }) => number);
    expect(numbers).toEqual(['1.4', '2.4', '1.5', '4.4', '3.4', '4.5']);
    expectNoSolution([await firstExercise()]);
  });

  proof('hold no solution, and have the mutants of the catalogue', async () => {
    const exercises = await allExercises();
    expectNoSolution(exercises);
    for (const [place, exercise] of codeExercises.entries()) {
      const { role, mutants = [], systems } = exercise;
      const known = exercises[place]?.mutants ?? [];
      expect(known).toHaveLength(exercise.kind === 'say' ? mutants.length : 0);
      const right = await protocolIn(exercise);
      const [{ topology: spec, budget } = { topology: '' }] = systems;
      for (const [index, { states }] of JSON.parse(JSON.stringify(known)).entries()) {
        const found = [
          withStates(right, role, states),
          mutantIn(right, mutants[index] ?? '').protocol,
        ]
          .map((protocol) => explore(protocol, topology(spec), { ...budget }))
          .map(({ states, transitions, properties }) => ({
            ...{ states, transitions },
            verdicts: properties.map(({ verdict }) => verdict),
          }));
        expect(found[0]).toEqual(found[1]);
      }
    }
  });
});
