/** Whether the timers of a node, which drift by themselves in the model, fire as on one clock. */
import type { NodeId } from '@conclave/core/protocol';
import type { Trace, TraceLine } from '@conclave/core/trace';

/**
 * On the clock of a node, the moment `to` is at most `most` milliseconds after the moment `from`.
 * Moments are numbered.
 */
interface Constraint {
  readonly from: number;
  readonly to: number;
  readonly most: number;
}

/**
 * The nodes on whose clocks the timers of a run cannot fire as they do, if each node has one clock
 * and that drifts by at most `drift`: timers that run at the same time drift apart. The moments of
 * the run are taken as they are, so a run that differs in them only may still be possible.
 */
export function clocksApart({ lines }: Trace, drift: number): readonly NodeId[] {
  if (drift === 0) return [];
  const end = lines.at(-1)?.time ?? 0;
  const nodes = [...new Set(lines.map(({ node }) => node))];
  return nodes.filter((id) => {
    const itsLines = lines.filter(({ node }) => node === id);
    const times = [...itsLines.map(({ time = 0 }) => time), end];
    return !isSolvable(times.length, [...ratesOf(times, drift), ...timersOf(itsLines)]);
  });
}

/** How fast the clock may be between two moments that follow each other. */
const ratesOf = (times: readonly number[], drift: number): readonly Constraint[] =>
  times.slice(1).flatMap((time, index) => {
    const passed = time - (times[index] as number); // the one before
    return [
      { from: index, to: index + 1, most: passed / (1 - drift) },
      { from: index + 1, to: index, most: -passed / (1 + drift) },
    ];
  });

/**
 * A timer fires when its delay is over on the clock. One that is cancelled, or still runs at the
 * end, has not got there before.
 */
function timersOf(itsLines: readonly TraceLine[]): readonly Constraint[] {
  const constraints: Constraint[] = [];
  const armed = new Map<string, { readonly at: number; readonly delay: number }>();
  const stop = (timer: string, moment: number, fires: boolean) => {
    const found = armed.get(timer);
    if (!found || !armed.delete(timer)) return;
    const { at, delay } = found;
    constraints.push({ from: at, to: moment, most: delay });
    if (fires) constraints.push({ from: moment, to: at, most: -delay });
  };
  const stopAll = (moment: number) => {
    for (const timer of [...armed.keys()]) stop(timer, moment, false);
  };
  for (const [moment, { event, effects }] of itsLines.entries()) {
    if (event.kind === 'crash') stopAll(moment);
    if (event.kind === 'timeout') stop(event.timer, moment, true);
    for (const effect of effects) {
      if (effect.kind === 'cancel') stop(effect.timer, moment, false);
      if (effect.kind === 'start') armed.set(effect.timer, { at: moment, delay: effect.delay });
    }
  }
  stopAll(itsLines.length);
  return constraints;
}

/** Smaller differences, in milliseconds, are errors of rounding. */
const tolerance = 1e-6;

/**
 * Whether there are times of `moments` moments that satisfy all constraints: there is no negative
 * cycle (Bellman, Ford).
 */
function isSolvable(moments: number, constraints: readonly Constraint[]): boolean {
  const times = new Float64Array(moments);
  for (let round = 0; round <= moments; round++) {
    let changed = false;
    for (const { from, to, most } of constraints) {
      const latest = (times[from] as number) + most;
      if ((times[to] as number) <= latest + tolerance) continue;
      times[to] = latest;
      changed = true;
    }
    if (!changed) return true;
  }
  return false;
}
