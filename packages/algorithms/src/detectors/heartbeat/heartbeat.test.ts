import { explore } from '@conclave/core/exploration';
import { start, step } from '@conclave/core/internal/protocol';
import { idleFor } from '@conclave/core/internal/simulation';
import { notify, send } from '@conclave/core/protocol';
import { simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { everyInterleaving } from '../../contract/explored.contract.js';
import { withMachine, withState } from '../../contract/mutant.js';
import { failureDetectionContract } from '../failure-detection.contract.js';
import { machine } from './heartbeat.js';
import { heartbeat } from './protocol.js';

const protocol = heartbeat();
const growing = heartbeat({ timeout: 100, growth: 50, longest: 200 });
const mutantOf =
  (mutated: typeof protocol) => (refuted: string, changed: Parameters<typeof withMachine>[1]) => ({
    protocol: withMachine(mutated, changed),
    refuted,
  });
const mutant = mutantOf(protocol);
const growingMutant = mutantOf(growing);

failureDetectionContract({
  protocol,
  period: 100,
  detection: 300,
  topologies: [complete(2), complete(4)],
  small: [{ topology: complete(2), budget: {} }],
  explored: [
    ['2 nodes, a crash at any moment', complete(2), { crashes: 1 }, 409],
    ['2 nodes, both crash, a duplication', complete(2), { crashes: 2, duplications: 1 }, 1_937],
    [
      '3 nodes, messages of 100 ms, a crash at any moment',
      complete(3),
      { crashes: 1, time: { kind: 'exact', delay: [100, 100] } },
      153_991,
    ],
    ['3 nodes', complete(3), {}, 224_000],
  ],
  covered: [
    {
      topology: complete(2),
      budget: { crashes: 1, restarts: 1 },
      states: 1_101,
      transitions: 2_843,
      depth: 15,
    },
  ],
  mutants: {
    'a heartbeat does not restart the time-out': mutant(
      'complete:2, 7 steps: no node is suspected before it crashes',
      machine.provide({ actions: { watchAgain: assign({}) } }),
    ),
    'a time-out that ends is ignored': mutant(
      'complete:2, 7 steps: a node is suspected when its time-out ends',
      withState(machine, ['monitor'], {
        on: { ...machine.config.states?.monitor?.on, overdue: {} },
      }),
    ),
    'one heartbeat only': mutant(
      'complete:2, 5 steps: no node is suspected before it crashes',
      withState(machine, ['sender', 'beating'], { after: {} }),
    ),
  },
});

describe('C3 heartbeat: growing time-outs', () => {
  const systems = [
    { topology: complete(2), budget: {} },
    { topology: complete(2), budget: { crashes: 1 } },
  ];
  everyInterleaving(
    growing,
    [['2 nodes, time-outs that grow, a crash at any moment', systems, 5_811]],
    {
      'the time-out grows with each heartbeat': growingMutant(
        'complete:2, 3 steps: the application is told of each suspicion and of its end, and of nothing else',
        machine.provide({ guards: { isSuspected: () => true } }),
      ),
      'the time-out does not grow': growingMutant(
        'complete:2, 4 steps: a time-out grows when a suspicion turns out to be false, up to the longest, and at no other time',
        machine.provide({ actions: { prolong: assign({}) } }),
      ),
      'the time-out is restarted before it grows': growingMutant(
        'complete:2, 17 steps: before it crashes, a node is suspected only while the time-out for it is at most 150 ms',
        withState(machine, ['monitor'], {
          on: {
            ...machine.config.states?.monitor?.on,
            heartbeat: [
              { guard: 'isSuspected', actions: ['trust', 'watchAgain', 'prolong'] },
              { actions: 'watchAgain' },
            ],
          },
        }),
      ),
    },
  );
});

describe('C3 heartbeat: a restart', () => {
  it('breaks strong accuracy, and no other safety property: a node that comes back is still suspected', () => {
    const { complete: isComplete, properties } = explore(protocol, complete(2), {
      crashes: 1,
      restarts: 1,
    });
    expect(isComplete).toBe(true);
    const violated = properties.filter(({ verdict }) => verdict === 'violated');
    expect(violated.map(({ name, trace }) => `${name}: ${trace?.lines.length} steps`)).toEqual([
      'no node is suspected before it crashes: 8 steps',
    ]);
    expect(violated[0]?.trace?.lines.map(({ event }) => event.kind)).toContain('restart');
    const promised = protocol.properties
      .filter(({ unless }) => unless === 'restart')
      .map(({ name }) => name);
    expect(violated.map(({ name }) => name)).toEqual(promised);
  });
});

describe('heartbeat cost', () => {
  proof(
    'is n(n−1) messages per period; a crashed node sends none, and the others go on sending to it',
    () => {
      for (const n of [2, 3, 7, 20]) {
        const topology = complete(n);
        const [node = ''] = topology.nodes;
        const run = { protocol, topology, workload: idleFor(950) }; // ten heartbeats of each node
        expect(totalMessages(simulate(run))).toBe(10 * n * (n - 1));
        expect(
          totalMessages(
            simulate({ ...run, faults: [{ kind: 'crash', node, at: 450, inside: false }] }),
          ),
        ).toBe((10 * n - 5) * (n - 1));
      }
    },
  );
});

describe('heartbeat rules', () => {
  const input = {
    watchers: ['b', 'c'],
    watched: ['b', 'c'],
    period: 100,
    timeout: 200,
    growth: 30,
    longest: 250,
  };
  const first = start(machine, 'a', input);
  const fire = (state: typeof first.state, peer: string) =>
    step(machine, 'a', { ...state, timers: [] }, { type: 'overdue', node: peer } as {
      type: string;
    });
  const beat = { type: 'heartbeat', from: 'b' };

  it('[HB1] a node sends heartbeats to its watchers as it starts, and each period', () => {
    const beats = [send('b', { type: 'heartbeat' }), send('c', { type: 'heartbeat' })];
    expect(first.effects.filter(({ type }) => type === 'send')).toEqual(beats);
    const [period] = first.state.timers;
    expect(period?.delay).toBe(100);
    if (!period) throw new Error('it is armed');
    const { effects, state } = step(
      machine,
      'a',
      { ...first.state, timers: first.state.timers.slice(1) },
      period.event,
    );
    expect(effects.filter(({ type }) => type === 'send')).toEqual(beats);
    expect(state.timers.map(({ id, delay }) => [id, delay])).toContainEqual([period.id, 100]);
  });

  it('[HB2] a time-out for each watched node runs from the start, and from each heartbeat', () => {
    const silence = first.state.timers.filter(({ id }) => id.startsWith('silence'));
    expect(silence.map(({ id, delay }) => `${id} ${delay}`)).toEqual([
      'silence of b 200',
      'silence of c 200',
    ]);
    expect(step(machine, 'a', first.state, beat).effects).toEqual([
      { type: 'cancel', timer: 'silence of b' },
      { type: 'start', timer: silence[0] },
    ]);
  });

  it('[HB3] a node whose time-out ends is suspected', () => {
    const { state, effects } = fire(first.state, 'b');
    expect(state.context.suspected).toEqual(['b']);
    expect(effects).toEqual([notify({ type: 'suspect', node: 'b' })]);
  });

  it('[HB4] a heartbeat of a suspected node ends the suspicion', () => {
    const { state, effects } = step(machine, 'a', fire(first.state, 'b').state, beat);
    expect(state.context.suspected).toEqual([]);
    expect(effects[0]).toEqual(notify({ type: 'trust', node: 'b' }));
  });

  it('[HB5] and makes the time-out for it longer, up to the longest', () => {
    let { state } = first;
    for (const timeout of [230, 250, 250]) {
      state = step(machine, 'a', fire(state, 'b').state, beat).state;
      expect(state.context.timeouts).toEqual({ b: timeout, c: 200 });
      expect(state.timers.find(({ id }) => id === 'silence of b')?.delay).toBe(timeout);
    }
  });

  it('refuses times that are none', () => {
    expect(() => heartbeat({ timeout: Number.NaN })).toThrow('heartbeat: timeout is NaN.');
    expect(() => heartbeat({ period: 0 })).toThrow(
      'heartbeat: period is 0. Give a number of milliseconds above 0, up to 2147483647.',
    );
    expect(() => heartbeat({ growth: -1 })).toThrow(
      'heartbeat: growth is -1. Give a number of milliseconds, 0 or more.',
    );
    expect(() => heartbeat({ timeout: 300, longest: 299 })).toThrow(
      'heartbeat: longest is 299. Give a number of milliseconds, at least 300',
    );
    expect(explore(heartbeat(), complete(2)).complete).toBe(true);
  });
});
