import { expect, it } from 'vitest';
import { inTurns } from './measured.mjs';
import { lockSpeedText } from './results.mjs';

it('measures the tools that come after one that fails', async () => {
  const turns = [];
  const tool = (name, runs) => ({
    name,
    runs,
    measure: async () => {
      turns.push(name);
      if (name === 'b') throw new Error('down');
      return turns.length;
    },
  });
  const failures = [];
  const results = await inTurns([tool('a', 2), tool('b', 2), tool('c', 1)], {
    progress: () => {},
    failed: (name, error) => failures.push(`${name}: ${error.message}`),
  });
  expect(turns).toEqual(['a', 'b', 'c', 'a']);
  expect(results).toEqual([[1, 4], [], [3]]);
  expect(failures).toEqual(['b: down']);
});

it('shows of the locks those that were measured, with the k of the record', () => {
  const figures = {
    'alone, entries a second': [7, 7, 7],
    'all, entries a second': [1234.4, 1, 2000],
    'longest, ms': [5, 5, 5],
  };
  const rows = ['etcd', 'naimiTrehel over tcp, greedy 8'].map((tool) => ({ tool, figures }));
  const results = { date: 'today', machine: 'two cores', runs: 5 };
  const parts = [{ name: 'lock', rows, runs: 1 }];
  const text = lockSpeedText({ ...results, parts }, 'docs/lock-speed.md');
  expect(text.split('\n').filter((line) => line.startsWith('| `'))).toEqual([
    '| `naimiTrehel({ greedy: k })`, k = 8 | 0.0 | 0.3 | 7 | 1,234 | 5.00 |',
  ]);
  expect(text).toContain('on today (two cores), one measurement each: five');
  expect(text).toContain('](../tools/bench/results.md#');
});
