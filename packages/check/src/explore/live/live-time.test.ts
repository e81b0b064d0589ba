/** Exact time: the explorer, which keeps what is left, against live nodes with ages. */

import type { ExactTime, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { chain, complete, ring, star } from '@conclave/core/topology';
import { isWhole, proof, sampled } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calls } from '../../../../core/src/protocol/examples.contract.js';
import { randomProtocol } from '../../../../core/src/protocol/random-protocol.contract.js';
import { fischer } from '../fischer.contract.js';
import type { ExploreOptions } from '../options.js';
import { criers, heartbeats } from './live-examples.contract.js';
import { explored, judged } from './live-search.contract.js';
import { anyInstant, type Durations, inTicks, type Range } from './live-world.contract.js';

interface Timed extends ExploreOptions {
  readonly time: ExactTime & { readonly tick: number };
}

const exact = (least: number, most: number, rest: Partial<ExactTime> = {}): Timed['time'] => ({
  kind: 'exact',
  delay: [least, most],
  tick: 1,
  ...rest,
});
const judgedIn = (
  protocol: Protocol,
  topology: Topology,
  { time, ...options }: Timed,
  tick = time.tick,
  altered = (all: Durations) => all,
) =>
  judged(protocol, topology, options, {
    crashes: anyInstant,
    durations: altered(inTicks(time, tick)),
  });

const systems: readonly (readonly [string, Protocol, Topology, Timed])[] = [
  [
    'callers',
    calls,
    complete(2),
    { time: exact(1, 2), losses: 1, crashes: 1, restarts: 1, initiators: ['a'] },
  ],
  [
    'callers, slower than their timeout',
    calls,
    complete(2),
    { time: exact(3, 6), order: 'any', initiators: ['a'] },
  ],
  [
    'callers with limited stays and a slow link',
    calls,
    complete(2),
    {
      time: exact(1, 1, { links: { 'a→b': [2, 3] }, stays: { waiting: [1, Infinity] } }),
      initiators: ['a'],
      losses: 1,
    },
  ],
  [
    'callers whose clocks drift',
    calls,
    complete(2),
    { time: exact(4, 6, { drift: 0.2, tick: 2 }), losses: 1, crashes: 1, initiators: ['a'] },
  ],
  [
    'Fischer’s processes',
    fischer(2),
    star(3),
    { time: exact(0, 0, { stays: { writing: [0, 1] } }) },
  ],
  [
    'Fischer’s processes, too slow',
    fischer(2),
    star(3),
    { time: exact(0, 0, { stays: { writing: [0, 2], critical: [1, 2] } }), commands: 1 },
  ],
  ['heartbeats', heartbeats, star(2), { time: exact(0, 2), losses: 1, crashes: 1, restarts: 1 }],
  ['heartbeats, some lost', heartbeats, star(3), { time: exact(1, 1), losses: 2, crashes: 1 }],
  [
    'heartbeats whose clocks drift',
    heartbeats,
    star(2),
    { time: exact(1, 2, { drift: 0.25, tick: 0.5 }), crashes: 1, restarts: 1 },
  ],
  [
    'criers of which one message is fast',
    criers,
    complete(2),
    {
      time: exact(2, 3, { messages: { echo: [0, 1] } }),
      duplications: 1,
      crashes: 1,
      initiators: ['a'],
    },
  ],
];

describe.each(systems)('%s', (_name, protocol, topology, options) => {
  proof('have the same worlds, steps, distances and verdicts', () => {
    const asked = {
      ...options,
      properties: protocol.properties.filter(({ kind }) => kind !== 'leadsTo'),
    };
    const judgement = judgedIn(protocol, topology, asked);
    expect(explored(protocol, topology, asked)).toEqual(judgement);
    expect(judgement.timeStops).toBe(false);
  });
});

it('a finer tick makes more worlds, and the same ones can be seen', () => {
  for (const [, protocol, topology, options] of systems.slice(0, 3)) {
    const [coarse, fine] = [1, 0.5].map((tick) => judgedIn(protocol, topology, options, tick));
    expect({ seen: fine?.seen, decided: fine?.decided }).toEqual({
      seen: coarse?.seen,
      decided: coarse?.decided,
    });
    expect(fine?.states).toBeGreaterThan(coarse?.states ?? 0);
  }
});

const later = ({ least, most }: Range): Range => ({ least, most: most + 1 });
const [callers, , , , processes] = systems;
const wrong: readonly (readonly [
  string,
  (typeof systems)[number] | undefined,
  (all: Durations) => Partial<Durations>,
])[] = [
  [
    'messages may take longer',
    callers,
    (all) => ({ message: (...sent) => later(all.message(...sent)) }),
  ],
  ['timers may be late', callers, (all) => ({ timer: (delay) => later(all.timer(delay)) })],
  ['stays do not matter', processes, () => ({ stays: [] })],
];

it.each(wrong)('a judge that is wrong is noticed: %s', (_what, system, altered) => {
  if (!system) throw new Error('no such system');
  const [, protocol, topology, options] = system;
  const found = explored(protocol, topology, options);
  expect(found).toEqual(judgedIn(protocol, topology, options));
  expect(found).not.toEqual(
    judgedIn(protocol, topology, options, 1, (all) => ({ ...all, ...altered(all) })),
  );
});

const few = fc.constantFrom(0, 0, 0, 1);
const interval = fc.constantFrom<ExactTime['delay']>(
  [0, 0],
  [0, 5],
  [5, 5],
  [5, 10],
  [0, 10],
  [0, Infinity],
  [5, Infinity],
  [10, 10],
);
const stay = fc.constantFrom<ExactTime['delay']>(
  [0, 5],
  [5, Infinity],
  [10, Infinity],
  [5, 10],
  [0, 10],
  [10, 10],
);
const some = <K extends string>(of: fc.Arbitrary<ExactTime['delay']>, ...names: readonly K[]) =>
  fc.dictionary(fc.constantFrom(...names), of, { maxKeys: names.length, noNullPrototype: true });
const times = fc.record({
  delay: interval,
  messages: some(interval, 'm0'),
  links: some(interval, 'a→b'),
  stays: some(stay, 'waiting', 'critical'),
  drift: fc.constantFrom(0, 0, 0.5),
});
const budgets = fc.record({
  commands: fc.constantFrom(0, 1, 1),
  losses: few,
  duplications: few,
  crashes: few,
  restarts: few,
  order: fc.constantFrom('fifo' as const, 'any' as const),
});
const networks = fc.constantFrom(complete(2), ring(3), chain(3), complete(3));

it('have the same worlds, steps, distances and verdicts for random protocols', () => {
  const met = { compared: 0, stopped: 0, drifted: 0, stays: 0, crashes: 0 };
  const cases = fc.sample(fc.tuple(randomProtocol, networks, budgets, times), {
    seed: 5,
    numRuns: 130,
  });
  for (const [protocol, topology, budget, time] of sampled(cases, 5)) {
    const options: Timed = {
      ...budget,
      time: { kind: 'exact', ...time, tick: time.drift > 0 ? 2.5 : 5 },
    }; // suits the timers of 5 ms
    const found = explored(protocol, topology, options, 500);
    if (!found) continue;
    expect(found).toEqual(judgedIn(protocol, topology, options));
    met.compared++;
    if (found.timeStops) met.stopped++;
    else if (time.drift > 0) met.drifted++;
    if (Object.keys(time.stays).length > 0) met.stays++;
    if (budget.crashes > 0) met.crashes++;
  }
  if (!isWhole) return;
  expect(met.compared).toBeGreaterThan(55);
  for (const count of Object.values(met)) expect(count).toBeGreaterThan(5);
});
