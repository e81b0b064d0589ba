/**
 * How long the time-out must be, how fast a leader is replaced, what an election costs, and what
 * breaks without the assumptions.
 */
import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore, model } from '@conclave/check';
import { idleFor } from '@conclave/core/internal/simulation';
import { eventually, type Protocol } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { complete, type Topology } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { expectTight } from '../../contract/cost.contract.js';
import { failing, propertyNamed } from '../../contract/findings.contract.js';
import { withMachine } from '../../contract/machines.contract.js';
import { timeAfterFault } from '../../detectors/stopwatch.contract.js';
import { detectingMachine } from './bully.js';
import { laterTerms } from './later-terms.contract.js';
import { bully } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const oneLeader = 'at most one node is the leader';
const exact = (least: number, most: number) =>
  ({ kind: 'exact', delay: [least, most], tick: 1 }) as const;

/** The shortest trace to a violation as on the page: without starts and ends of timers. */
function shortest(
  protocol: Protocol,
  topology: Topology,
  name: string,
  options: ExploreOptions,
): readonly string[] {
  const { trace } = propertyNamed(explore(protocol, topology, options).properties, name);
  expect(trace && replay(protocol, topology, trace)).toEqual({ steps: trace?.lines.length });
  return linesText(trace?.lines ?? [])
    .replaceAll(/(, )?(start|cancel) (twiceT|t)imeout\.[^\s,]+( \d+ms)?/g, '')
    .replaceAll(/timeout timeout\.\S+/g, 'timeout')
    .replaceAll(/ *⇒ ?,? *$/gm, '')
    .replaceAll(/⇒ ?, /g, '⇒ ')
    .replaceAll(/\.000ms/g, '')
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/⇒ +/g, '⇒ ').replaceAll(/ {2,}/g, '  ').trim());
}

describe('bully bounds, found by exploration', () => {
  const holds = (timeout: number, n: number, options: ExploreOptions) => {
    const found = explore(bully({ timeout }), complete(n), { ...options, all: false });
    const violated = found.properties.filter(({ verdict }) => verdict === 'violated');
    expect(found.complete || violated.length > 0).toBe(true);
    return violated.length === 0 && failing(found).length === 0;
  };

  proof.each([
    [2, { crashes: 1, restarts: 1, time: exact(1, 1) }],
    [2, { crashes: 1, restarts: 1, time: exact(0, 2) }],
    [2, { crashes: 1, restarts: 1, time: exact(2, 3) }],
    [3, { crashes: 1, restarts: 1, time: exact(1, 1) }],
    [3, { crashes: 1, time: exact(1, 2) }],
    [4, { crashes: 1, initiators: ['a'], time: exact(1, 1) }],
  ] as const)(
    'on %i nodes the time-out must be longer than the longest round trip: %j',
    (n, options) => {
      const [, most] = options.time.delay;
      expect(holds(2 * most + 1, n, options)).toBe(true);
      expect(holds(2 * most, n, options)).toBe(false);
      expect(holds(2 * most - 1, n, options)).toBe(false);
    },
  );

  proof(
    'with clocks that drift, the shortest time-out must be longer than the longest round trip',
    () => {
      const met = { held: 0, broken: 0 };
      for (const drift of [0.25, 0.5])
        for (const timeout of [8, 12, 16, 20]) {
          const expected = timeout * (1 - drift) > 8;
          met[expected ? 'held' : 'broken']++;
          const found = holds(timeout, 2, {
            crashes: 1,
            restarts: 1,
            time: { ...exact(2, 4), drift },
          });
          expect({ drift, timeout, found }).toEqual({ drift, timeout, found: expected });
        }
      expect(met).toEqual({ held: 4, broken: 4 });
    },
  );

  proof('by default the drift may be less than one in five', () => {
    const isSafe = (drift: number) =>
      holds(250, 2, {
        crashes: 1,
        restarts: 1,
        time: { kind: 'exact', delay: [50, 100], tick: 2.5, drift },
      });
    expect([0.18, 0.2].map(isSafe)).toEqual([true, false]);
  });

  it('half a unit more is enough', () => {
    expect(holds(4.5, 2, { crashes: 1, restarts: 1, time: { ...exact(1, 2), tick: 0.5 } })).toBe(
      true,
    );
  });
});

describe('bully assumptions', () => {
  it('untimed, or with a time-out as long as the longest round trip, there may be two leaders of one term', () => {
    const untimed = shortest(bully(), complete(2), oneLeader, {
      time: 'untimed',
      limits: { states: 5000 },
    });
    const tooShort = shortest(bully({ timeout: 200 }), complete(2), oneLeader, {});
    expect([untimed.length, tooShort.length]).toEqual([3, 3]);
    for (const trace of [untimed, tooShort]) expect(page).toContain(trace.join('\n'));
  });

  it('a lost message makes two leaders', () => {
    expect(shortest(bully(), complete(2), oneLeader, { losses: 1 })).toHaveLength(4);
  });

  proof('a duplicated message does no harm', () => {
    for (const [n, budget, states] of [
      [2, { duplications: 1, crashes: 1, restarts: 1 }, 9_676],
      [3, { duplications: 1, initiators: ['a'], time: { kind: 'exact', delay: [100, 100] } }, 253],
    ] as const) {
      const found = explore(bully(), complete(n), budget);
      expect([found.complete, found.states, ...failing(found)]).toEqual([true, states]);
    }
  });

  const judged = { ...bully(), properties: [...bully().properties, laterTerms] };

  proof(
    'two crashes: a later leader may have an earlier term, and nothing else breaks; the page shows the shortest run',
    () => {
      const twice = { crashes: 2, restarts: 2 };
      expect(page).toContain(shortest(judged, complete(2), laterTerms.name, twice).join('\n'));
      expect(failing(explore(judged, complete(2), twice))).toEqual([laterTerms.name]);
      const budget: ExploreOptions = { crashes: 2, restarts: 1, initiators: ['a'] };
      const found = explore(judged, complete(3), budget);
      expect([found.complete, found.states, ...failing(found)]).toEqual([
        true,
        261_942,
        laterTerms.name,
      ]);
      expect(page).toContain(found.states.toLocaleString('en'));
    },
  );

  it('without the detector, a leader that crashes is missed only by a node that holds an election', () => {
    const agreed = eventually(
      'every live node knows the one leader',
      (system) => system.count('leader') === 1 && system.count('decided') === system.live,
    );
    expect(failing(explore(bully(), complete(2), { crashes: 1, properties: [agreed] }))).toEqual([
      agreed.name,
    ]);
  });
});

describe('bully cost', () => {
  const total = (
    n: number,
    nodes: readonly string[],
    faults: Parameters<typeof simulate>[0]['faults'] = [],
  ) => {
    const workload = oneShot({ type: 'elect' }, { nodes, after: { kind: 'fixed', ms: 1 } });
    return totalMessages(simulate({ protocol: bully(), topology: complete(n), workload, faults }));
  };

  it('is n²−1 if all nodes start at once, n−1 if the largest one starts alone', () => {
    for (const n of [2, 3, 4, 5, 8, 13, 20]) {
      const { nodes } = complete(n);
      const largest = [...nodes].sort().at(-1) ?? '';
      expect(total(n, nodes)).toBe(n * n - 1);
      expect(total(n, [largest])).toBe(n - 1);
    }
  });

  it('is n−1 if the second largest notices the crash of the largest: one to the crashed node, n−2 to announce', () => {
    for (const n of [3, 4, 9, 26]) {
      const ids = [...complete(n).nodes].sort();
      expect(
        total(
          n,
          [ids.at(-2) ?? ''],
          [{ kind: 'crash', node: ids.at(-1) ?? '', at: 0, inside: false }],
        ),
      ).toBe(n - 1);
    }
  });

  proof(
    'with electAtStart it is (2n+1)(n−1) if all nodes start at once, in simulated runs and in every interleaving',
    () => {
      const starting = bully({ electAtStart: true });
      for (const n of [2, 3, 5, 13]) {
        expect(
          totalMessages(
            simulate({ protocol: starting, topology: complete(n), workload: idleFor(3000) }),
          ),
        ).toBe((2 * n + 1) * (n - 1));
        expect(starting.cost?.messages(n)).toEqual({
          least: (2 * n + 1) * (n - 1),
          most: (2 * n + 1) * (n - 1),
        });
      }
      for (const [n, delay] of [
        [2, [50, 100]],
        [3, [50, 100]],
        [4, [100, 100]],
      ] as const)
        expect(
          sentAtMost(starting, complete(n), {
            initiators: [],
            time: { kind: 'exact', delay, tick: 50 },
          }),
        ).toBe((2 * n + 1) * (n - 1));
    },
  );

  it.each([
    [2, {}, 3],
    [3, {}, 8],
    [4, { initiators: ['a'], time: { kind: 'exact', delay: [100, 100] } }, 15],
  ] as const)('is at most n²−1 per command on %i nodes, and no less', (n, options, most) => {
    expect(most).toBe(n * n - 1);
    expectTight(bully(), complete(n), options, most, 'elect');
  });
});

/** The most messages that any run sends, those of the starts included. */
function sentAtMost(protocol: Protocol, topology: Topology, budget: ExploreOptions): number {
  const { worlds, options } = model(protocol, topology, budget);
  type World = typeof worlds.initial;
  const rest = new Map<string, number>();
  const most = (world: World): number => {
    const key = options.serializeState({ world });
    const known = rest.get(key);
    if (known !== undefined) return known;
    let found = 0;
    for (const action of worlds.actions(world)) {
      const { world: next, effects } = worlds.perform(world, action);
      found = Math.max(found, effects.filter(({ type }) => type === 'send').length + most(next));
    }
    rest.set(key, found);
    return found;
  };
  return worlds.view(worlds.initial).inFlight().length + most(worlds.initial);
}

describe('bully with the detector', () => {
  const detecting = bully({ timeout: 300, detector: true });

  it('its properties hold in every interleaving: 2 nodes, messages of 100 ms, a crash and a restart', () => {
    const found = explore(detecting, complete(2), {
      crashes: 1,
      restarts: 1,
      time: { kind: 'exact', delay: [100, 100] },
    });
    expect([found.complete, found.states, ...failing(found)]).toEqual([true, 18_059]);
  });

  proof(
    'replaces a crashed leader after silence + least − period + timeout to silence + most + timeout, on two nodes',
    () => {
      const protocol = bully({ timeout: 300, detector: true, electAtStart: true });
      const replaced = (budget: ExploreOptions) =>
        timeAfterFault(protocol, complete(2), {
          budget: { initiators: [], mayCrash: ({ tags }) => tags.has('leader'), ...budget },
          begun: (system) => system.count('leader') === 1,
          done: (system) => system.count('leader') === 1 && system.count('decided') === system.live,
          patience: 1000,
        });
      for (const [least, most] of [
        [50, 100],
        [100, 100],
      ] as const) {
        const time = { kind: 'exact', delay: [least, most] } as const;
        expect(replaced({ time, atomicSteps: true })).toEqual({
          least: 200 + least - 100 + 300,
          most: 200 + most + 300,
        });
        // it crashes while it announces itself to a node that still asks
        expect(replaced({ time })).toEqual({ least: 300, most: 200 + most + 300 });
      }
    },
  );

  proof('does not replace it if a time-out of the detector is ignored', () => {
    const deaf = detectingMachine.provide({ actions: { 'detector:suspect': assign({}) } });
    const { most } = timeAfterFault(
      withMachine(bully({ timeout: 300, detector: true, electAtStart: true }), deaf),
      complete(2),
      {
        budget: {
          initiators: [],
          mayCrash: ({ tags }) => tags.has('leader'),
          time: { kind: 'exact', delay: [100, 100] },
        },
        begun: () => false,
        done: (system) => system.count('leader') === 1,
        patience: 1000,
      },
    );
    expect(most).toBe(Infinity);
  });

  proof(
    'a fleet of 16 loses five leaders, one after the other, and a larger node that returns takes over',
    () => {
      const topology = complete(16);
      const ids = [...topology.nodes].sort().reverse();
      const crashes = ids.slice(0, 5).map(
        (node, index) =>
          ({
            kind: 'crash',
            node,
            at: 1000 * (index + 1),
            ...(index === 3 ? { restartAfter: 3500 } : {}),
          }) as const,
      );
      const { properties, leader, trace } = simulate({
        protocol: bully({ detector: true, electAtStart: true }),
        topology,
        faults: crashes,
        conditions: { order: 'any', delay: { kind: 'uniform', least: 50, most: 100 } },
        workload: idleFor(9000),
        record: true,
      });
      expect(failing({ properties })).toEqual([]);
      expect(leader).toBe(ids[3]);
      const leaders = (trace?.lines ?? []).filter(
        ({ before = '', after = '' }) => !before.includes('leader') && after.includes('leader'),
      );
      expect(leaders.map(({ node }) => node)).toEqual([
        ids[0],
        ids[1],
        ids[2],
        ids[3],
        ids[4],
        ids[5],
        ids[3],
      ]);
    },
  );
});
