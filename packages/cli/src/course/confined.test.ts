/** What becomes of submissions; the process that looks at them runs the built packages. */

import { readFileSync } from 'node:fs';
import { codeExercises, judgeOf, pointsOf, startingFile } from '@conclave/studio/internal/course';
import { proof, quickOf, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { protocolIn } from '../../../studio/src/course/starting-file.js';
import { temporary } from '../fixtures/conclave.js';
import { judgedFile } from './confined.js';
import { codeExercisesIn } from './exercises.js';
import { cheats, fewSubmissions, manySubmissions, type Tried } from './submissions.contract.js';

/** Its points, and all that it is told. */
async function judged({ exercise: name, text, ...limits }: Tried & { readonly seed?: number }) {
  const { seconds = 600, memory = 1024, seed = 7 } = limits;
  const exercise = codeExercises.find((one) => one.name === name);
  if (!exercise) throw new Error(`There is no exercise ${name}`);
  const found = await judgedFile(temporary(`${name}.mjs`, text), exercise, {
    seconds,
    memory,
    seed,
  });
  if ('error' in found) return { points: 0, told: found.error };
  const told = found.parts.map(({ name, feedback, link }) => `${name} ${feedback} ${link}`);
  return { points: found.parts.filter(({ passed }) => passed).length, told: told.join('\n') };
}

async function expectJudged(tried: Tried): Promise<void> {
  const { points, told } = await judged(tried);
  expect({ what: tried.what, points, told }).toEqual({
    ...{ what: tried.what, points: tried.points },
    told:
      typeof tried.says === 'string'
        ? expect.stringContaining(tried.says)
        : expect.stringMatching(tried.says),
  });
}

/** The worlds of many mutants, which judge properties, take ten seconds to find. */
const isQuick = ({ exercise }: Tried): boolean => exercise.startsWith('mend');

describe('a submission of code', () => {
  it('has points for a mended chart and for properties, and is stopped where it loops', async () => {
    for (const tried of quickOf(await fewSubmissions(), isQuick)) await expectJudged(tried);
  });

  proof('wins no point by a cheat', async () => {
    const all = await cheats();
    expect(all.length).toBeGreaterThan(15);
    for (const tried of sampled(quickOf(all, isQuick), 3)) await expectJudged(tried);
  });

  proof('has the same points whatever the seed', async () => {
    const [, , said] = await fewSubmissions();
    if (!said) throw new Error('There is no submission');
    for (const seed of [1, 2, 3])
      expect(await judged({ ...said, seed })).toMatchObject({ points: 5 });
  });

  proof('is told what is wrong with it, in more than twenty ways', async () => {
    const all = await manySubmissions();
    expect(all.length).toBeGreaterThan(30);
    const wrong: unknown[] = [];
    for (const tried of all)
      await expectJudged(tried).catch((error: Error) => wrong.push(error.message));
    expect(wrong).toEqual([]);
  });
});

describe('the exercises in code', () => {
  it('have starting files without a solution', async () => {
    const texts = await Promise.all(codeExercises.map(startingFile));
    const [mend = '', , say = '', , write = ''] = texts;
    expect(mend).toContain("request: [{ actions: ['witness', 'defer'] }, {");
    expect(say).toContain('and 4 others are hidden');
    expect(write).toContain("wanted: { tags: 'waiting', on: {} }");
    expect(write).toContain('- TR4: A node that leaves passes the token on.');
    expect(write).not.toContain('TR5');
  });

  proof('have no point for a starting file, and all for the chart of the catalogue', async () => {
    for (const exercise of [...codeExercises, ...codeExercisesIn(ownFile())]) {
      const text = await startingFile(exercise);
      const file = temporary(`${exercise.name}.mjs`, text);
      const found = await judgedFile(file, exercise, { seconds: 600, memory: 1024, seed: 7 });
      const parts = 'parts' in found ? found.parts : [];
      expect(parts.map(({ passed }) => passed)).toEqual(
        Array.from({ length: pointsOf(exercise) }, () => false),
      );
      if (exercise.kind === 'say') continue;
      const protocol = await protocolIn(exercise);
      const { states } = protocol.roles[exercise.role]?.machine.config ?? {};
      const solved = (await judgeOf(exercise)).ofStates(states);
      expect(solved.filter(({ passed }) => !passed)).toEqual([]);
    }
  });

  it('of a teacher are refused with the field that is wrong', () => {
    const [own] = codeExercisesIn(ownFile());
    const of = (value: unknown) => () =>
      codeExercisesIn(temporary('own.json', JSON.stringify(value)));
    expect(own?.name).toBe('mend-lock');
    expect(of({})).toThrow('holds no list of exercises');
    expect(of([{ ...own, kind: 'guess' }])).toThrow('\'kind\' is "guess"');
    expect(of([{ ...own, kind: 'write' }])).toThrow("'holes' is missing");
    expect(of([{ ...own, systems: [{}] }])).toThrow("'systems' is [{}]");
  });
});

/** The exercises on the page of teaching. */
function ownFile(): string {
  const page = readFileSync(new URL('../../../../docs/teaching.md', import.meta.url), 'utf8');
  return temporary('own.json', /```json\n(.*?)```/s.exec(page)?.[1] ?? '');
}
