/** What was not explored or measured is not a value in any generated table. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fixed, table } from './generated-table.js';
import { shownOf } from './marks.js';
import { mutationTable, parsedTable } from './mutation-table.js';
import { type EntryOrder, entryOrdersIn } from './mutual-exclusion/causal-fairness/entry-order.js';
import {
  catalogueTable,
  causalText,
  electionTable,
  entryOrderTable,
  overtakingText,
  provedTable,
} from './overview.js';
import { type BenchResults, benchTables } from './performance.js';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const legend = '–: not explored, not measured, or not recorded.';

/** Cells that are no words and no numbers. */
const empty = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => line.split('|').slice(1, -1))
    .map((cell) => cell.trim())
    .filter((cell) => cell === '' || /\b(Infinity|NaN|undefined|null)\b/.test(cell));

describe('a generated table', () => {
  it('has a dash for what is not known, and says what it means', () => {
    const text = table(
      ['a', 'b'],
      [
        [fixed(1 / 3, 2), 0],
        [fixed(0 / 0, 2), -Infinity],
        [undefined, ''],
      ],
    );
    expect(text).toBe(`| a | b |\n| --- | --- |\n| 0.33 | 0 |\n| – | – |\n| – | – |\n\n${legend}`);
    expect(table(['a'], [[1]])).toBe('| a |\n| --- |\n| 1 |');
  });

  const orders = entryOrdersIn(read('docs/entry-order.json'));
  it.each([
    ['catalogue', catalogueTable],
    ['entry order', () => entryOrderTable(orders)],
    ['entry order, nothing explored', () => entryOrderTable({})],
    ['elections', electionTable],
    ['proved', () => provedTable(read('docs/verified.md'))],
    ['proved, nothing verified', () => provedTable('')],
    ['mutants', () => mutationTable(parsedTable(read('docs/mutation.json')).protocols)],
    [
      'results of the benchmark',
      () =>
        benchTables(JSON.parse(read('tools/bench/results.json')) as BenchResults).replace(
          '| target |  | measured |  |',
          '',
        ),
    ], // tools/bench/bench.mjs writes it
  ])('has no empty cell, and no number that is none: %s', (_what, text) => {
    expect(text()).toContain('| --- |');
    expect(empty(text())).toEqual([]);
  });

  it('has none either where a script wrote it', () => {
    const files = ['docs/verified.md', 'docs/torture.md', 'docs/mutation.md'];
    for (const file of files) expect(empty(read(file)).filter((cell) => cell !== '')).toEqual([]);
  });
});

describe('what was explored of a lock', () => {
  const system = { network: 'n', competitors: 2, entries: 2, states: 9 };
  const order = (...causal: EntryOrder['causal']): EntryOrder => ({ causal, overtaking: [] });
  const [any, fifo] = [{ ...system, order: 'any' } as const, { ...system, order: 'fifo' } as const];

  it('with FIFO is said to follow the causal order only where it was explored', () => {
    expect(causalText(order({ ...any, steps: 8 }))).toBe('no, 8 steps; with FIFO not explored');
    expect(causalText(order({ ...any, steps: 8 }, fifo))).toBe('no, 8 steps; with FIFO yes');
    expect(causalText(order({ ...any, steps: 8 }, { ...fifo, steps: 9 }))).toBe('no, 8 steps');
    expect(causalText(order({ ...fifo, steps: 9 }))).toBe('no, 9 steps');
    expect(causalText(order(any))).toBe('yes');
    expect(causalText(order())).toBe('not explored');
  });

  it('says nothing about overtaking where too few entries were explored', () => {
    const ofOne = (...most: readonly number[]) =>
      overtakingText({
        causal: [],
        overtaking: [{ network: 'n', competitors: 2, ofOne: most, ofAll: most, states: most }],
      });
    expect([ofOne(1), ofOne(1, 2, 2, 2), ofOne(1, 2, 3, 4)]).toEqual([
      'not explored',
      '2',
      'grows',
    ]);
  });

  it('is not called forbidden: only a lock that assumes FIFO is not explored without it', () => {
    const rows = entryOrderTable({}).split('\n');
    const cells = (id: string) =>
      rows
        .find((row) => row.startsWith(`| [${id} `))
        ?.split(' | ')
        .slice(1, 3);
    expect(cells('A2')).toEqual(['not allowed', 'not explored']);
    expect(cells('A19')).toEqual(['not explored', 'not explored']);
  });
});

describe('what the tests have shown', () => {
  it('is not known of an algorithm that they do not know', () => {
    expect(shownOf('Z1')).toEqual({
      marks: '',
      mutants: undefined,
      score: undefined,
      largest: undefined,
    });
    expect(shownOf('A1')).toMatchObject({
      mutants: expect.any(Number),
      largest: { states: expect.any(Number) },
    });
  });
});
