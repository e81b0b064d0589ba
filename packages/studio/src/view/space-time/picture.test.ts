import { describe, expect, it } from 'vitest';
import { Session } from '../../model/session.js';
import { systemOf } from '../../model/system.js';
import { wordsOf } from '../../model/words.js';
import { causesOf, faultAt, linesUpTo, lineText, partAround, repeatsFrom } from './picture.js';

describe('the part of a run that is drawn', () => {
  it('holds the present line and 48 before it, and moves by blocks', () => {
    for (const length of [0, 1, 71, 72, 73, 500, 1000])
      for (let at = 0; at <= length; at++) {
        const { from, to } = partAround(at, length, 0);
        expect(from).toBeLessThanOrEqual(Math.max(0, at - Math.min(at, 48)));
        expect(to).toBeGreaterThanOrEqual(at);
        expect(to - from).toBeLessThanOrEqual(72);
        expect(from % 24).toBe(0);
      }
    expect(partAround(500, 1000, 0)).toEqual(partAround(501, 1000, 0));
  });

  it('moves to both ends, and not beyond', () => {
    expect(partAround(500, 1000, -100)).toEqual({ from: 0, to: 72 });
    expect(partAround(500, 1000, 100)).toEqual({ from: 936, to: 1000 });
    expect(partAround(3, 5, 2)).toEqual({ from: 0, to: 5 });
  });
});

describe('lines and moments', () => {
  it('agree where nodes choose at their start', async () => {
    const session = new Session(
      await systemOf({ protocol: 'B15', options: {}, topology: 'ring:3', budget: {} }),
    );
    for (let step = 0; step < 6; step++) session.take(0);
    const lines = session.run.lines(session.tip.value);
    for (const moment of session.path.value.slice(1)) {
      const own = lines.findLastIndex((line) => line.moment === moment);
      expect(own).toBeGreaterThanOrEqual(0);
      const count = linesUpTo(lines, moment);
      expect(count).toBeGreaterThan(own);
      expect(lines.slice(0, count).every((line) => line.moment.depth <= moment.depth)).toBe(true);
    }
    expect(linesUpTo(lines, session.tip.value)).toBe(lines.length);
    const [first] = lines.filter(({ moment }) => moment.depth === 1);
    expect(first && lineText(first)).toBe('Step 1: a elect, asleep → drawing');
  });

  it('agree where the start of a node comes after a choice of another', async () => {
    const session = new Session(await systemOf({ protocol: 'A3', options: {}, budget: {} }));
    for (let step = 0; step < 2; step++) session.take(0);
    const [start, first, second] = session.path.value;
    const { line } = session.run.lines(session.tip.value)[0] ?? {};
    if (!start || !first || !second || !line) throw new Error('no run');
    const lines = [start, first, start, second].map((moment) => ({ line, moment }));
    expect([start, first, second].map((moment) => linesUpTo(lines, moment))).toEqual([1, 3, 4]);
  });

  it('tell where a run repeats', async () => {
    const session = new Session(await systemOf({ protocol: 'A3', options: {}, budget: {} }));
    for (let step = 0; step < 5; step++) session.take(0);
    const { tip, path, run } = session;
    const lines = run.lines(tip.value);
    expect(repeatsFrom(lines, tip.value, undefined)).toBeUndefined();
    expect(repeatsFrom(lines, tip.value, tip.value)).toBe('ended');
    expect(repeatsFrom(lines, tip.value, path.value[2])).toBe(2);
    expect(faultAt(tip.value)).toBeUndefined();
  });
});

it('what happened before a step, by its node or by what reached it', async () => {
  const session = new Session(
    await systemOf({ protocol: 'A3', options: {}, topology: 'complete:3', budget: {} }),
  );
  const { system, run } = session;
  for (const words of [
    'a acquires',
    'c acquires',
    'deliver request(1) from a to b',
    'deliver request(1) from c to a',
    'deliver reply from b to a',
  ]) {
    const actions = run.actions(session.now.value);
    session.take(
      actions.findIndex((one) => wordsOf(system, session.now.value.world, one) === words),
    );
  }
  const trace = run.trace(session.tip.value);
  const of = (line: number) => [...causesOf(trace, line)];
  expect(of(0)).toEqual([0]);
  expect(of(2)).toEqual([0, 2]); // not that c acquires
  expect(of(3)).toEqual([0, 1, 3]);
  expect(of(4)).toEqual([0, 1, 2, 3, 4]);
});
