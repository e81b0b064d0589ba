import { parseLink } from '@conclave/studio/link';
import { describe, expect, it } from 'vitest';
import { cellOf, columns, faultsIn, rows } from './fault-verdicts.mjs';

const rowOf = (key) => rows.find((row) => row.key === key);
const cellsOf = (key, column) => {
  const row = rowOf(key);
  return faultsIn(
    columns.find(({ name }) => name === column),
    row,
  ).map((fault) => cellOf(row, fault));
};

describe('a cell of the table of faults', () => {
  it.each([
    [
      'idle',
      '✓',
      "--crash 1 --crash-in '!waiting,!critical,!coordinator' --atomic-steps --entries 2",
    ],
    ['special', '○', '--crash 1 --crash-in coordinator --atomic-steps'],
    ['inside', '○', '--crash 1 --crash-in critical --atomic-steps'],
    ['restart', '✗', '--crash 1 --restart 1'],
  ])('A1 %s is %s', (column, mark, options) => {
    const [cell] = cellsOf('A1', column);
    expect(cell).toMatchObject({
      mark,
      command: `npx conclave check A1 --topology star:3 ${options} --unexpected discard`,
    });
  });

  it('has a link to the run that shows it', () => {
    const [cell] = cellsOf('A11', 'duplication');
    expect(cell).toMatchObject({
      mark: '✗',
      property: 'at most one node is in the critical section',
    });
    expect(cell.discarded.length).toBeGreaterThan(0);
    const { setup, steps } = parseLink(cell.link);
    expect(setup).toMatchObject({
      protocol: 'token-ring',
      topology: 'ring:3',
      budget: { duplications: 1, unexpected: 'discard' },
    });
    expect(steps.length).toBeGreaterThan(4);
  });

  it('is none where the fault cannot happen, and says where it is assumed', () => {
    expect(cellsOf('B17', 'loss')).toMatchObject([{ mark: '·' }]);
    expect(cellsOf('B17', 'idle')).toMatchObject([{ mark: '·' }]);
    expect(cellsOf('C2', 'inside')).toEqual([]);
    expect(cellsOf('C2', 'order')).toMatchObject([{ mark: '✓', isAssumed: true }]);
    expect(cellsOf('B4', 'order')).toMatchObject([{ mark: '✗', isAssumed: false }]);
  });
});
