import pc from 'picocolors';
import { expect, it } from 'vitest';
import { heading, table } from './text.js';

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

it('so are the lines above it', () => {
  const rows = [['made of', 'local states: a 14, b 14; 3 messages in 6 channel contents']];
  expect(heading('A3', rows, { colours: pc.createColors(false), width: 40 })).toBe(
    [
      'A3',
      'made of  local states: a 14, b 14; 3',
      '         messages in 6 channel contents',
      '',
    ].join('\n'),
  );
});
