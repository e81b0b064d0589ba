/**
 * Random protocols under random faults: the explorer must find exactly the worlds of the
 * definition, and actors must replay its traces.
 */

import { chain, complete, ring } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomListener } from '../../../core/src/protocol/random-protocol.contract.js';
import type { TimeModel } from '../../../core/src/protocol/time.js';
import { plainly, probes } from '../fixtures/systems.contract.js';
import { truthOf } from '../fixtures/truth.contract.js';
import type { Budget } from '../worlds/budget.js';
import { explore } from './explore.js';

const few = fc.constantFrom(0, 0, 0, 1);
const budget: fc.Arbitrary<Budget> = fc.record({
  commands: fc.constantFrom(0, 1, 1),
  losses: few,
  duplications: few,
  crashes: few,
  restarts: few,
  mayCrash: fc.constantFrom<Budget['mayCrash'] & object>(
    () => true,
    ({ id }) => id > 'a',
    ({ tags }) => tags.size > 0,
  ),
  partitions: few,
  order: fc.constantFrom('fifo' as const, 'any' as const),
  time: fc.constantFrom<TimeModel>(
    'untimed',
    { kind: 'exact', delay: [0, 1] },
    { kind: 'exact', delay: [1, 2], messages: { m0: [0, 0] } },
  ),
});
const topology = fc.constantFrom(complete(2), ring(3), chain(3), complete(3));
const most = 1_500;

it('a random system has the worlds, steps and verdicts of the definition, and each trace replays', () => {
  let compared = 0;
  let traces = 0;
  assertRuns(
    fc.property(
      randomListener,
      topology,
      budget,
      fc.boolean(),
      fc.boolean(),
      (random, network, given, wantsReports, unsent) => {
        const { losses = 0, duplications = 0, partitions = 0, order } = given;
        const isReported = wantsReports && losses + duplications + partitions === 0;
        const protocol = isReported ? { ...random, crashNotice: 'm2' } : random;
        const asked = isReported && order === 'fifo' ? { ...given, unsent } : given;
        const found = explore(protocol, network, {
          ...asked,
          properties: probes,
          limits: { states: most },
        });
        if (!found.complete) return;
        compared++;
        const { states, transitions, depth, nearest } = truthOf(protocol, network, asked);
        expect({
          states: found.states,
          transitions: found.transitions,
          depth: found.depth,
        }).toEqual({ states, transitions, depth });
        const isClean = found.properties.every(({ verdict }) => verdict !== 'incomplete');
        for (const { name, kind, verdict, trace } of found.properties) {
          const isDecided = verdict === 'violated' || verdict === 'reached';
          expect(`${name}: ${isDecided}`).toBe(`${name}: ${nearest.has(name)}`);
          if (isClean && !isDecided)
            expect(plainly(verdict)).toBe(kind === 'sometimes' ? 'unreached' : 'holds');
          if (!trace) continue;
          traces++;
          expect(replay(protocol, network, trace)).toEqual({ steps: trace.lines.length });
        }
      },
    ),
    3,
    60,
    7,
  );
  if (!isWhole) return;
  expect(compared).toBeGreaterThan(18);
  expect(traces).toBeGreaterThan(66);
});
