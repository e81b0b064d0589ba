/**
 * The times of day that a cron text names, as moments in a time zone.
 *
 * croner lists the times, by a clock that never changes. Where the clocks of a zone do, croner's
 * rules (`fixedTimeRule`) lose the times of lists, ranges and steps that are skipped, or make one
 * tick of all of them at the end of the gap, and repeat the others. So the moments are found here,
 * between two changes of the clocks at a time:
 *
 *     Berlin, in spring   1:00 1:30 │ 3:00 3:30      in autumn   2:00 2:30 │ 2:00 2:30 3:00
 *     2:00 and 2:30 are             │ here           are here              │ and here by `*` only
 *
 * A time of some hours is that of Temporal with `disambiguation: 'compatible'`, and of RFC 5545: a
 * skipped one is read by the offset before the change, and so is a repeated one.
 */

/** The ticks of a schedule, in Unix milliseconds. */
export interface Ticks {
  /** The first tick after `time`; Infinity where there is none. */
  next(time: number): number;
  /** The last tick at `time` or before; -Infinity where there is none. */
  latest(time: number): number;
}

const hour = 3_600_000;
const day = 24 * hour;
/** Clocks change by less: by a day where a zone has moved over the date line. */
const farthest = 2 * day;

/** From one change of the clocks to the next: `local` times of day, which are `offset` ahead. */
interface Stretch {
  readonly offset: number;
  readonly from: number;
  readonly to: number;
}

/**
 * @param named local times of day, as if they were UTC
 * @throws {RangeError} for a time zone that is none
 */
export function zoned(named: Ticks, timeZone: string): Ticks {
  if (timeZone === 'UTC') return named;
  const offsetAt = offsetsOf(timeZone);
  const isHourly = namesEachHour(named);
  /** The local time at which the stretch from `change` on begins, and the one before ends. */
  const border = (change: number, own: number, other: number) =>
    change + (isHourly ? own : Math.max(own, other));

  function stretches(start: number, end: number): readonly Stretch[] {
    const found: Stretch[] = [];
    let [offset, from] = [offsetAt(start), -Infinity];
    for (let change = changeAfter(start, end); change < end; change = changeAfter(change, end)) {
      const next = offsetAt(change);
      found.push({ offset, from, to: border(change, offset, next) });
      from = border(change, next, offset);
      offset = next;
    }
    return [...found, { offset, from, to: Infinity }];
  }

  /** The first moment after `start` from which the clocks are others; `end` where there is none. */
  function changeAfter(start: number, end: number): number {
    const before = offsetAt(start);
    let low = start;
    let high = Math.min(low + 7 * day, end);
    while (offsetAt(high) === before) {
      if (high >= end) return end;
      low = high;
      high = Math.min(low + 7 * day, end);
    }
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    return high;
  }

  function next(time: number): number {
    const offset = offsetAt(time);
    const end = named.next(time + offset) - offset + farthest;
    if (end === Infinity) return end;
    const due = stretches(time - farthest, end).map((stretch) => {
      const local = named.next(Math.max(time + stretch.offset, stretch.from - 1));
      return local < stretch.to ? local - stretch.offset : Infinity;
    });
    const first = Math.min(...due);
    return first <= end ? first : next(end);
  }

  function latest(time: number): number {
    const offset = offsetAt(time);
    const start = named.latest(time + offset) - offset - farthest;
    if (start === -Infinity) return start;
    const due = stretches(start, time + 1).map((stretch) => {
      const local = named.latest(Math.min(time + stretch.offset, stretch.to - 1));
      return local >= stretch.from ? local - stretch.offset : -Infinity;
    });
    const last = Math.max(...due);
    return last >= start ? last : latest(start);
  }

  return { next, latest };
}

/** Whether the times of a day are in all 24 hours. */
function namesEachHour(named: Ticks): boolean {
  const midnight = Math.floor(named.next(0) / day) * day;
  return Array.from({ length: 24 }, (_, at) => midnight + at * hour).every(
    (start) => named.next(start - 1) < start + hour,
  );
}

/** How far the clocks of the zone are ahead of UTC at a moment, in milliseconds. */
function offsetsOf(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (time) => {
    const [, sign = '+', hours = 0, minutes = 0, seconds = 0] =
      /GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(format.format(time)) ?? [];
    const ahead = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return (sign === '-' ? -ahead : ahead) * 1000;
  };
}
