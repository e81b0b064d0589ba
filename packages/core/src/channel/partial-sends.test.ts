import { describe, expect, it } from 'vitest';
import { Random } from '../base/random.js';
import { drawPart, partialSends } from './partial-sends.js';

describe('what a crash in the middle of a step may lose', () => {
  it('is any combination of channels, and on each the last ones', () => {
    expect(partialSends(['b', 'c'])).toEqual([[], [1], [0], [0, 1]]);
    expect(partialSends(['b', 'b'])).toEqual([[], [1], [0, 1]]);
    expect(partialSends([])).toEqual([[]]);
  });

  it('is drawn from these, each one of them', () => {
    const groups = ['b', 'c', 'b'];
    const random = new Random(1);
    const drawn = new Set(
      Array.from({ length: 200 }, () => drawPart(groups, random).toSorted().join()),
    );
    expect([...drawn].toSorted()).toEqual(partialSends(groups).map(String).toSorted());
  });

  it('is refused where there is too much of it, with what to try', () => {
    const to = (count: number) => Array.from({ length: count }, (_, index) => index);
    expect(partialSends(to(12))).toHaveLength(4_096);
    expect(() => partialSends(to(13))).toThrow(
      'A step sends 13 messages: a crash in the middle of it may lose more than 4,096 different parts',
    );
    expect(() => partialSends(to(40))).toThrow('--atomic-steps');
    expect(partialSends(Array.from({ length: 40 }, () => 'b'))).toHaveLength(41);
  });
});
