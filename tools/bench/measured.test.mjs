import { expect, it } from 'vitest';
import { inTurns } from './measured.mjs';

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
