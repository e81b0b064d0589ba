import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { notify, type Protocol, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages, type Workload } from '@conclave/core/simulation';
import { chain, complete, ring, star } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type Explored, everyInterleaving } from '../../contract/explored.contract.js';
import { propertyNamed } from '../../contract/findings.contract.js';
import { withMachine } from '../../contract/machines.contract.js';
import { sharedContract } from '../../contract/shared.contract.js';
import { seedsTo, sweep } from '../../contract/sweep.contract.js';
import type { VectorClock } from '../clock.js';
import { type LogicalClock, lamportClock, vectorClock } from '../clock.js';
import { machineWith } from './logical-clock.js';
import { logicalClock } from './protocol.js';

const clockCondition = 'an event has a larger time stamp than each event that happened before it';
const ordersConcurrent = 'of two concurrent events, one has the smaller time stamp';
const characterised =
  'an event has a larger time stamp than another one if, and only if, the other one happened before it';

const lamport: Protocol = logicalClock();
const vector: Protocol = logicalClock({ clock: 'vector' });
const changed = (clock: Partial<LogicalClock<number>>) =>
  withMachine(lamport, machineWith({ ...lamportClock, ...clock }));
const changedVector = (clock: Partial<LogicalClock<VectorClock>>) =>
  withMachine(vector, machineWith({ ...vectorClock, ...clock }));

const faults: ExploreOptions = { commands: 1, losses: 1, duplications: 1 };
const restarted: ExploreOptions = { commands: 1, crashes: 1, restarts: 1 };
const small: readonly Explored[] = [
  [chain(2), { commands: 1 }, 139],
  [chain(2), faults, 840],
  [chain(2), restarted, 706],
  [chain(3), { commands: 1 }, 5_754],
];

/** Each node sends and acts, at random moments. */
const eventful: Workload = (application) => {
  for (const { id } of application.nodes)
    for (const type of ['send', 'act'])
      application.later({ kind: 'exponential', mean: 15 }, () => application.tell(id, { type }));
  return () => {};
};

const networks = [chain(2), complete(3), star(5)];

// `npm run verify` explores 3 nodes that send and act.
describe('C1 logical-clock: Lamport clocks', () => {
  everyInterleaving(lamport, small, {
    'a receipt does not pass the time stamp': {
      protocol: changed({ witnessed: (clock, ts) => Math.max(clock + 1, ts) }),
      refuted: `chain:2, 2 steps: ${clockCondition}`,
    },
  });
});

describe('C1 logical-clock: vector clocks', () => {
  everyInterleaving(vector, [...small, [complete(3), { inputs: [{ type: 'send' }] }, 1_008]], {
    'a receipt takes the entry of the sender only': {
      protocol: changedVector({ witnessed: (clock, ts, self) => withFirst(clock, ts, self) }),
      refuted: `chain:2, 5 steps: ${characterised}`,
    },
  });
  sharedContract(vector, networks, () => eventful, [
    { topology: chain(2), budget: { commands: 1 } },
  ]);

  proof('has all properties in seeded runs on larger networks, for both clocks', () => {
    for (const protocol of [lamport, vector])
      expect(
        sweep({
          protocol,
          topologies: [ring(5, { oneWay: false }), star(5)],
          workload: () => eventful,
          seeds: seedsTo(5),
        }),
      ).toEqual({ runs: 50 });
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('logical-clock assumptions', () => {
  /** The shortest run that breaks, or reaches, this property. */
  const shortest = (
    protocol: Protocol,
    name: string,
    budget: ExploreOptions = {},
    topology = chain(2),
  ): string => {
    const properties = [propertyNamed(protocol.properties, name)];
    const { trace } = propertyNamed(
      explore(protocol, topology, { ...budget, properties }).properties,
      name,
    );
    return linesText(trace?.lines ?? []);
  };
  const withoutStableStorage = (protocol: Protocol): Protocol => {
    const [role] = Object.values(protocol.roles);
    if (!role) throw new Error('unreachable: it has one');
    return { ...protocol, roles: { node: { ...role, stable: [] } } };
  };

  it.each([
    ['Lamport clocks also order concurrent events', 3, () => shortest(lamport, ordersConcurrent)],
    [
      'a send that does not advance the clock breaks the clock condition',
      2,
      () => shortest(changed({ ticked: (clock) => clock }), clockCondition),
    ],
    [
      'a receipt that does not look at the time stamp breaks it',
      2,
      () => shortest(changed({ witnessed: (clock) => clock + 1 }), clockCondition),
    ],
    [
      'a receipt that takes over the time stamp without the maximum breaks it',
      4,
      () => shortest(changed({ witnessed: (_clock, ts) => ts + 1 }), clockCondition),
    ],
    [
      'a clock that starts again at 0 breaks it',
      4,
      () => shortest(withoutStableStorage(lamport), clockCondition, restarted),
    ],
    [
      'a vector clock that starts again at 0 is wrong',
      4,
      () => shortest(withoutStableStorage(vector), characterised, restarted),
    ],
    [
      'only the entry of the sender',
      4,
      () => shortest(changedVector({ witnessed: withFirst }), characterised, {}, chain(3)),
    ],
  ])('%s: %i steps, as on the page', (_what, steps, traceOf) => {
    const trace = traceOf();
    expect(trace.split('\n').filter(Boolean)).toHaveLength(steps);
    expect(page).toContain(trace);
  });
});

describe('logical-clock rules', () => {
  const lamportMachine = machineWith(lamportClock);
  const vectorMachine = machineWith(vectorClock);
  const input = { self: 'a', neighbours: ['b', 'c'] };
  const scalar = start(lamportMachine, 'a', { ...input, clock: 4 }).state;
  const entries = start(vectorMachine, 'a', { ...input, clock: { a: 1, c: 2 } }).state;

  it('[LT1] an event advances the clock by one, or the own entry', () => {
    expect(step(lamportMachine, 'a', scalar, { type: 'act' }).state.context.clock).toBe(5);
    expect(step(vectorMachine, 'a', entries, { type: 'act' }).state.context.clock).toEqual({
      a: 2,
      c: 2,
    });
  });

  it('[LT2] an event that sends puts its time stamp into each message', () => {
    const sent = (ts: unknown) => ['b', 'c'].map((to) => send(to, { type: 'message', ts }));
    expect(step(lamportMachine, 'a', scalar, { type: 'send' }).effects.slice(0, 2)).toEqual(
      sent(5),
    );
    expect(step(vectorMachine, 'a', entries, { type: 'send' }).effects.slice(0, 2)).toEqual(
      sent({ a: 2, c: 2 }),
    );
  });

  it('[LT3] a receipt advances the clock past its own reading and the time stamp; a vector takes the larger of two entries', () => {
    for (const [ts, clock] of [
      [2, 5],
      [9, 10],
    ])
      expect(
        step(lamportMachine, 'a', scalar, { type: 'message', ts, from: 'b' } as { type: string })
          .state.context.clock,
      ).toBe(clock);
    const message = { type: 'message', ts: { a: 1, b: 3, c: 1 }, from: 'b' } as { type: string };
    expect(step(vectorMachine, 'a', entries, message).state.context.clock).toEqual({
      a: 2,
      b: 3,
      c: 2,
    });
  });

  it('[LT4] a node tells its application the time stamp of each event', () => {
    const told = notify({ type: 'event', ts: 5 });
    for (const event of [
      { type: 'act' },
      { type: 'send' },
      { type: 'message', ts: 1, from: 'b' } as { type: string },
    ])
      expect(step(lamportMachine, 'a', scalar, event).effects.at(-1)).toEqual(told);
  });
});

describe('logical-clock cost', () => {
  it('has no messages of its own: one for each neighbour of a node that sends', () => {
    for (const topology of [complete(5), ring(6, { oneWay: false })])
      for (const protocol of [lamport, vector])
        expect(
          totalMessages(simulate({ protocol, topology, workload: oneShot({ type: 'send' }) })),
        ).toBe(topology.links.length);
  });
});

/** Only the largest entry of the time stamp is looked at. */
function withFirst(clock: VectorClock, ts: VectorClock, self: string): VectorClock {
  const [largest = ''] = Object.keys(ts).sort((x, y) => (ts[y] ?? 0) - (ts[x] ?? 0));
  return vectorClock.witnessed(clock, { [largest]: ts[largest] ?? 0 }, self);
}
