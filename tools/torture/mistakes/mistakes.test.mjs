/**
 * A short run of the mistakes of operation over TCP, and whether its judge would see what must not
 * be.
 */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { chosenMistakes } from './mistakes.mjs';
import { judgementOf } from './site.mjs';

const program = fileURLToPath(new URL('../torture.mjs', import.meta.url));

const run = (...options) =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...options],
      { maxBuffer: 2 ** 24, timeout: 600_000 },
      (error, output, errors) => resolve({ code: error ? error.code : 0, output, errors }),
    );
  });

describe('the judge', () => {
  const lines = (text) =>
    text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(' '));
  it.each([
    [
      'one after the other',
      '1 enter a 4\n2 leave a released\n3 enter b 5\n4 leave b released',
      { entries: 2 },
    ],
    [
      'two at once',
      '1 enter a 4\n2 enter b 5\n3 leave a released\n4 leave b released',
      { entries: 2, overlaps: 1 },
    ],
    [
      'one in the long stay of another',
      '1 enter a 4\n2 enter b 5\n3 leave b released\n4 enter c 6\n5 leave c lost\n6 leave a lost',
      { entries: 3, overlaps: 2 },
    ],
    ['one after a kill', '1 enter a 4\n2 killed a\n3 enter b 5', { entries: 2 }],
    ['one after an exit that has no kill', '1 enter a 4\n2 exit a 1\n3 enter b 5', { entries: 2 }],
    ['a token twice', '1 enter a 4\n2 leave a released\n3 enter b 4', { entries: 2, repeated: 1 }],
    ['a smaller token', '1 enter a 4\n2 leave a released\n3 enter b 3', { entries: 2, smaller: 1 }],
  ])('counts %s', (_what, text, found) => {
    expect(judgementOf(lines(text))).toEqual({ overlaps: 0, repeated: 0, smaller: 0, ...found });
  });
});

const unknown = [
  [['--numbers', '99'], "There is no mistake '99'. There are: 1, 2, 3, 4, 5, 6, 7, 8, 9\n"],
  [['--short', '--numbers', '1,5'], "There is no mistake '5'. There are: 1, 2, 3, 4, 6, 7, 8\n"],
];
it.each(sampled(unknown, 1))(
  'refuses %s, and says which mistakes there are',
  async (options, errors) => {
    expect(await run('--mistakes', ...options)).toEqual({ code: 2, output: '', errors });
  },
);

it('docs/mistakes.md has a cell for each mistake and lock, and what its run waited for', () => {
  const page = readFileSync(new URL('../../../docs/mistakes.md', import.meta.url), 'utf8');
  const [titles, , ...rows] = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const mistakes = chosenMistakes({});
  expect(mistakes.length).toBeGreaterThan(rows.length);
  for (const { number, name, common, notice, media } of mistakes) {
    const cells = rows.find((row) => row[2] === name);
    expect(cells[1]).toBe(String(number));
    const [, outcome, entries] = /^(\w+) \((.+)\)$/.exec(cells[titles.indexOf(common.protocol)]);
    expect(entries.split(', ')).toHaveLength(media?.length ?? 3);
    expect([name, outcome]).toEqual([
      name,
      notice ? expect.not.stringMatching('tole') : 'tolerated',
    ]);
    if (notice) expect(cells[titles.indexOf('noticed by')].split(' or ')).toContain(notice);
  }
});

proof('each mistake is refused by name or tolerated', async () => {
  const numbers = sampled([1, 2, 3, 4, 6, 7, 8], 1);
  const { code, output, errors } = await run(
    ...['--mistakes', '--short', '--only', 'tcp', '--numbers', numbers.join(), '--json'],
  );
  expect([code, errors]).toEqual([0, '']);
  const { runs } = JSON.parse(output);
  expect(runs.map(({ number }) => number)).toEqual(numbers);
  for (const { judges = [], missing, ...found } of runs)
    expect([missing, ...judges.map((what) => found[what])]).toEqual([[], ...judges.map(() => 0)]);
});
