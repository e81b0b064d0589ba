import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { atMost, costOf, type LocalState, send, start, step } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { withoutSteps } from '../../../contract/without-steps.js';
import { forgiving } from '../../ignoring-unexpected.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { type Event, machine } from './lamport.js';
import { lamport } from './protocol.js';

const mutant = (refuted: string, changed: typeof machine) => ({ protocol: withMachine(lamport, changed), refuted });

mutualExclusionContract({
  protocol: lamport,
  topologies: [2, 3, 4, 5].map((n) => complete(n)),
  small: [
    { topology: complete(2), budget: { commands: 1 } },
    { topology: complete(3), budget: { commands: 1, initiators: ['b'] } },
  ],
  explored: [
    { what: '2 nodes, an entry each', systems: [{ topology: complete(2), budget: { commands: 1 } }], states: 78 },
    { what: '2 nodes, 2 entries each', systems: [{ topology: complete(2), budget: { commands: 2 } }], states: 1_604 },
    { what: '2 nodes, 3 entries each', systems: [{ topology: complete(2), budget: { commands: 3 } }], states: 13_149 },
    { what: '3 nodes, an entry each', systems: [{ topology: complete(3), budget: { commands: 1 } }], states: 529_584 },
    {
      what: '3 nodes, 2 of them 2 entries each',
      systems: [{ topology: complete(3), budget: { commands: 2, initiators: ['a', 'b'] } }],
      states: 526_481,
    },
    {
      what: '4 nodes, 2 of them an entry each',
      systems: [{ topology: complete(4), budget: { commands: 1, initiators: ['a', 'b'] } }],
      states: 34_939,
    },
  ],
  covered: [
    {
      topology: complete(2),
      budget: { commands: 2 },
      states: 1_604,
      transitions: 2_571,
      depth: 20,
      // Who is inside has the oldest request: nobody else leaves until then, and who left before has said so before it agreed.
      undelivered: ['held: released'],
    },
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  mutants: {
    'no tie-break': mutant(
      'complete:2, 5 steps: at most one node is in the critical section',
      machine.provide({
        actions: {
          enqueue: assign(({ context, event }) => {
            assertEvent(event, 'request');
            return { queue: [...context.queue, { ts: event.ts, id: event.from }].sort((one, other) => one.ts - other.ts) };
          }),
        },
      }),
    ),
    'receipt sets the clock to the stamp, not past it': mutant(
      'complete:2, 2 steps: a clock comes after all that its node knows of, and never jumps',
      machine.provide({
        actions: {
          witness: assign(({ context, event }) => {
            assertEvent(event, ['request', 'ack', 'released']);
            return { clock: Math.max(context.clock, event.ts) };
          }),
        },
      }),
    ),
    'whoever is first enters, whatever the others may still send': mutant(
      'complete:2, 2 steps: at most one node is in the critical section',
      machine.provide({ guards: { firstAndAllYounger: ({ context }) => context.queue[0]?.id === context.self } }),
    ),
    'whoever has heard from all enters, first or not': mutant(
      'complete:2, 5 steps: at most one node is in the critical section',
      machine.provide({ guards: { firstAndAllYounger: ({ context }) => context.awaiting.length === 0 } }),
    ),
    'a message counts, however old it is': mutant(
      'complete:2, 12 steps: at most one node is in the critical section',
      machine.provide({
        actions: {
          crossOff: assign(({ context, event }) => {
            assertEvent(event, ['request', 'ack', 'released']);
            return { awaiting: context.awaiting.filter((id) => id !== event.from) };
          }),
        },
      }),
    ),
    'who has left stays in the queue': mutant(
      'complete:2, 8 steps: no node waits in a quiescent state',
      machine.provide({ actions: { dequeue: assign({}) } }),
    ),
  },
});

describe('lamport rules', () => {
  const first = (self = 'b'): LocalState => start(machine, self, { self, peers: ['a', 'b', 'c'].filter((id) => id !== self) }).state;
  const after = (state: LocalState, ...events: Event[]) =>
    events.reduce((taken, event) => step(machine, 'b', taken.state, event), { state, effects: [] } as ReturnType<typeof step>);
  const wanted = () => after(first(), { type: 'acquire' }).state;
  const ack = (from: string, ts = 2): Event => ({ type: 'ack', ts, from });
  const request = (from: string, ts: number): Event => ({ type: 'request', ts, from });
  const held = () => after(wanted(), ack('a'), ack('c')).state;

  it('[L1] stamps the wish, queues it, and asks every peer', () => {
    const { state, effects } = after(first(), { type: 'acquire' });
    expect(effects).toEqual(['a', 'c'].map((peer) => send(peer, { type: 'request', ts: 1 })));
    expect(state).toMatchObject({ value: 'wanted', context: { queue: [{ ts: 1, id: 'b' }], awaiting: ['a', 'c'] } });
  });

  it('[L2] queues a request in its place and acknowledges it with a later stamp, in any state', () => {
    for (const state of [first(), wanted(), held()]) {
      const { state: next, effects } = after(state, request('c', 7), request('a', 7));
      expect(effects).toEqual([send('a', { type: 'ack', ts: 9 })]);
      expect(next.context.queue).toEqual([...(state.context.queue as object[]), { ts: 7, id: 'a' }, { ts: 7, id: 'c' }]);
    }
  });

  it('[L3] enters when its request is the oldest and something younger has come from everybody', () => {
    expect(after(wanted(), ack('a')).state.value).toBe('wanted');
    expect(after(wanted(), ack('a'), ack('c')).state.value).toBe('held');
    expect(after(wanted(), request('c', 1), ack('a')).state.value).toBe('held'); // (1, c) is younger than (1, b)
    expect(after(wanted(), request('a', 1), ack('a'), ack('c')).state.value).toBe('wanted'); // (1, a) is older
    expect(after(wanted(), ack('a', 1), ack('c')).state.value).toBe('wanted'); // sent before a knew of the request
  });

  it('[L4] whoever leaves takes its request out of every queue', () => {
    const { state, effects } = after(held(), request('a', 4), { type: 'release' });
    expect(effects).toEqual(['a', 'c'].map((peer) => send(peer, { type: 'released', ts: 6 })));
    expect(state).toMatchObject({ value: 'released', context: { queue: [{ ts: 4, id: 'a' }] } });
  });

  it('[L5] when the older request is gone, it is the next one’s turn', () => {
    const second = after(wanted(), request('a', 1), ack('a'), ack('c')).state;
    expect(after(second, { type: 'released', ts: 4, from: 'a' }).state.value).toBe('held');
  });

  it('enters at once where there is nobody to ask', () => {
    expect(after(start(machine, 'b', { self: 'b', peers: [] }).state, { type: 'acquire' }).state.value).toBe('held');
  });
});

describe('lamport assumptions', () => {
  const dropped = (n: number, budget: ExploreOptions) => {
    const found = explore(withoutSteps(lamport), complete(n), budget);
    expect(found.complete).toBe(true);
    const [exclusion, enters, , , handled, rest] = found.properties.map(({ verdict, trace }) => {
      if (verdict === 'violated') expect(trace && replay(lamport, complete(n), trace)).toEqual({ steps: trace?.lines.length });
      return verdict === 'violated' ? `violated in ${trace?.lines.length}` : verdict;
    });
    return { states: found.states, exclusion, enters, handled, rest, trace: found.properties[0]?.trace };
  };

  it('a message that overtakes breaks safety: an acknowledgement comes before the older request', () => {
    const { trace, ...found } = dropped(2, { commands: 1, order: 'any' });
    // Nothing is said of liveness: behind a message that is not handled nothing is looked at.
    expect(found).toEqual({ states: 306, exclusion: 'violated in 4', enters: 'incomplete', handled: 'violated in 5', rest: 'incomplete' });
    const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    expect(page).toContain(linesText(trace?.lines ?? []));
  });

  it('with two entries each, somebody waits for ever, too: a request comes after its own withdrawal', () => {
    const { trace: _, ...found } = dropped(2, { commands: 2, order: 'any' });
    expect(found).toMatchObject({ states: 278_975, exclusion: 'violated in 4', rest: 'violated in 16' });
  });

  it.each([
    [2, 173, 5, 7],
    [3, 5_972, 9, 9],
  ])('one lost message among %i nodes breaks safety and liveness', (n, states, unsafe, stuck) => {
    const { trace: _, ...found } = dropped(n, { commands: 1, losses: 1, initiators: ['a', 'b'] });
    expect(found).toMatchObject({ states, exclusion: `violated in ${unsafe}`, rest: `violated in ${stuck}` });
  });

  it('a node that crashes stops everybody else; nobody enters who should not', () => {
    const { trace: _, ...found } = dropped(2, { commands: 1, crashes: 1 });
    expect(found).toEqual({ states: 308, exclusion: 'holds', enters: 'violated in 2', handled: 'holds', rest: 'violated in 3' });
  });

  it('a reliable link below makes up for loss, doubling and overtaking', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { properties } = simulate({
        protocol: lamport,
        topology: complete(4),
        conditions: { order: 'any', loss: 0.1, duplication: 0.1, delay: { kind: 'uniform', least: 1, most: 20 } },
        workload: closedLoop({ entries: 3 }),
        reliable: true,
        seed,
      });
      expect(new Set(properties.map(({ verdict }) => verdict))).toEqual(new Set(['holds', 'reached']));
    }
  });
});

describe('lamport fencing', () => {
  it.each([
    ['a crash does no harm', 2, { commands: 2, crashes: 1 }, 'holds'],
    ['a message that overtakes', 3, { order: 'any', initiators: ['a', 'b'] }, 'violated in 8'],
    ['a lost message', 3, { losses: 1, initiators: ['a', 'b'] }, 'violated in 9'],
    ['a node that comes back with its clock at 0', 2, { crashes: 1, restarts: 1 }, 'violated in 8'],
  ] satisfies [string, number, ExploreOptions, string][])('numbers grow; what breaks that: %s', (_what, n, fault, verdict) => {
    const protocol = forgiving(lamport);
    const [, , , fencing] = explore(withoutSteps(protocol), complete(n), fault).properties;
    expect(fencing?.name).toBe(withoutSteps(lamport).properties[3]?.name);
    const trace = fencing?.trace;
    if (trace) expect(replay(protocol, complete(n), trace)).toEqual({ steps: trace.lines.length });
    expect(trace ? `${fencing.verdict} in ${trace.lines.length}` : fencing?.verdict).toBe(verdict);
  });
});

describe('lamport cost', () => {
  it.each([
    [2, { commands: 2 }],
    [3, { initiators: ['a', 'b'] }],
  ] satisfies [number, ExploreOptions][])(
    'on %i nodes, in every interleaving: at most n−1 of each message per entry, and no less',
    (n, budget) => {
      const each = ['request', 'ack', 'released'].map((type) => atMost(n - 1, { per: 'acquire', of: [type] }));
      const all = atMost(3 * (n - 1), { per: 'acquire' });
      const less = atMost(3 * (n - 1) - 1, { per: 'acquire' });
      const found = explore(lamport, complete(n), { ...budget, properties: [...each, all, less] });
      expect(found.complete).toBe(true);
      expect(found.properties.slice(0, 5).map(({ verdict }) => verdict)).toEqual(['holds', 'holds', 'holds', 'holds', 'violated']);
      expect(costOf(lamport, n)).toEqual(all);
    },
  );

  it('is exactly 3(n−1) messages per entry, under light and heavy load, for every n in 2 … 12', () => {
    for (let n = 2; n <= 12; n++)
      for (const workload of [closedLoop({ entries: 3, think: { kind: 'fixed', ms: 0 } }), poisson({ mean: 10_000, entries: 3 })]) {
        const { messages, exclusion } = simulate({
          protocol: lamport,
          topology: complete(n),
          workload,
          conditions: { order: 'fifo', delay: { kind: 'uniform', least: 0, most: 30 } },
        });
        expect(exclusion.entries).toHaveLength(3 * n);
        const each = 3 * n * (n - 1);
        expect(messages).toEqual({ request: each, ack: each, released: each });
      }
  });
});
