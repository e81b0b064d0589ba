import { describe, expect, it } from 'vitest';
import { ClientViews } from './election-run.mjs';

/** Node a leads in term 1 from 100 on, and b in term 4 from 500 on. */
function violationsOf(...looks) {
  const views = new ClientViews();
  for (const [client, id, term, at] of looks) views.showed(client, { id, term, at });
  views.led('a', 1, 100);
  views.led('b', 4, 500);
  views.led('b', 4, 600); // told again
  return views.violations();
}

describe('the judge of clients that follow an election', () => {
  it('accepts a client that shows each leader until the next one leads', () => {
    const looks = [
      ['d 1', 'a', 1, 120],
      ['d 1', 'a', 1, 500],
      ['d 1', null, undefined, 550],
    ];
    expect(violationsOf(...looks, ['d 1', 'b', 4, 900], ['d 2', 'b', 4, 950])).toEqual([]);
  });

  it.each([
    [
      'a term that is over',
      [['d 1', 'a', 1, 520]],
      ['d 1 shows a in term 1 20 µs after another one led in a later term'],
    ],
    [
      'a node that has not led in the term',
      [['d 1', 'c', 4, 510]],
      ['d 1 shows c in term 4, in which it has not led'],
    ],
    [
      'a term that nobody has led in',
      [['d 1', 'a', 2, 300]],
      ['d 1 shows a in term 2, in which it has not led'],
    ],
    [
      'an earlier term after a later one',
      [
        ['d 1', 'b', 4, 490],
        ['d 1', 'a', 1, 495],
      ],
      ['d 1 shows term 1 after 4'],
    ],
  ])('refuses %s', (_what, looks, violations) => {
    expect(violationsOf(...looks)).toEqual(violations);
  });
});
