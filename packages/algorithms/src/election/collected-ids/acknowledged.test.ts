/** B2 with acknowledgements: nodes may crash. */
import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import type { NodeId } from '@conclave/core/protocol';
import { oneShot, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { and } from 'xstate';
import { failing } from '../../contract/findings.js';
import { withMachine, withState } from '../../contract/mutant.js';
import { outcomeOf, withoutTimers } from '../../mutual-exclusion/outcome.contract.js';
import { decision, largestLeads, termination } from '../election.js';
import { anyInitiators, rings } from '../rings.contract.js';
import { acknowledgedMachine } from './acknowledged.js';
import { collectedIdsAcknowledged } from './protocol.js';

const protocol = collectedIdsAcknowledged();
const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const crash: ExploreOptions = { crashes: 1 };
/** Every message takes 250 ms: far fewer interleavings. */
const fixed: ExploreOptions = { ...crash, time: { kind: 'exact', delay: [250, 250] } };

const statesOf = (n: number, options: ExploreOptions, initiators: readonly NodeId[]) =>
  rings(n).reduce((sum, { nodes }) => {
    const found = explore(protocol, complete(nodes), { ...options, initiators });
    expect(found.complete).toBe(true);
    expect(failing(found)).toEqual([]);
    return sum + found.states;
  }, 0);

describe('collected-ids acknowledged', () => {
  it('its properties hold in every interleaving with one crash: rings of 2, each node may start', () => {
    expect(statesOf(2, crash, ['a', 'b'])).toBe(2247);
  });

  const rings = [
    [3, ['a'], 18_194, crash],
    [4, ['a'], 13_734, fixed],
    [3, ['a', 'b'], 17_342, fixed],
    [3, ['b', 'c'], 17_339, fixed],
  ] as const;
  it.each(sampled(rings, 1))(
    'its properties hold in every interleaving with one crash: rings of %i in any order, initiators %j',
    (n, initiators, states, options) => {
      expect(statesOf(n, options, initiators)).toBe(states);
    },
  );

  proof('without a crash, the properties of the problem hold on rings of 2 and 3', () => {
    const properties = [...decision, ...termination, largestLeads];
    for (const { topology, budget } of anyInitiators(2))
      expect(
        failing(explore({ ...protocol, properties }, complete(topology.nodes), budget)),
      ).toEqual([]);
    for (const { topology, budget } of anyInitiators(3))
      expect(
        failing(
          explore({ ...protocol, properties }, complete(topology.nodes), {
            ...fixed,
            ...budget,
            crashes: 0,
          }),
        ),
      ).toEqual([]);
  });

  proof('survives the crash of any node at any time in simulated runs', () => {
    for (const n of [3, 5, 8])
      for (let seed = 1; seed <= 20; seed++) {
        const topology = complete(n);
        const node = topology.nodes[seed % n] ?? '';
        const result = simulate({
          protocol,
          topology,
          seed,
          conditions: { order: 'fifo', delay: { kind: 'uniform', least: 1, most: 40 } },
          workload: oneShot({ type: 'elect' }, { after: { kind: 'exponential', mean: 30 } }),
          faults: [{ at: seed * 13, kind: 'crash', node }],
        });
        // the elected node may have crashed before it knew
        expect(result.properties.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
        expect(result.complete).toBe(true);
      }
  });

  it('costs 4n for each initiator', () => {
    for (const n of [2, 3, 8])
      for (const initiators of [1, n]) {
        const topology = complete(n);
        const workload = oneShot({ type: 'elect' }, { nodes: topology.nodes.slice(0, initiators) });
        const { messages } = simulate({
          protocol: { ...protocol, properties: [] },
          topology,
          workload,
        });
        expect(messages).toEqual({
          election: n * initiators,
          coordinator: n * initiators,
          ack: 2 * n * initiators,
        });
      }
  });
});

describe('collected-ids acknowledged: mutants', () => {
  const changed = (path: readonly string[], fields: Parameters<typeof withState>[2]) =>
    withMachine(protocol, withState(acknowledgedMachine, path, fields));
  const ack = [
    { guard: and(['isAwaited', 'isLast']), target: 'quiet', actions: 'crossOff' },
    { guard: 'isAwaited', target: 'awaiting', reenter: true, actions: 'crossOff' },
    {},
  ];
  const skipping = { target: 'awaiting', reenter: true, actions: ['skip', 'resend'] };
  const systems: readonly [number, ExploreOptions][] = [
    [2, { crashes: 1 }],
    [3, { ...fixed, initiators: ['a', 'b'] }],
  ];

  it.each([
    [
      'a node sends again to the node that does not answer',
      changed(['link', 'awaiting'], {
        on: { ack },
        after: { timeout: { target: 'awaiting', reenter: true, actions: 'resend' } },
      }),
      'complete:2, 6 steps: after a time-out, a node leaves the next one out, and sends what it has not acknowledged',
    ],
    [
      'a node that is alone does not receive its own messages',
      changed(['link', 'awaiting'], { on: { ack }, after: { timeout: skipping } }),
      'complete:2, 9 steps: a node that has waited too long for the leader starts again',
    ],
    [
      'a node does not acknowledge announcements',
      changed(['link'], { on: { election: { actions: 'acknowledge' } } }),
      'complete:2, 6 steps: a node acknowledges each message once',
    ],
    [
      'a follower keeps the leader that it knew first',
      changed(['member', 'follower'], {
        on: {
          elect: {},
          election: { guard: 'listed', actions: 'announce' },
          coordinator: [{ guard: 'informed', target: '.sure' }, { actions: 'inform' }],
        },
      }),
      'complete:3, 26 steps: all nodes know the same leader when no message is on its way',
    ],
  ])('the explorer refutes the mutant: %s', (_name, mutant, refuted) => {
    const refute = ([n, options]: (typeof systems)[number]): string | undefined => {
      const found = explore(mutant, complete(n), {
        ...options,
        all: false,
        limits: { states: 20_000 },
      });
      const violated = found.properties.find(({ verdict }) => verdict === 'violated');
      return violated && `complete:${n}, ${violated.trace?.lines.length} steps: ${violated.name}`;
    };
    const [small, large] = systems;
    expect((small && refute(small)) ?? (large && refute(large))).toBe(refuted);
  });
});

/** As on the page: without starts and ends of timers. */
const pageLines = (lines: Parameters<typeof linesText>[0]): readonly string[] =>
  withoutTimers(linesText(lines).replaceAll(/(, )?(start|cancel) patience\.[^\s,]+( \d+ms)?/g, ''));

describe('collected-ids acknowledged: assumptions', () => {
  proof('time-outs that end too early make two leaders: the page shows the shortest run', () => {
    const found = explore(protocol, complete(2), {
      initiators: ['a'],
      time: 'untimed',
      limits: { states: 2000 },
    });
    const trace = found.properties.find(
      ({ name }) => name === 'at most one node is the leader',
    )?.trace;
    expect(trace?.lines).toHaveLength(4);
    for (const line of pageLines(trace?.lines ?? [])) expect(page).toContain(line);
  });

  it('two leaders stay: nothing is on its way any more, and no timer runs; the page shows the shortest run', () => {
    const { properties } = explore(collectedIdsAcknowledged({ timeout: 200 }), complete(2), {
      initiators: ['a'],
      time: { kind: 'exact', delay: [100, 100] },
    });
    const trace = properties.find(
      ({ name }) => name === 'all nodes know the same leader when no message is on its way',
    )?.trace;
    const lines = pageLines(trace?.lines ?? []);
    expect(lines).toHaveLength(7);
    expect(page).toContain(lines.join('\n'));
  });

  it.each([
    [3, 'holds'],
    [2, 'violated in 6'],
  ])('messages take 0 or 1 ms, and `timeout` is %i ms: one leader %s', (timeout, verdict) => {
    const options: ExploreOptions = { initiators: ['a'], time: { kind: 'exact', delay: [0, 1] } };
    const { verdicts } = outcomeOf(collectedIdsAcknowledged({ timeout }), complete(2), options);
    expect(verdicts['at most one node is the leader']).toBe(verdict);
  });

  proof('two crashes on a ring of 3, one initiator: the last node starts again, and leads', () => {
    const found = explore(protocol, complete(3), { initiators: ['a'], crashes: 2 });
    expect([found.complete, found.states, ...failing(found)]).toEqual([true, 30_767]);
  });
});
