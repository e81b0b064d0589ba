import { expect, it } from 'vitest';
import { table } from './text.js';

const rows = [
  ['A1', 'at most one node is in the critical section', 'holds'],
  ['A2', 'short', 'violated'],
];

it('a table without a width has one line a row', () => {
  expect(table(rows)).toBe(
    'A1  at most one node is in the critical section  holds\nA2  short                                        violated\n',
  );
});

it('in a terminal, the widest column is broken between words', () => {
  expect(table(rows, 40)).toBe(
    [
      'A1  at most one node is in the  holds',
      '    critical section',
      'A2  short                       violated',
      '',
    ].join('\n'),
  );
  for (const width of [30, 40, 50, 60, 80])
    for (const line of table(rows, width).split('\n'))
      expect(line.length).toBeLessThanOrEqual(width);
});
