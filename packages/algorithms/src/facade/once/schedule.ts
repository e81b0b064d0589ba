import { ConclaveError } from '@conclave/core/protocol';
import { Cron } from 'croner';

/**
 * When the ticks of a job are: the same times in all processes, whenever they started.
 *
 * - `every`: an interval in milliseconds, or such as `10s`, `5m`, `2h`, `1d`. Its ticks are the
 *   multiples of the interval since 1970-01-01T00:00Z.
 * - `at`: a cron text of five fields, or of six with seconds first. `timeZone` is a name such as
 *   `Europe/Berlin`; default `UTC`, whatever the zone of the machine. A time that the clocks of the
 *   zone skip is moved to the hour after it; one that they repeat comes once, unless the field of
 *   the hour is `*`.
 */
export type Schedule =
  | { readonly every: number | string }
  | { readonly at: string; readonly timeZone?: string };

/** The ticks of a schedule, in Unix milliseconds. */
export interface Ticks {
  /** The first tick after `time`; Infinity where there is none. */
  next(time: number): number;
  /** The last tick at `time` or before; -Infinity where there is none. */
  latest(time: number): number;
}

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

function cron(where: string, at: unknown, timezone: unknown): Ticks {
  const make = () => {
    if (typeof at !== 'string' || typeof timezone !== 'string') return undefined;
    const made = new Cron(at, { timezone, mode: '5-or-6-parts', paused: true });
    return made.getOnce() === null && made.nextRun(new Date(0)) !== null ? made : undefined;
  };
  const refused = (cause?: unknown) =>
    badInput(
      `${where}: at '${String(at)}' in the time zone '${String(timezone)}' gives no ticks${
        cause instanceof Error ? `: ${cause.message}` : ''
      }`,
      "Give five fields, minute, hour, day, month and day of the week, such as '0 3 * * 1-5'; or six, with seconds first.",
      cause === undefined ? undefined : { cause },
    );
  let pattern: Cron | undefined;
  try {
    pattern = make();
  } catch (error) {
    throw refused(error);
  }
  if (!pattern) throw refused();
  const ticks = pattern;
  return {
    next: (time) => ticks.nextRun(new Date(time))?.getTime() ?? Infinity,
    latest: (time) => ticks.previousRuns(1, new Date(time + 1))[0]?.getTime() ?? -Infinity,
  };
}
