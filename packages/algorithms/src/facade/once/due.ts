import type { Ticks } from './zoned.js';

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

export interface Due {
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
