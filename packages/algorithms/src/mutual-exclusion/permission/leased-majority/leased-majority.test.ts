/** What A19 tolerates, and which of its assumptions are necessary. */

import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore, walk } from '@conclave/check';
import type { Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { propertyNamed } from '../../../contract/findings.contract.js';
import { withMachine } from '../../../contract/machines.contract.js';
import { cancelContract } from '../../cancel.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { allHold, exclusion, fencing } from '../../outcome.contract.js';
import { machine } from './leased-majority.js';
import { withoutClocks } from './properties.js';
import { leasedMajority } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const protocol = leasedMajority({ lease: 5_000, renewal: 2_000 });
const bound = 'a majority is bound to the ballot of a node in the critical section';
const messages = { kind: 'exact', delay: [1_000, 1_000] } as const;
const fixed = { ...messages, stays: { critical: [0, 1_000] } } as const;
const long = { ...messages, stays: { critical: [0, 8_000] } } as const;
const restart = { initiators: ['a', 'b'], crashes: 1, restarts: 1, time: fixed } as const;

const withRole = (of: Protocol, changes: Partial<Protocol['roles'][string]>): Protocol => {
  const { node } = of.roles;
  if (!node) throw new Error(`${of.name} has no role 'node'`);
  return { ...of, roles: { node: { ...node, ...changes } } };
};
const storing = (...stable: readonly string[]) => withRole(protocol, { stable });

/**
 * The length of the shortest trace, and the trace as on the page: without timers and
 * configurations.
 */
function refuted(
  of: Protocol,
  n: number,
  name: string,
  options: ExploreOptions,
): readonly [steps: number, text: string] {
  const properties = of.properties.filter((property) => property.name === name);
  const { trace } = propertyNamed(
    explore(of, complete(n), { ...options, properties, all: false, limits: { states: 500_000 } })
      .properties,
    name,
  );
  expect(trace && replay(of, complete(n), trace)).toEqual({ steps: trace?.lines.length });
  const text = linesText(trace?.lines ?? [])
    .replaceAll(/(, )?(start|cancel) [a-z]+\.leased-majority\.[\w.-]+( \d+ms)?/g, '')
    .replaceAll(/timeout ([a-z]+)\.leased-majority\.\S+/g, 'timeout $1')
    .replaceAll(/⇒ ?, ?/g, '⇒ ')
    .replaceAll(/\.000ms/g, ' ms')
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/))
    .map((cells) => cells.filter((cell) => !/^(client\.|⇒ *$)/.test(cell)).join('  '));
  return [trace?.lines.length ?? 0, text.join('\n').trimEnd()];
}

const verdicts = (of: Protocol, n: number, options: ExploreOptions) => {
  const found = explore(of, complete(n), options);
  expect(found.complete).toBe(true);
  return {
    states: found.states,
    ...Object.fromEntries(found.properties.map(({ name, verdict }) => [name, verdict])),
  };
};

describe('leased-majority tolerates', () => {
  proof(
    'lost messages: the holder loses the lock before a voter is free, and tells its application',
    () => {
      expect(verdicts(protocol, 2, { initiators: ['a'], losses: 3, time: long })).toMatchObject({
        ...allHold,
        states: 1_241,
      });
      expect(verdicts(protocol, 3, { initiators: ['a'], losses: 2, time: long })).toMatchObject({
        ...allHold,
        states: 10_277,
      });
    },
  );

  proof('duplicated and reordered messages', () => {
    expect(verdicts(protocol, 2, { duplications: 1, time: fixed })).toMatchObject(allHold);
  });

  proof('two crashes and restarts of five nodes, in walks', () => {
    const found = walk(protocol, complete(5), {
      seed: 1,
      walks: 8,
      steps: 80,
      crashes: 2,
      restarts: 2,
      losses: 2,
    });
    expect(found.properties.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
  });

  proof('drift up to its bound; beyond it, a vote ends while the holder counts it', () => {
    const drifting = leasedMajority({ lease: 4_000, drift: 0.2, renewal: 1_000 });
    const properties = drifting.properties.filter(({ name }) => name === bound);
    const lossy = (drift: number): ExploreOptions => ({
      initiators: ['a'],
      losses: 2,
      time: { kind: 'exact', delay: [0, 0], stays: { critical: [0, 6_000] }, drift },
    });
    expect(verdicts(drifting, 3, { ...lossy(0.2), properties })).toMatchObject({
      [bound]: 'holds',
      states: 17_767,
    });
    const [steps, trace] = refuted(drifting, 3, bound, lossy(0.4));
    expect(steps).toBe(10);
    expect(page).toContain(trace);
  });
});

describe('leased-majority needs', () => {
  proof.each([
    ['nothing', storing(), exclusion, 10],
    ['not the vote', storing('ballot', 'floor'), exclusion, 10],
    ['not the floor', storing('ballot', 'vote'), fencing, 10],
    [
      'not the ballot',
      storing('floor', 'vote'),
      'each vote in transit is for a ballot that its client has taken',
      4,
    ],
  ])('stable storage: with %s on it, a restart breaks it', (_what, of, name, steps) => {
    const [found, trace] = refuted(of, 3, name, restart);
    expect(found).toBe(steps);
    if (name === fencing) expect(page).toContain(trace);
  });

  proof(
    'timers in time: if they may end at any moment, exclusion breaks, and with it the order of tokens',
    () => {
      for (const name of [exclusion, fencing]) {
        const [steps, trace] = refuted(protocol, 2, name, { time: 'untimed' });
        expect(steps).toBe(8);
        expect(page).toContain(trace);
      }
    },
  );

  proof(
    'no timers for what tokens rest on: a majority has recorded each ballot that has entered',
    () => {
      const found = explore(protocol, complete(3), {
        time: 'untimed',
        initiators: ['a', 'b'],
        crashes: 1,
        restarts: 1,
        properties: withoutClocks,
        limits: { states: 60_000 },
      });
      const walked = walk(protocol, complete(3), {
        seed: 1,
        walks: 5,
        steps: 80,
        time: 'untimed',
        commands: 3,
        crashes: 2,
        restarts: 2,
        properties: withoutClocks,
      });
      for (const { properties } of [found, walked])
        expect(properties.map(({ verdict }) => verdict)).not.toContain('violated');
    },
  );

  const mutants: readonly (readonly [string, Protocol, string, ExploreOptions, number])[] = [
    [
      'a client counts a vote for longer than the lease',
      withRole(protocol, {
        input: (self, { nodes }) => ({
          self,
          nodes,
          lease: 5_000,
          validity: 6_000,
          renewal: 2_000,
          ballot: 0,
          floor: 0,
          vote: 0,
        }),
      }),
      exclusion,
      { initiators: ['a', 'c'], losses: 2, time: long },
      12,
    ],
    [
      'a holder ignores that its votes have expired',
      withMachine(protocol, machine.provide({ guards: { isUnproved: () => false } })),
      exclusion,
      { initiators: ['a', 'b'], losses: 2, time: long },
      13,
    ],
  ];
  proof.each(mutants)('each rule: %s', (_what, of, name, options, steps) => {
    expect(refuted(of, 3, name, options)[0]).toBe(steps);
  });
});

describe('leased-majority costs', () => {
  it('3(n−1) messages and one round trip without contention', () => {
    for (const n of [3, 5, 9]) {
      const result = simulate({
        protocol: leasedMajority(),
        topology: complete(n),
        workload: closedLoop({ entries: 5, nodes: ['a'], think: { kind: 'fixed', ms: 100 } }),
        conditions: { order: 'any', delay: { kind: 'fixed', ms: 5 } },
      });
      expect(totalMessages(result)).toBe(5 * 3 * (n - 1));
      for (const { requestedAt, enteredAt } of result.exclusion.entries)
        expect(enteredAt - requestedAt).toBe(10);
    }
  });
});

/** Messages of exactly one second, and stays of at most one. */
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;

mutualExclusionContract({
  protocol,
  topologies: [2, 3, 4].map((n) => complete(n)),
  small: [{ topology: complete(2), budget: { initiators: ['a'], time } }],
  explored: [
    [complete(2), {}, 39_503],
    [complete(3), { initiators: ['b'], crashes: 1, restarts: 1 }, 38_407],
    [complete(3), { initiators: ['a', 'b'], time }, 941_259],
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
});

const cancelling = leasedMajority({ lease: 5_000, renewal: 2_000, cancel: true });
cancelContract({
  protocol: cancelling,
  topologies: [2, 3, 5].map((n) => complete(n)),
  explored: [
    [complete(2), { time }, 16_868],
    [complete(3), { initiators: ['b'], commands: 2, time }, 18_007],
  ],
});
