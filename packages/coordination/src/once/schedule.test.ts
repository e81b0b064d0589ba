import { proof, sampled } from '@conclave/tools/sample';
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

// Cron texts over the changes of clocks, against a table of what the clocks of a zone show.

const minute = 60_000;
const quarter = 15 * minute;
const start = Date.parse('2026-12-20T00:00Z');
const end = Date.parse('2028-01-10T00:00Z');
const year = [Date.parse('2027-01-01T00:00Z'), Date.parse('2028-01-01T00:00Z')] as const;

/** By local minute, as if it were UTC: when the clocks show it, the first time first. */
function shownIn(timeZone: string): ReadonlyMap<number, readonly number[]> {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const shown = new Map<number, readonly number[]>();
  for (let time = start; time < end; time += quarter) {
    const local = Date.parse(`${format.format(time).replace(' ', 'T')}Z`);
    for (let more = 0; more < quarter; more += minute)
      shown.set(local + more, [...(shown.get(local + more) ?? []), time + more]);
  }
  return shown;
}

type Field = (value: number) => boolean;
const among =
  (...values: readonly number[]): Field =>
  (value) =>
    values.includes(value);
const every =
  (step: number): Field =>
  (value) =>
    value % step === 0;

interface Form {
  readonly text: string;
  readonly minutes: Field;
  /** Missing: all of a day. */
  readonly hours?: Field;
  readonly days?: Field;
  readonly weekdays?: Field;
}

const forms: readonly Form[] = [
  { text: '30 2 * * *', minutes: among(30), hours: among(2) },
  { text: '0 2 * * *', minutes: among(0), hours: among(2) },
  { text: '15,45 2 * * *', minutes: among(15, 45), hours: among(2) },
  { text: '*/30 2 * * *', minutes: every(30), hours: among(2) },
  { text: '10,35 2 * * *', minutes: among(10, 35), hours: among(2) },
  { text: '0 2,14 * * *', minutes: among(0), hours: among(2, 14) },
  { text: '30 1-2 * * *', minutes: among(30), hours: among(1, 2) },
  { text: '0 1-3 * * *', minutes: among(0), hours: among(1, 2, 3) },
  { text: '20 */2 * * *', minutes: among(20), hours: every(2) },
  { text: '0 0 * * *', minutes: among(0), hours: among(0) },
  { text: '*/20 0,23 * * *', minutes: every(20), hours: among(0, 23) },
  { text: '30 0-2 1-14 * *', minutes: among(30), hours: among(0, 1, 2), days: (date) => date < 15 },
  { text: '45 2 * * 0', minutes: among(45), hours: among(2), weekdays: among(0) },
  { text: '30 2 29 2 *', minutes: among(30), hours: () => false }, // 2027 has none
  { text: '0 * * * *', minutes: among(0) },
  { text: '30 * * * *', minutes: among(30) },
  { text: '*/30 * * * *', minutes: every(30) },
  { text: '40 0-23 * * *', minutes: among(40) },
  { text: '5,50 */1 * * 6,0', minutes: among(5, 50), weekdays: among(0, 6) },
];

/** The ticks of a year, from what the clocks show. */
function expectedOf(
  { minutes, hours, days, weekdays }: Form,
  shown: ReturnType<typeof shownIn>,
): readonly number[] {
  const isNamed = (local: number): boolean => {
    const date = new Date(local);
    return (
      minutes(date.getUTCMinutes()) &&
      (hours?.(date.getUTCHours()) ?? true) &&
      (days?.(date.getUTCDate()) ?? true) &&
      (weekdays?.(date.getUTCDay()) ?? true)
    );
  };
  const ticks = new Set<number>();
  for (let local = start + 2 * day; local < end - 2 * day; local += minute) {
    if (!isNamed(local)) continue;
    const times = shown.get(local) ?? [];
    if (!hours) for (const time of times) ticks.add(time);
    else if (times[0] !== undefined) ticks.add(times[0]);
    else {
      // as long after the last minute before that is shown as if the clocks had gone on
      let before = local;
      while (!shown.has(before)) before -= minute;
      ticks.add((shown.get(before)?.at(-1) ?? Number.NaN) + local - before);
    }
  }
  return [...ticks].filter((time) => time >= year[0] && time < year[1]).sort((a, b) => a - b);
}

/** What is in `all` and not in `others`, as text: thousands of equal numbers tell nobody anything. */
function beyond(others: readonly number[], all: readonly number[]): readonly string[] {
  const known = new Set(others);
  return all.filter((time) => !known.has(time)).map((time) => new Date(time).toISOString());
}

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe', // by half an hour
  'America/Santiago', // midnight is skipped
  'UTC',
];

describe('at', () => {
  const berlin = 'Europe/Berlin';
  const howe = 'Australia/Lord_Howe';
  const santiago = 'America/Santiago';
  it.each([
    // Berlin skips 2:00 to 3:00
    [berlin, '30 2 * * *', '2027-03-27T20:00Z', ['28T01:30', '29T00:30']],
    [berlin, '15,45 2 * * *', '2027-03-27T20:00Z', ['28T01:15', '28T01:45', '29T00:15']],
    [berlin, '*/30 2 * * *', '2027-03-27T20:00Z', ['28T01:00', '28T01:30', '29T00:00']],
    [berlin, '0 2,3 * * *', '2027-03-27T20:00Z', ['28T01:00', '29T00:00']],
    [berlin, '0 * * * *', '2027-03-27T23:30Z', ['28T00:00', '28T01:00', '28T02:00']],
    // and repeats it
    [berlin, '0,30 2 * * *', '2027-10-30T23:30Z', ['31T00:00', '31T00:30', '01T01:00']],
    [berlin, '0 1-3 * * *', '2027-10-30T22:30Z', ['30T23:00', '31T00:00', '31T02:00']],
    [berlin, '0 * * * *', '2027-10-30T23:30Z', ['31T00:00', '31T01:00', '31T02:00']],
    [berlin, '0 0-23 * * *', '2027-10-30T23:30Z', ['31T00:00', '31T01:00', '31T02:00']],
    [berlin, '*/30 59 2 * * *', '2027-10-30T23:30Z', ['31T00:59', '31T00:59', '01T01:59']],
    // Lord Howe skips 2:00 to 2:30, and repeats 1:30 to 2:00
    [howe, '10,35 2 * * *', '2027-10-02T15:00Z', ['02T15:35', '02T15:40', '03T15:10']],
    [howe, '45 1 * * *', '2027-04-03T12:00Z', ['03T14:45', '04T15:15']],
    [howe, '*/30 * * * *', '2027-04-03T14:00Z', ['03T14:30', '03T15:00', '03T15:30']],
    // Santiago skips 0:00 to 1:00 on a Sunday
    [santiago, '0 0 * * 0', '2027-09-02T00:00Z', ['05T04:00', '12T03:00']],
  ])('in %s: %s after %s', (timeZone, at, from, expected) => {
    const ticks = ticksOf('once', { at, timeZone });
    const found: string[] = [];
    for (let time = Date.parse(from); found.length < expected.length; ) {
      time = ticks.next(time);
      found.push(new Date(time).toISOString().slice(8, 16));
    }
    expect(found).toEqual(expected);
  });

  it('skips no tick where a zone skips a day', () => {
    const { next, latest } = ticksOf('once', { at: '0 9 * * *', timeZone: 'Pacific/Apia' });
    const before = Date.parse('2011-12-29T19:00Z'); // 9:00 on the 29th; there was no 30th
    expect(new Date(next(before)).toISOString()).toBe('2011-12-30T19:00:00.000Z');
    expect(latest(next(before) - 1)).toBe(before);
  });

  proof.each(zones)('each form of field gives the ticks that the clocks of %s show', (timeZone) => {
    const shown = shownIn(timeZone);
    for (const form of forms) {
      const { next, latest } = ticksOf('once', { at: form.text, timeZone });
      const found: number[] = [];
      for (let time = next(year[0] - 1); time < year[1]; time = next(time)) found.push(time);
      const expected = expectedOf(form, shown);
      const differences = { lost: beyond(found, expected), surplus: beyond(expected, found) };
      expect({ ...form, ...differences }).toEqual({ ...form, lost: [], surplus: [] });
      if (found.length > 2_000) continue;
      for (const [at, time] of found.entries())
        if (latest(time) !== time || (at > 0 && latest(time - 1) !== found[at - 1]))
          expect.fail(`${form.text}: before ${new Date(time).toISOString()}`);
    }
  });
});
