import type { Protocol } from '../../protocol/protocol.js';
import type { Timer } from '../../protocol/step.js';
import type { Budget } from './budget.js';

/**
 * When armed timers may fire. `untimed`: at any moment, so that every real run is covered, and many more that no clock allows.
 *
 * `bounded`: a message takes at most `delay` milliseconds, the steps of nodes take no time, and commands, faults and heals may come at any
 * time. Then
 *
 * 1. of the armed timers of one node, the one with the smallest delay fires first (of several such, any);
 * 2. a timer longer than the longest round trip, 2 · `delay`, fires only while nothing is on its way that can arrive, since what is on its
 *    way might still prevent it. What goes to a crashed node, or across a cut, cannot arrive; after a restart or heal it may, late.
 *
 * It covers more than real clocks allow where it sets no order: between timers of different nodes, whatever their delays, and between any
 * message and a timer of at most a round trip. It *assumes*, and so may miss real runs, in two places. Rule 1 assumes that a node arms its
 * timers together: of two armed at different moments the longer one may really fire first. Rule 2 assumes that a long timer outlasts all
 * that goes on, also what it does not wait for: answers over more hops than a round trip has, what others say to each other, and talk
 * without end, under which it never fires. What holds in bounded time only may lean on these assumptions.
 */
export type Timing = { readonly kind: 'untimed' } | { readonly kind: 'bounded'; readonly delay: number };

/** The model of time that is asked for, or that the protocol assumes. */
export const timeOf = ({ channels }: Protocol, { time = channels.time ?? 'untimed' }: Pick<Budget, 'time'>) => time;

/** The model of time that a budget asks for. */
export function timingOf({ time = 'untimed', delay = 100 }: Pick<Budget, 'time' | 'delay'>): Timing {
  return time === 'untimed' ? { kind: time } : { kind: time, delay };
}

/** Those of one node's armed `timers` that may fire now, in their order. `inFlight`: whether, anywhere, something on its way can arrive. */
export function timeoutsOf(timers: readonly Timer[], timing: Timing, inFlight: boolean): readonly Timer[] {
  if (timing.kind === 'untimed') return timers;
  const soonest = Math.min(...timers.map(({ delay }) => delay));
  if (inFlight && soonest > 2 * timing.delay) return [];
  return timers.filter(({ delay }) => delay === soonest);
}
