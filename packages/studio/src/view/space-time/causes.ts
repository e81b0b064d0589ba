import { vectorClocks } from '@conclave/core/internal/trace';
import type { Trace } from '@conclave/core/trace';

/**
 * The lines without which line `of` could not be as it is: its causal past (Lamport 1978), by
 * vector clocks, and the line itself.
 */
export function causesOf(trace: Trace, of: number): ReadonlySet<number> {
  const clocks = vectorClocks(trace);
  const last = clocks[of];
  if (!last) return new Set([of]);
  return new Set(
    trace.lines.flatMap(({ node }, index) => {
      const own = clocks[index]?.[node];
      return own !== undefined && own <= (last[node] ?? 0) ? [index] : [];
    }),
  );
}
