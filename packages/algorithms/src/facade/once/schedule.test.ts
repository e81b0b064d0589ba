import { sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type Schedule, ticksOf } from './schedule.js';

const at = (text: string) => Date.parse(text);
const day = 86_400_000;

/** The next ticks after `from`. */
function nextOf(schedule: Schedule, from: string, count: number): readonly string[] {
  const ticks = ticksOf('once', schedule);
  const found: string[] = [];
  for (let time = at(from); found.length < count; found.push(new Date(time).toISOString()))
    time = ticks.next(time);
  return found;
}

describe('every', () => {
  it('has its ticks at multiples since 1970, whenever a process starts', () => {
    const { next, latest } = ticksOf('once', { every: '10s' });
    expect([next(19_999), next(20_000), latest(19_999), latest(20_000)]).toEqual([
      20_000, 30_000, 10_000, 20_000,
    ]);
  });

  it.each([
    [250, 250],
    ['250ms', 250],
    ['5m', 300_000],
    ['2 h', 7_200_000],
    ['1d', day],
  ])('%s is %i ms', (every, ms) => {
    expect(ticksOf('once', { every }).next(0)).toBe(ms);
  });

  it.each([0, -5, 1.5, Number.NaN, Infinity, '', '10', '-1s', '0s', '1w', '1.5s', true])(
    'refuses %s',
    (every) => {
      expect(() => ticksOf('once', { every } as Schedule)).toThrow(
        /Give whole milliseconds above 0/,
      );
    },
  );
});

describe('at', () => {
  it('is UTC by default, whatever the machine', () => {
    expect(nextOf({ at: '0 3 * * 1-5' }, '2026-11-27T03:00:00Z', 2)).toEqual([
      '2026-11-30T03:00:00.000Z',
      '2026-12-01T03:00:00.000Z',
    ]);
  });

  it('takes seconds', () => {
    const { next, latest } = ticksOf('once', { at: '*/20 * * * * *' });
    expect([next(999), next(20_000), latest(59_999), latest(60_000)]).toEqual([
      20_000, 40_000, 40_000, 60_000,
    ]);
  });

  it.each(sampled(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'], 1))(
    'next and latest agree in %s, also where clocks change',
    (timeZone) => {
      for (const text of ['30 2 * * *', '*/30 * * * *', '0 2 * * 0']) {
        const ticks = ticksOf('once', { at: text, timeZone });
        for (const start of ['2026-03-07', '2026-04-04', '2026-10-03', '2026-10-24', '2026-10-31'])
          for (let time = at(start); time < at(start) + 2 * day; ) {
            const next = ticks.next(time);
            expect(next).toBeGreaterThan(time);
            expect(ticks.latest(next)).toBe(next);
            expect(ticks.latest(next - 1)).toBeLessThanOrEqual(time);
            time = next;
          }
      }
    },
  );

  it.each([
    ['', 'UTC'],
    ['0 3 * *', 'UTC'],
    ['61 * * * *', 'UTC'],
    ['0 3 31 2 *', 'UTC'],
    ['0 3 * * *', 'Mars/Base'],
    ['2026-01-01T00:00:00', 'UTC'],
    ['0 0 3 * * * 2026', 'UTC'],
    [7, 'UTC'],
  ])('refuses %s in %s', (text, timeZone) => {
    expect(() => ticksOf("once 'a'", { at: text, timeZone } as Schedule)).toThrow(
      /^once 'a': at '.*' gives no ticks.* Give five fields/,
    );
  });
});

it.each([{}, undefined, { every: 1, at: '* * * * *' }, { evry: 5 }, { every: 5, jitter: 1 }])(
  'a schedule is not %o',
  (schedule) => {
    expect(() => ticksOf('once', schedule as Schedule)).toThrow(/^once: a schedule has/);
  },
);
