import type { Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate, type Workload } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { failing } from './failing.js';

/**
 * What fails in seeded runs over channels that lose one message in ten and reorder the others, if a
 * link layer sends them again: properties, and runs that do not end or lose nothing.
 */
export function failingOverReliable(
  protocol: Protocol,
  topology: Topology,
  seeds: number,
  workload: () => Workload = () => closedLoop({ entries: 3 }),
  duplication = 0.1,
): readonly string[] {
  return Array.from({ length: seeds }, (_, seed) => {
    const run = simulate({
      protocol,
      topology,
      conditions: {
        order: 'any',
        loss: 0.1,
        duplication,
        delay: { kind: 'uniform', least: 1, most: 20 },
      },
      workload: workload(),
      reliable: true,
      seed: seed + 1,
    });
    const ends = run.complete && run.lost > 0 ? [] : [`seed ${seed + 1}`];
    return [...ends, ...failing(run)];
  }).flat();
}
