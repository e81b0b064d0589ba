/**
 * Exact time on random systems: the fast search against the definition, and a tick against one half
 * as long.
 */

import type { ExactTime } from '@conclave/core/protocol';
import { eventually, leadsTo } from '@conclave/core/protocol';
import { chain, complete, ring } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomProtocol } from '../../../core/src/protocol/random-protocol.contract.js';
import { plainly, probes } from '../fixtures/systems.contract.js';
import { truthOf } from '../fixtures/truth.contract.js';
import { explore } from './explore.js';
import type { ExploreOptions } from './options.js';

const few = fc.constantFrom(0, 0, 0, 1);
const interval: fc.Arbitrary<ExactTime['delay']> = fc.constantFrom<ExactTime['delay']>(
  [0, 0],
  [0, 5],
  [5, 5],
  [5, 10],
  [0, 10],
  [0, Infinity],
  [5, Infinity],
  [10, 10],
);
const stay: fc.Arbitrary<ExactTime['delay']> = fc.constantFrom<ExactTime['delay']>(
  [0, 5],
  [5, Infinity],
  [10, Infinity],
  [5, 10],
  [0, 10],
  [10, 10],
);
const some = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 3 });
const clean = <T extends object>(o: T): T =>
  Object.fromEntries(Object.entries(o).filter(([, v]) => v !== undefined)) as T;
const time = fc
  .record({
    kind: fc.constant('exact' as const),
    delay: interval,
    messages: some(fc.record({ m0: interval }).map(clean)),
    links: some(fc.record({ 'a→b': interval }).map(clean)),
    stays: some(fc.record({ waiting: some(stay), critical: some(stay) }).map(clean)),
    drift: some(fc.constant(0.5)),
  })
  .map((t) => clean(t) as ExactTime);
/** The longest tick that suits the model and the timers of 5 ms. */
const tickOf = ({ drift }: ExactTime) => (drift ? 2.5 : 5);
const options = fc.record({
  commands: fc.constantFrom(0, 1, 1),
  losses: few,
  duplications: few,
  crashes: few,
  restarts: few,
  partitions: few,
  order: fc.constantFrom('fifo' as const, 'any' as const),
  fairness: fc.constantFrom('none' as const, 'weak' as const, 'strong' as const),
  time,
});
const topology = fc.constantFrom(complete(2), ring(3), chain(3), complete(3));
const most = 1_500;
const runs = [
  ...probes,
  leadsTo(
    'waiting leads to critical',
    ({ tags }) => tags.has('waiting'),
    ({ tags }) => tags.has('critical'),
  ),
  leadsTo(
    'critical ends',
    ({ tags }) => tags.has('critical'),
    ({ tags }) => !tags.has('critical'),
  ),
  leadsTo(
    's0 ends',
    ({ value }) => value === 's0',
    ({ value }) => value !== 's0',
  ),
  eventually('one is critical', (s) => s.count('critical') > 0),
  eventually('none is in s0', (s) => s.nodes.every(({ value }) => value !== 's0')),
  eventually('n grows', (s) => s.nodes.some(({ context }) => (context as { n: number }).n > 0)),
];

function run<T>(f: () => T): T | string {
  try {
    return f();
  } catch (e) {
    const m = (e as Error).message.slice(0, 10);
    if (m !== 'Time stops') throw e;
    return m;
  }
}

it('compiled = definition, with stays, infinity, links, drift', () => {
  let compared = 0;
  let drifted = 0;
  assertRuns(
    fc.property(
      randomProtocol,
      topology,
      options,
      (protocol, network, { fairness: _, ...given }) => {
        const asked = { ...given, time: { ...given.time, tick: tickOf(given.time) } };
        const found = run(() =>
          explore(protocol, network, { ...asked, properties: probes, limits: { states: most } }),
        );
        if (typeof found === 'string') {
          expect(found).toBe('Time stops');
          return;
        }
        if (!found.complete) return;
        compared++;
        if (asked.time.drift) drifted++;
        const { states, transitions, depth, nearest } = truthOf(protocol, network, asked);
        expect({
          states: found.states,
          transitions: found.transitions,
          depth: found.depth,
        }).toEqual({ states, transitions, depth });
        for (const { name, verdict, trace } of found.properties) {
          const isDecided = verdict === 'violated' || verdict === 'reached';
          expect(`${name}: ${isDecided}`).toBe(`${name}: ${nearest.has(name)}`);
          if (trace)
            expect(replay(protocol, network, trace)).toEqual({ steps: trace.lines.length });
        }
      },
    ),
    3,
    50,
    1,
  );
  if (!isWhole) return;
  expect(compared).toBeGreaterThan(12);
  expect(drifted).toBeGreaterThan(3);
});

it('a finer tick gives the same verdicts', () => {
  let compared = 0;
  let stops = 0;
  let violated = 0;
  let stays = 0;
  let drifted = 0;
  const verdictsOf = (
    protocol: Parameters<typeof explore>[0],
    network: Parameters<typeof explore>[1],
    o: ExploreOptions,
  ) =>
    run(() => {
      const found = explore(protocol, network, {
        ...o,
        properties: runs,
        limits: { states: 6000 },
      });
      if (!found.complete || found.properties.some(({ verdict }) => verdict === 'incomplete'))
        return 'incomplete';
      for (const { trace } of found.properties)
        if (trace) expect(replay(protocol, network, trace)).toEqual({ steps: trace.lines.length });
      return found.properties.map(({ name, verdict }) => `${name}: ${plainly(verdict)}`).join('\n');
    });
  assertRuns(
    fc.property(randomProtocol, topology, options, (protocol, network, asked) => {
      const coarse = verdictsOf(protocol, network, {
        ...asked,
        time: { ...asked.time, tick: tickOf(asked.time) },
      });
      if (coarse === 'incomplete') return;
      const fine = verdictsOf(protocol, network, {
        ...asked,
        time: { ...asked.time, tick: tickOf(asked.time) / 2 },
      });
      if (fine === 'incomplete') return;
      compared++;
      if (coarse === 'Time stops') stops++;
      if (coarse.includes('critical ends: violated')) violated++;
      if (asked.time.stays && coarse !== 'Time stops') stays++;
      if (asked.time.drift && coarse !== 'Time stops') drifted++;
      expect(fine).toBe(coarse);
    }),
    3,
    80,
    1,
  );
  if (!isWhole) return;
  for (const met of [compared, stops, violated, stays, drifted]) expect(met).toBeGreaterThan(3);
});
