/** What becomes of submissions; the process that looks at them runs the built packages. */
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { temporary } from '../fixtures/conclave.js';
import { codeExercises } from './code-exercises.js';
import { judgedFile } from './confined.js';
import { fewSubmissions, manySubmissions, type Tried } from './submissions.contract.js';

/** Its points, and all that it is told. */
async function judged({ exercise: name, text, seconds = 600, memory = 1024 }: Tried) {
  const exercise = codeExercises.find((one) => one.name === name);
  if (!exercise) throw new Error(`There is no exercise ${name}`);
  const found = await judgedFile(temporary(`${name}.mjs`, text), exercise, { seconds, memory });
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

describe('a submission of code', () => {
  it('has points for a mended chart and for properties, and is stopped where it loops', async () => {
    for (const tried of await fewSubmissions()) await expectJudged(tried);
  });

  it('is told what is wrong with it, in more than twenty ways', async () => {
    proof();
    const all = await manySubmissions();
    expect(all.length).toBeGreaterThan(30);
    const wrong: unknown[] = [];
    for (const tried of all)
      await expectJudged(tried).catch((error: Error) => wrong.push(error.message));
    expect(wrong).toEqual([]);
  });
});
