import type { Protocol } from '../../protocol/protocol.js';
import type { Timer } from '../../protocol/step.js';
import type { Budget } from './budget.js';

/**
 * When armed timers may fire. `untimed`: at any moment. This covers every real run, and many that no clock allows.
 *
 * `bounded`: a message takes at most `delay` milliseconds, the steps of nodes take no time, and commands, faults and heals may come at any
 * time. Then
 *
 * 1. of the armed timers of one node, the one with the smallest delay fires first (of several such, any);
 * 2. a timer longer than the longest round trip, 2 · `delay`, fires only while no message in flight can arrive, since such a message might
 *    prevent it. A message to a crashed node, or across a cut, cannot arrive; after a restart or a heal it can, late.
 *
 * Where there is no rule, it covers more than real clocks allow: any order of timers of different nodes, and of a message and a timer of at most
 * a round trip. In two cases it *assumes* more than clocks do, and may miss real runs. Rule 1 assumes that a node arms its timers together: of two
 * that are armed at different moments the longer one may really fire first. Rule 2 assumes that a long timer outlasts all other traffic: answers
 * over more hops than a round trip, messages between other nodes, and endless traffic, under which it never fires. A property that holds only in
 * bounded time may rest on these assumptions.
 */
export type Timing = { readonly kind: 'untimed' } | { readonly kind: 'bounded'; readonly delay: number };

/** The model of time of the budget, or else of the protocol. */
export const timeOf = ({ channels }: Protocol, { time = channels.time ?? 'untimed' }: Pick<Budget, 'time'>) => time;

/** The timing of a budget. */
export function timingOf({ time = 'untimed', delay = 100 }: Pick<Budget, 'time' | 'delay'>): Timing {
  return time === 'untimed' ? { kind: time } : { kind: time, delay };
}

/** Those of one node's armed `timers` that may fire now, in their order. `inFlight`: whether any message in the network can arrive. */
export function timeoutsOf(timers: readonly Timer[], timing: Timing, inFlight: boolean): readonly Timer[] {
  if (timing.kind === 'untimed') return timers;
  const soonest = Math.min(...timers.map(({ delay }) => delay));
  if (inFlight && soonest > 2 * timing.delay) return [];
  return timers.filter(({ delay }) => delay === soonest);
}
