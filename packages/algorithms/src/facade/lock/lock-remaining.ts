import type { Embedded } from '@conclave/core/embedding';
import type { Protocol } from '@conclave/core/protocol';

/**
 * For how many milliseconds a node may stay in its critical section, as long as it renews nothing.
 */
export function remainingOf(
  { leases }: Protocol,
  { state, timers }: Pick<Embedded, 'state' | 'timers'>,
): number {
  if (!state.tags.has('critical')) return 0;
  if (!leases || timers.size === 0) return Infinity;
  const ends = leases(state).map((path) => `.${path}`);
  const left = [...timers]
    .filter(([timer]) => ends.some((end) => timer.endsWith(end)))
    .map(([, ms]) => ms);
  return Math.max(0, ...left);
}
