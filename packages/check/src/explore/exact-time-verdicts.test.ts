/** Exact time on random systems: a tick half as long, and depth first, give the same verdicts. */

import {
  always,
  atMost,
  type ExactTime,
  everyStep,
  increases,
  leadsTo,
  overtaken,
} from '@conclave/core/protocol';
import { complete, ring } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomProtocol } from '../../../core/src/protocol/random-protocol.contract.js';
import { plainly } from '../fixtures/systems.contract.js';
import { explore } from './explore.js';
import type { ExploreOptions } from './options.js';

const few = fc.constantFrom(0, 0, 1);
const interval: fc.Arbitrary<ExactTime['delay']> = fc.constantFrom<ExactTime['delay']>(
  [0, 0],
  [0, 5],
  [5, 5],
  [5, 10],
  [0, Infinity],
  [5, Infinity],
);
const options = fc.record({
  commands: fc.constantFrom(1, 2),
  losses: few,
  duplications: few,
  crashes: few,
  restarts: few,
  partitions: fc.constantFrom(0, 0, 0, 1),
  order: fc.constantFrom('fifo' as const, 'any' as const),
  fairness: fc.constantFrom('none' as const, 'weak' as const, 'strong' as const),
  delay: interval,
});
const properties = [
  always('x', (s) => s.count('waiting') <= 1),
  leadsTo(
    'w',
    ({ tags }) => tags.has('waiting'),
    ({ tags }) => tags.has('critical'),
  ),
  overtaken(0, {}),
  atMost(1, { per: 'go' }),
  increases('i', ({ context }) => (context as { n: number }).n || undefined),
  everyStep('e', ({ before, after }) => !(before.value === 's0' && after.value === 's1')),
  everyStep('f', ({ cause }) => cause.kind !== 'message'),
];
const verdicts = (
  protocol: Parameters<typeof explore>[0],
  network: Parameters<typeof explore>[1],
  o: ExploreOptions,
) => {
  try {
    const found = explore(protocol, network, { ...o, properties, limits: { states: 4000 } });
    if (!found.complete) return undefined;
    for (const { trace } of found.properties)
      if (trace) expect(replay(protocol, network, trace)).toEqual({ steps: trace.lines.length });
    return found.properties.map(({ name, verdict }) => `${name}: ${plainly(verdict)}`).join('\n');
  } catch (error) {
    if (!(error as Error).message.startsWith('Time stops')) throw error;
    return 'Time stops';
  }
};
it('has the same verdicts with a finer tick, and depth first', () => {
  let n = 0;
  assertRuns(
    fc.property(
      randomProtocol,
      fc.constantFrom(complete(2), ring(3)),
      options,
      (protocol, network, { delay, ...o }) => {
        const at = (tick: number, more: ExploreOptions = {}) =>
          verdicts(protocol, network, { ...o, ...more, time: { kind: 'exact', delay, tick } });
        const coarse = at(5);
        if (!coarse) return;
        n++;
        const fine = at(2.5);
        if (fine) expect(fine).toBe(coarse);
        expect(at(5, { search: 'depth' })).toBe(coarse);
      },
    ),
    3,
    100,
    1,
  );
  if (isWhole) expect(n).toBeGreaterThan(20);
});
