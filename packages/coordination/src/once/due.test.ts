import { expect, it } from 'vitest';
import { type CatchUp, dueAt, ticksOf } from './schedule.js';

const ticks = ticksOf('once', { every: 10 });
const at = (catchUp: CatchUp['catchUp'], now: number, awaited?: number, startWithin = Infinity) =>
  dueAt(ticks, { catchUp, startWithin }, { settled: 20, now, awaited });

const rules = ['none', 'last', 'all'] as const;

it.each(rules)('%s: nothing is due before the next tick', (rule) => {
  expect(at(rule, 29, 30)).toEqual({ tick: undefined, skipped: undefined });
});

it.each(rules)('%s: the tick that it waits for runs', (rule) => {
  expect(at(rule, 30, 30)).toEqual({ tick: 30, skipped: undefined });
  expect(at(rule, 39, 30)).toEqual({ tick: 30, skipped: undefined });
});

it.each(rules)('%s: after a gap', (rule) => {
  expect(at(rule, 65)).toEqual(
    {
      none: { tick: undefined, skipped: { first: 30, last: 60 } },
      last: { tick: 60, skipped: { first: 30, last: 50 } },
      all: { tick: 30, skipped: undefined },
    }[rule],
  );
});

it('none: a tick whose successor is due, too, is late, although it was waited for', () => {
  expect(at('none', 40, 30)).toEqual({ tick: undefined, skipped: { first: 30, last: 40 } });
});

it.each(rules)('%s: a tick that is too old is skipped', (rule) => {
  expect(at(rule, 38, 30, 7)).toEqual({ tick: undefined, skipped: { first: 30, last: 30 } });
  expect(at(rule, 37, 30, 7)).toEqual({ tick: 30, skipped: undefined });
});

it('all: begins with the first tick that is not too old', () => {
  expect(at('all', 65, undefined, 25)).toEqual({ tick: 40, skipped: { first: 30, last: 30 } });
  expect(at('all', 65, undefined, 4)).toEqual({
    tick: undefined,
    skipped: { first: 30, last: 60 },
  });
});
