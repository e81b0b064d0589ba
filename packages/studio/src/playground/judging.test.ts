/** Exercises in code, judged in the page as by the command. */
import { runInThisContext } from 'node:vm';
import * as algorithms from '@conclave/algorithms';
import { explore } from '@conclave/check';
import { topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { transform } from 'sucrase';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  fewSubmissions,
  manySubmissions,
  type Tried,
} from '../../../cli/src/course/submissions.contract.js';
import { pageExercises } from '../build/page.js';
import { codeExercises } from '../course/code-exercises.js';
import { type PageExercise, withStates } from '../course/judge.js';
import { mutantIn, protocolIn } from '../course/starting-file.js';
import { shareModules } from '../model/page-modules.js';
import { grading } from '../texts/german/grading.js';
import { NearWorker } from '../worker/near-worker.contract.js';
import { Judging } from './trial.js';
import { writtenScript } from './user-module.js';

let exercises: readonly PageExercise[] = [];
beforeAll(async () => {
  shareModules(() => algorithms);
  exercises = await pageExercises();
});
afterEach(() => {
  vi.useRealTimers();
});

const begin = (script: string) => {
  runInThisContext(writtenScript(script), { filename: 'blob:written' });
  return new NearWorker();
};

/** Its points, and all that it is told. */
async function judged({ exercise: name, text }: Pick<Tried, 'exercise' | 'text'>) {
  const exercise = exercises.find((one) => one.name === name);
  if (!exercise) throw new Error(`There is no exercise ${name}`);
  const judging = new Judging(grading, begin);
  judging.start(transform(text, { transforms: ['typescript', 'imports'] }).code, exercise);
  await expect.poll(() => judging.running.value, { timeout: 60_000, interval: 20 }).toBe(false);
  const parts = judging.parts.value ?? [];
  const told = parts.map(({ name, feedback, link }) => `${name} ${feedback} ${link}`);
  return {
    points: parts.filter(({ passed }) => passed).length,
    told: [judging.problem.value?.what ?? '', ...told].join('\n'),
  };
}

const expectJudged = async (tried: Tried) =>
  expect({ what: tried.what, ...(await judged(tried)) }).toEqual({
    ...{ what: tried.what, points: tried.points },
    told:
      typeof tried.says === 'string'
        ? expect.stringContaining(tried.says)
        : expect.stringMatching(tried.says),
  });

describe('what is written for an exercise', () => {
  it('has points for a mended chart and for properties', async () => {
    const tried = (await fewSubmissions()).filter(({ seconds }) => seconds === undefined);
    expect(tried).toHaveLength(2);
    for (const one of tried) await expectJudged(one);
  });

  proof('is judged as by the command', async () => {
    const wrong: unknown[] = [];
    const all = (await manySubmissions()).filter(isJudgedAlike);
    expect(all.length).toBeGreaterThan(18);
    for (const one of all)
      await expectJudged(one).catch((error: Error) => wrong.push(error.message));
    expect(wrong).toEqual([]);
  });

  it('is stopped where it does not end', async () => {
    vi.useFakeTimers();
    const worker = new NearWorker();
    if (worker.scope) worker.scope.onmessage = null; // it never answers
    const judging = new Judging(grading, () => worker);
    const [exercise] = exercises;
    if (!exercise) throw new Error('There is no exercise');
    judging.start('', exercise);
    await vi.advanceTimersByTimeAsync(29_999);
    expect([judging.running.value, worker.terminated]).toEqual([true, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect([judging.running.value, worker.terminated]).toEqual([false, 1]);
    expect(judging.problem.value?.what).toMatch(/has not ended within 30 s/);
  });
});

/** What a process of its own refuses, or ends: the worker of a page has no files to lose. */
const isJudgedAlike = ({ what, seconds }: Tried): boolean =>
  (seconds === undefined || what.startsWith('writ')) &&
  ![
    ...['finds the process', 'imports what it computes', 'makes code of text', 'looks at others'],
    ...['changes what all use', 'takes memory', 'takes memory beside the heap', 'calls out'],
    ...['ends early', 'a syntax error', 'reads a file', 'opens a socket', 'overwrites results'],
    'prints a lot',
  ].includes(what);

describe('the exercises of the page', () => {
  it('hold no solution', () => {
    const text = JSON.stringify(exercises);
    for (const { mutants = [] } of codeExercises)
      for (const id of mutants) expect(text).not.toContain(id);
    expect(exercises.map(({ number }) => number)).toEqual([
      ...['1.4', '2.4', '1.5', '4.4', '3.4', '4.5'],
    ]);
    expect(exercises.flatMap((exercise) => Object.keys(exercise))).not.toContain('holes');
  });

  it('have the mutants of the catalogue', async () => {
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
