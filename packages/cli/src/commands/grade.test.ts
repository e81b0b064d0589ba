import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadProtocol } from '@conclave/algorithms/load';
import { explore } from '@conclave/check';
import { fittingTime } from '@conclave/check/internal';
import { topology } from '@conclave/core/topology';
import { codeExercises } from '@conclave/studio/internal/course';
import { labs } from '@conclave/studio/internal/page';
import { type Link, linkText } from '@conclave/studio/link';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { grading } from '../../../studio/src/texts/german.js';
import type { Grade } from '../course/grade.js';
import { conclave, json, temporary } from '../fixtures/conclave.js';

const exercises = labs.flatMap(({ exercises }) => exercises);
const bully = exercises.find(({ link }) => link.setup.protocol === 'bully');
const solved = (steps: readonly number[], more: Partial<Link> = {}): string =>
  `https://example.org/studio.html#${linkText({ ...(bully?.link as Link), ...more, steps })}`; // it is there

/** A folder with a file for each student. */
function handedIn(files: Readonly<Record<string, string>>): string {
  const folder = temporary('submissions');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('conclave course', () => {
  it('lists the exercises of the studio with their links', async () => {
    const { value } = await json('course');
    expect(value.map(({ number }: { readonly number: string }) => number).slice(0, 4)).toEqual([
      '1.1',
      '1.2',
      '1.3',
      '2.1',
    ]);
    expect(value).toHaveLength(exercises.length + codeExercises.length);
    expect((await conclave(['course'])).stdout).toContain('#lamport?order=any&notes=');
  });

  it('says all of it in German, and writes what students start from', async () => {
    const out = join(temporary('german'), 'lab');
    const { stdout } = await conclave(['course', '--lab', '1', '--lang', 'de', '--out', out]);
    expect(stdout).toMatch(/^Sperren: alle fragen\n/);
    expect(stdout).toContain('Zu verletzen (höchstens 8 Schritte): at most one node is in');
    expect(stdout).toContain('#lamport?order=any&lang=de&notes=');
    const page = readFileSync(join(out, 'README.md'), 'utf8');
    expect(page).toContain('jeder eintritt, und immer nur einer. 20 Minuten, 3 Punkte.');
    const file = readFileSync(join(out, 'say-ricart-agrawala.mjs'), 'utf8');
    expect(file).toContain(' * und 4 weitere sind verborgen, mit Mutanten');
    for (const [english] of Object.entries(grading).filter(([english]) => english.length > 20))
      expect([stdout, page, file].join('\n')).not.toContain(english);
  });
});

describe('conclave grade', () => {
  proof('gives its feedback in German, also on code', async () => {
    const folder = handedIn({
      'ada/say-ricart-agrawala.mjs': 'export const nothing = 1;',
      'ada/links.txt': solved([0, 99]),
    });
    const { value } = await json('grade', folder, '--lang', 'de');
    const [grade] = value as readonly Grade[];
    const feedback = new Map(grade?.exercises.map(({ number, feedback }) => [number, feedback]));
    expect(feedback.get('5.1')).toBe('Schritt 2 ist dort nicht möglich');
    expect(feedback.get('1.5')).toMatch(/^es exportiert kein Protokoll/);
    expect(feedback.get('2.1')).toBe('nicht versucht');
  });

  it('gives a point for each exercise whose property a link violates', async () => {
    const folder = handedIn({
      'ada.md': `My solution: [link](${solved([0, 4, 1])}), found after ${solved([0, 0])}`,
      'ben/notes.txt': `${solved([0, 4])}\n`,
      'cleo.txt': solved([0, 99]),
      'dan.txt': 'I have lost my links.',
      'eve.txt': `${solved([0, 4, 1], { setup: { protocol: 'raymnd', options: {}, budget: {} } })} #bully?steps=x`,
    });
    const results = temporary('graded');
    const { value, exitCode } = await json('grade', folder, '--lab', '5', '--results', results);
    expect(exitCode).toBe(0);
    const summary = value.map((one: Record<string, unknown>) => [
      one.student,
      one.points,
      (one.exercises as readonly { readonly result: string }[])[0]?.result,
      (one.problems as readonly string[]).length,
    ]);
    expect(summary).toEqual([
      ['ada', 1, 'solved', 0],
      ['ben', 0, 'not solved', 0],
      ['cleo', 0, 'not a run', 0],
      ['dan', 0, 'not tried', 1],
      ['eve', 0, 'not tried', 2],
    ]);
    expect(JSON.parse(readFileSync(join(results, 'ada', 'results.json'), 'utf8'))).toMatchObject({
      score: 1,
      tests: [
        { name: '5.1 Elections and time', score: 1, max_score: 1, output: 'solved, in 3 steps' },
        { score: 0, output: 'not tried' },
        { score: 0 },
      ],
    });
    const { stdout } = await conclave(['grade', folder, '--lab', '5']);
    expect(stdout).toMatch(/^student +points +5\.1 +5\.2 +5\.3\nada +1 of 3 +✓ +· +·\n/);
    expect(stdout).toContain('cleo, 5.1: step 2 is not possible there\n');
    expect(stdout).toContain('dan: It has no link of the studio, and no file with code\n');
  });

  it('shows control characters of names and links, and repeats a seed', async () => {
    const folder = handedIn({ 'ben\u001b[2K\u202e.txt': '#bully?steps=\u001b[1A' });
    const { value } = await json('grade', folder, '--lab', '5', '--seed', '42');
    const [{ student, problems, seed }] = value;
    expect([student, seed]).toEqual(['ben\\u001b[2K\\u202e', 42]);
    expect(problems.join()).toContain('\\u001b[1A');
    const { stdout } = await conclave(['grade', folder, '--lab', '5']);
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  it('writes the results of one student, also for Classroom 50', async () => {
    const folder = handedIn({ 'links.txt': solved([0, 4, 1]) });
    const results = temporary('graded');
    for (const [name, value] of Object.entries({
      ...{
        CLASSROOM: 'vs',
        ASSIGNMENT: 'lab-5',
        COMMIT_URL: 'https://c',
        RELEASE_URL: 'https://r',
      },
      SUBMISSION_TAG: 'submit/2026-06-01T14-32-05Z-a1b2c3d',
    }))
      vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    await conclave(['grade', folder, '--one', '--lab', '5', '--results', results]);
    expect(JSON.parse(readFileSync(join(results, 'result.json'), 'utf8'))).toMatchObject({
      ...{ schema: 'classroom50/result/v1', classroom: 'vs', assignment: 'lab-5' },
      ...{ commit: 'https://c', release: 'https://r', review: 'https://c' },
      ...{ datetime: '2026-06-01T14:32:05Z', score: 1, 'max-score': 3 },
      tests: [{ 'test-name': '5.1 Elections and time', passed: true }, {}, {}],
    });
  });

  it('does not count steps after those that are allowed, nor another system', async () => {
    const idle = bully?.link.setup;
    const other = idle && { ...idle, budget: { ...idle.budget, losses: 1 } };
    const folder = handedIn({
      'late.txt': solved([0, 0, 0, 0, 4, 1]),
      'other.txt': solved([0, 4, 1], other && { setup: other }),
    });
    const { value } = await json('grade', folder, '--lab', '5');
    expect(value.map(({ points }: { readonly points: number }) => points)).toEqual([0, 0]);
  });

  it('refuses a folder without submissions, and a lab that is not there', async () => {
    const folder = handedIn({ 'ada.txt': '' });
    for (const [argv, what] of [
      [['grade', join(folder, 'nowhere')], 'cannot be read'],
      [['grade', folder, '--lab', '99'], 'There is no lab 99'],
    ] as const) {
      const { exitCode, stderr } = await conclave(argv);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(what)]);
    }
  });

  proof('accepts what the explorer finds, for every exercise', async () => {
    const links = await Promise.all(
      exercises.map(async ({ link }) => {
        const { setup, goal } = link;
        const protocol = await loadProtocol(setup.protocol, setup.options);
        const network = topology(setup.topology ?? protocol.topology.example(3).spec);
        const time = fittingTime(protocol, network, setup.budget);
        const { properties } = explore(protocol, network, {
          ...setup.budget,
          time,
          limits: { states: 300_000 },
        });
        const steps = properties.find(({ name }) => name === goal.property)?.steps ?? [];
        return `#${linkText({ ...link, steps })}`;
      }),
    );
    const folder = handedIn({ 'explorer.txt': links.join('\n') });
    const { value } = await json('grade', folder);
    expect([value[0].points, value[0].problems]).toEqual([exercises.length, []]);
  });
});
