import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { idleFor } from '@conclave/core/internal/simulation';
import { always, notify, type Property, send } from '@conclave/core/protocol';
import { simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { everyInterleaving } from '../../contract/explored.contract.js';
import { propertyNamed } from '../../contract/findings.contract.js';
import { withMachine, withState } from '../../contract/machines.contract.js';
import { failureDetectionContract } from '../failure-detection.contract.js';
import { longestSilence, strongAccuracy, suspectedBy } from '../failure-detection.js';
import { detectionTime, timeAfterFault } from '../stopwatch.contract.js';
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
    [complete(2), { crashes: 1 }, 409],
    [complete(2), { crashes: 2, duplications: 1 }, 1_937],
    [complete(3), { crashes: 1, time: { kind: 'exact', delay: [100, 100] } }, 153_991],
    [complete(3), {}, 224_000],
  ],
  mutants: {
    'a heartbeat does not restart the time-out': mutant(
      'complete:2, 7 steps: no node is suspected before it crashes',
      machine.provide({ actions: { watchAgain: assign({}) } }),
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
    [['2 nodes, time-outs that grow, a crash at any moment', systems, {}, 5_811]],
    {
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

it('C3 heartbeat: a restart breaks strong accuracy, and no other safety property: a node that comes back is still suspected', () => {
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

// Where the detector is perfect in exact time, how long it takes, and what breaks without its
// assumptions.

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const exact = (least: number, most: number) =>
  ({ kind: 'exact', delay: [least, most], tick: 1 }) as const;

/** Periods, and bounds of the delay. */
const grid = [1, 2, 3].flatMap((period) =>
  [0, 1, 2].flatMap((least) =>
    [1, 2, 3].flatMap((most) => (least <= most ? [{ period, least, most }] : [])),
  ),
);

const isAccurate = (period: number, timeout: number, time: ExploreOptions['time'] & object) => {
  const found = explore(heartbeat({ period, timeout }), complete(2), {
    time,
    properties: [strongAccuracy],
  });
  expect(found.complete).toBe(true);
  return propertyNamed(found.properties, strongAccuracy.name).verdict !== 'violated';
};

describe('heartbeat bounds, found by exploration', () => {
  proof(
    'is accurate if and only if the time-out is longer than the longest silence of a live node',
    () => {
      for (const { period, least, most } of grid) {
        const silence = longestSilence(period, [least, most]);
        expect(isAccurate(period, silence, exact(least, most))).toBe(false);
        expect(isAccurate(period, silence + 1, exact(least, most))).toBe(true);
      }
      expect(grid).toHaveLength(24);
    },
  );

  proof(
    'with clocks that drift, the shortest time-out has to be longer than the longest silence',
    () => {
      const met = { accurate: 0, refuted: 0 };
      for (const drift of [0.25, 0.5])
        for (const period of [4, 8])
          for (const timeout of [8, 12, 16, 24])
            for (const [least, most] of [
              [0, 0],
              [2, 4],
              [0, 8],
            ] as const) {
              const silence = Math.max(most, period * (1 + drift) + most - least);
              const expected = timeout * (1 - drift) > silence;
              met[expected ? 'accurate' : 'refuted']++;
              const found = isAccurate(period, timeout, {
                kind: 'exact',
                delay: [least, most],
                drift,
              });
              expect({ drift, period, timeout, least, most, found }).toEqual({
                drift,
                period,
                timeout,
                least,
                most,
                found: expected,
              });
            }
      expect(Math.min(met.accurate, met.refuted)).toBeGreaterThan(10);
    },
  );

  proof('by default the drift may be less than one sixth', () => {
    const isSafe = (drift: number) =>
      isAccurate(100, 200, { kind: 'exact', delay: [50, 100], tick: 5, drift });
    expect([0.15, 0.2].map(isSafe)).toEqual([true, false]);
  });

  proof('the bound is sharp: one tenth more is enough', () => {
    const time = { ...exact(1, 2), tick: 0.1 };
    expect(isAccurate(2, 3, time)).toBe(false);
    expect(isAccurate(2, 3.1, time)).toBe(true);
  });

  proof(
    'strong completeness: after timeout + least − period to timeout + most, each live node suspects the crashed one for good',
    () => {
      for (const { period, least, most } of grid.filter((_, index) => index % 8 === 0)) {
        const timeout = longestSilence(period, [least, most]) + 1;
        const found = detectionTime(
          heartbeat({ period, timeout }),
          complete(2),
          exact(least, most),
          timeout + most + 3,
        );
        expect(found).toEqual({ least: timeout + least - period, most: timeout + most });
      }
    },
  );

  proof(
    'strong completeness holds while time-outs grow, and not if a time-out is not started',
    () => {
      const growing = heartbeat({ timeout: 100, growth: 50, longest: 200 });
      const time = { kind: 'exact', delay: [50, 100], tick: 50 } as const;
      const most = (changed: Parameters<typeof withMachine>[1]) =>
        detectionTime(withMachine(growing, changed), complete(2), time, 350).most;
      expect(most(machine)).toBe(300);
      const [trusted, ...others] = [machine.config.states?.monitor?.on?.heartbeat].flat();
      const unwatched = { ...Object(trusted), actions: ['trust', 'prolong'] };
      expect(
        most(
          withState(machine, ['monitor'], {
            on: { ...machine.config.states?.monitor?.on, heartbeat: [unwatched, ...others] },
          }),
        ),
      ).toBe(Infinity);
    },
  );

  proof(
    'a node that crashes in the middle of its start is suspected, since all time-outs begin at the start',
    () => {
      const time = { kind: 'exact', delay: [50, 100], tick: 50 } as const;
      const late = withMachine(heartbeat(), machine.provide({ actions: { watchAll: assign({}) } }));
      expect(detectionTime(heartbeat(), complete(2), time, 350).most).toBe(300);
      expect(detectionTime(late, complete(2), time, 350).most).toBe(Infinity);
      expect(detectionTime(late, complete(2), time, 350, { atomicSteps: true }).most).toBe(300);
    },
  );

  it('eventual accuracy: time-outs that grow beyond the longest silence are wrong finitely often', () => {
    const growing = heartbeat({ period: 100, timeout: 50, growth: 50, longest: 200 });
    const found = explore(growing, complete(2));
    expect([found.complete, found.states]).toEqual([true, 1_355]);
    expect(
      found.properties.filter(({ verdict }) => verdict !== 'holds' && verdict !== 'reached'),
    ).toEqual([]);
    expect(
      propertyNamed(
        found.properties,
        'before it crashes, a node is suspected only while the time-out for it is at most 150 ms',
      ).kind,
    ).toBe('always');
  });

  it('time-outs that may not grow so far are wrong infinitely often', () => {
    const capped = heartbeat({ period: 100, timeout: 100, growth: 50, longest: 150 });
    const never: Property = always('no node is suspected after its time-out has grown', (system) =>
      system.nodes.every(
        (node) =>
          suspectedBy(node).length === 0 ||
          Object.values(Object(node.context.timeouts)).every((ms) => ms === 100),
      ),
    );
    expect(
      propertyNamed(explore(capped, complete(2), { properties: [never] }).properties, never.name)
        .verdict,
    ).toBe('violated');
  });
});

describe('heartbeat assumptions', () => {
  /** The trace without starts and ends of timers, as on the page. */
  const shortest = (options: ExploreOptions, timeout = 200) => {
    const protocol = heartbeat({ timeout });
    const { trace } = propertyNamed(
      explore(protocol, complete(2), { ...options, limits: { states: 20_000 } }).properties,
      strongAccuracy.name,
    );
    expect(trace && replay(protocol, complete(2), trace)).toEqual({ steps: trace?.lines.length });
    return linesText(trace?.lines ?? [])
      .replaceAll(/(, )?(start|cancel) (silence|period)\S*( of \w)?( \d+ms)?/g, '')
      .replaceAll(/timeout period\S+/g, 'timeout')
      .replaceAll(/ {2}sender.beating & monitor/g, '')
      .replaceAll(/ *⇒ ?,? *$/gm, '')
      .replaceAll(/⇒ , /g, '⇒ ')
      .replaceAll(/000ms/g, '')
      .replaceAll(/ {2,}/g, '  ')
      .replaceAll(/\. {2}/g, '  ')
      .replaceAll(/^ +/gm, '')
      .trimEnd();
  };

  proof.each([
    ['a time-out as long as the longest silence', {}, 150, 7],
    ['a slower message', { time: { kind: 'exact', delay: [50, 150] } }, 200, 9],
    ['a lost message', { losses: 1 }, 200, 7],
    ['untimed messages', { time: 'untimed' }, 200, 3],
  ] as const)('%s: a live node is suspected', (_what, options, timeout, steps) => {
    const trace = shortest(options, timeout);
    expect(trace.split('\n')).toHaveLength(steps);
    if (timeout === 150) expect(page).toContain(trace);
  });

  it('a duplicated message does no harm: it comes no later than the original may', () => {
    const found = explore(heartbeat(), complete(2), { duplications: 1 });
    expect([found.complete, found.states]).toEqual([true, 564]);
    expect(found.properties.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
  });

  const ofA = (time: ReturnType<typeof exact>): ExploreOptions => ({
    time,
    crashes: 1,
    restarts: 1,
    mayCrash: ({ id }) => id === 'a',
  });

  proof(
    'after a restart a node is suspected until its first heartbeat comes, for the longest delay at most, and then no more',
    () => {
      for (const { period, least, most } of grid.filter((_, index) => index % 4 === 0)) {
        const found = timeAfterFault(
          heartbeat({ period, timeout: longestSilence(period, [least, most]) + 1 }),
          complete(2),
          {
            budget: ofA(exact(least, most)),
            from: 'restart',
            begun: () => false,
            done: (system, node) =>
              system.nodes.every((one) => one.id === node || !suspectedBy(one).includes(node)),
            patience: 3 * (period + most),
          },
        );
        expect(found.most, JSON.stringify({ period, least, most })).toBe(most);
      }
    },
  );

  proof('a node that comes back suspects none that lives, by the same bound', () => {
    const accurate = always(
      'a suspects no node',
      (system) => suspectedBy(system.node('a')).length === 0,
    );
    const verdict = (period: number, timeout: number, time: ReturnType<typeof exact>) =>
      propertyNamed(
        explore(heartbeat({ period, timeout }), complete(2), {
          ...ofA(time),
          properties: [accurate],
        }).properties,
        accurate.name,
      ).verdict;
    for (const { period, least, most } of grid.filter((_, index) => index % 4 === 0)) {
      const silence = longestSilence(period, [least, most]);
      const found = [silence, silence + 1].map((timeout) =>
        verdict(period, timeout, exact(least, most)),
      );
      expect({ period, least, most, found }).toEqual({
        period,
        least,
        most,
        found: ['violated', 'holds'],
      });
    }
  });
});
