/** When the ticks of a job are, and which one is due of those that no process waited for. */
import { ConclaveError } from '@conclave/core/protocol';
import { Cron } from 'croner';
import { type Ticks, zoned } from './zoned.js';

/**
 * When the ticks of a job are: the same times in all processes, whenever they started.
 *
 * - `every`: an interval in milliseconds, or such as `10s`, `5m`, `2h`, `1d`. Its ticks are the
 *   multiples of the interval since 1970-01-01T00:00Z.
 * - `at`: a cron text of five fields, or of six with seconds first. `timeZone` is a name such as
 *   `Europe/Berlin`; default `UTC`, whatever the zone of the machine. Where the clocks of the zone
 *   change, the hours of the text decide. Some of the day, as in `15,45 2 * * *`: each time comes
 *   once on each of its days. One that the clocks skip comes as much later as they skip, at 3:15 for
 *   2:15; one that they repeat comes the first time. All 24, as in `0 * * * *`: a tick comes
 *   whenever the clocks show its minute, so in each hour that passes, also in one that they repeat.
 *   Times that come at the same moment are one tick.
 */
export type Schedule =
  | { readonly every: number | string }
  | { readonly at: string; readonly timeZone?: string };

const badInput = (what: string, cure: string, options?: ErrorOptions): ConclaveError =>
  new ConclaveError('bad-input', what, cure, options);

/** @throws {ConclaveError} `bad-input` for an interval, a cron text or a time zone that is none. */
export function ticksOf(where: string, schedule: Schedule): Ticks {
  const given: Partial<Record<'every' | 'at' | 'timeZone', unknown>> = Object(schedule);
  const { every, at, timeZone = 'UTC', ...unknown } = given;
  const [surplus] = Object.keys(unknown);
  if (surplus !== undefined || (every === undefined) === (at === undefined))
    throw badInput(
      `${where}: ${surplus === undefined ? 'a schedule has every or at' : `a schedule has no '${surplus}'`}`,
      "Give { every: '10s' }, { at: '0 3 * * *' } or { at: '0 3 * * *', timeZone: 'Europe/Berlin' }.",
    );
  return at === undefined ? intervals(where, every) : cron(where, at, timeZone);
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function intervals(where: string, every: unknown): Ticks {
  const interval = millisecondsOf(every);
  if (!Number.isSafeInteger(interval) || interval < 1)
    throw badInput(
      `${where}: every is ${typeof every === 'string' ? `'${every}'` : String(every)}`,
      "Give whole milliseconds above 0, such as 10_000, or a text such as '10s', '5m', '2h', '1d'.",
    );
  const latest = (time: number) => Math.floor(time / interval) * interval;
  return { latest, next: (time) => latest(time) + interval };
}

function millisecondsOf(every: unknown): number {
  if (typeof every === 'number') return every;
  const [, amount, unit] = /^(\d+) ?(ms|s|m|h|d)$/.exec(String(every)) ?? [];
  // the pattern has these units only
  return unit === undefined ? Number.NaN : Number(amount) * units[unit as keyof typeof units];
}

function cron(where: string, at: unknown, timeZone: unknown): Ticks {
  const refused = (cause?: unknown) =>
    badInput(
      `${where}: at '${String(at)}' in the time zone '${String(timeZone)}' gives no ticks${
        cause instanceof Error ? `: ${cause.message}` : ''
      }`,
      "Give five fields, minute, hour, day, month and day of the week, such as '0 3 * * 1-5'; or six, with seconds first.",
      cause === undefined ? undefined : { cause },
    );
  if (typeof at !== 'string' || typeof timeZone !== 'string') throw refused();
  try {
    // the times that the text names, by a clock that never changes
    const named = new Cron(at, { timezone: 'UTC', mode: '5-or-6-parts', paused: true });
    if (named.getOnce() !== null || named.nextRun(new Date(0)) === null) throw refused();
    const ticks: Ticks = {
      next: (time) => named.nextRun(new Date(time))?.getTime() ?? Infinity,
      latest: (time) => named.previousRuns(1, new Date(time + 1))[0]?.getTime() ?? -Infinity,
    };
    return zoned(ticks, timeZone);
  } catch (error) {
    throw error instanceof ConclaveError ? error : refused(error);
  }
}

/** What happens to ticks that came due while no process was waiting for them. */
export interface CatchUp {
  readonly catchUp: 'none' | 'last' | 'all';
  /** The latest that a tick may start after its time, in milliseconds. */
  readonly startWithin: number;
}

/** Where a leader stands. All times in Unix milliseconds. */
interface Position {
  readonly now: number;
  /** All ticks up to this time were started or skipped. */
  readonly settled: number;
  /** The tick that it waits for. */
  readonly awaited: number | undefined;
}

interface Due {
  /** The tick that starts now. */
  readonly tick: number | undefined;
  /** All ticks from the first to the last of these are skipped. */
  readonly skipped: { readonly first: number; readonly last: number } | undefined;
}

/** Which tick is due, and which are skipped before it. */
export function dueAt(
  ticks: Ticks,
  { catchUp, startWithin }: CatchUp,
  { now, settled, awaited }: Position,
): Due {
  const first = ticks.next(settled);
  if (first > now) return { tick: undefined, skipped: undefined };
  const last = ticks.latest(now);
  const earliest = now - startWithin;
  const wanted = catchUp === 'all' && first < earliest ? ticks.next(earliest - 1) : first;
  const tick = catchUp === 'all' ? wanted : last;
  const starts = tick >= earliest && tick <= now && (catchUp !== 'none' || last === awaited);
  if (!starts) return { tick: undefined, skipped: { first, last } };
  const skipped = tick > first ? { first, last: ticks.latest(tick - 1) } : undefined;
  return { tick, skipped };
}
