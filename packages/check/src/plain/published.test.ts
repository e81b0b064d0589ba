/**
 * Published counts, or counts by a formula, for our own models of these systems; each is also
 * counted by a naive search with a set of texts.
 */

import type { Json } from '@conclave/core/protocol';
import { always, eventually, leadsTo, never, sometimes } from '@conclave/core/protocol';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { exploreSystem } from './plain.js';
import type { PlainOptions } from './plain-options.js';
import type { PlainSystem } from './plain-system.js';
import {
  type Activity,
  asyncTermination,
  type Counting,
  counted,
  ewd840,
  ewd998,
  type Probing,
  philosophers,
  sliding,
  stabilizing,
  type TwoPhases,
  tokensIn,
  transactionCommit,
  twoPhaseCommit,
  verdictsOf,
} from './published.contract.js';
import {
  atomicCommitment,
  type Ballots,
  backedUpCommit,
  type Commitment,
  paxos,
} from './published-agreement.contract.js';
import { type Register, register } from './published-register.contract.js';

/** Explores a system, and checks that its counts equal those of the naive search. */
function found<S extends Json, A extends Json>(
  system: PlainSystem<S, A>,
  properties: PlainOptions<NoInfer<S>>['properties'] = [],
) {
  const exploration = exploreSystem(system, { properties });
  expect(exploration).toMatchObject({ ...counted(system), complete: true });
  return exploration;
}

describe('agreement on a commit', () => {
  const isTorn = (managers: readonly string[]) =>
    managers.includes('committed') && managers.includes('aborted');

  it('transaction commit of 3 has the 34 states of TLC: 27 without a commit, 7 with one', () => {
    const { properties, ...counts } = found(transactionCommit(3), [
      never<readonly string[]>('torn', isTorn),
    ]);
    // TLC counts the initial state as generated, and numbers layers from 1: 94 and 7.
    expect(counts).toMatchObject({ states: 34, transitions: 93, depth: 6 });
    expect(properties.map(({ verdict }) => verdict)).toEqual(['holds', 'holds', 'holds']);
    for (const count of [1, 2, 4, 5])
      expect(found(transactionCommit(count)).states).toBe(3 ** count + 2 ** count - 1);
  });

  proof.each([
    // TLC, for the TwoPhase of the TLA+ examples; the states Stateright, too, for its 2pc
    [3, { states: 288, transitions: 1145, depth: 10 }],
    [5, { states: 8_832 }], // Stateright
  ])('two-phase commit of %i has the published counts', (count, counts) => {
    const properties = [
      never<TwoPhases>('torn', ({ managers }) => isTorn(managers)),
      sometimes<TwoPhases>('all commit', ({ managers }) =>
        managers.every((one) => one === 'committed'),
      ),
      sometimes<TwoPhases>('all abort', ({ managers }) =>
        managers.every((one) => one === 'aborted'),
      ),
    ];
    const full = found(twoPhaseCommit(count), properties);
    expect(full).toMatchObject(counts);
    expect(verdictsOf(full)).toEqual(['holds', 'reached', 'reached', 'holds']);
  });
});

describe('atomic commitment with failures', () => {
  proof('2PCwithBTM of 3 has the counts of TLC', () => {
    const full = found(backedUpCommit(3), [
      never<{ readonly managers: readonly string[] }>(
        'torn',
        ({ managers }) => managers.includes('aborted') && managers.includes('committed'),
      ),
    ]);
    expect(full).toMatchObject({ states: 1_245, transitions: 5_841 - 1 });
  });

  const agreed = never<Commitment>('one commits, one aborts', ({ participants }) => {
    const decisions = participants.map(({ decision }) => decision);
    return decisions.includes('commit') && decisions.includes('abort');
  });
  const decided = eventually<Commitment>('each that lives decides', ({ participants }) =>
    participants.every(({ decision, alive }) => decision !== 'none' || !alive),
  );

  proof.each([
    ['ACP_SB', 3, false, { states: 54_944, transitions: 218_352 - 8, depth: 20 }, 'violated'],
    ['ACP_NB', 2, true, { states: 4_284, transitions: 23_988 - 4, depth: 18 }, 'holds'],
  ] as const)('%s of %i has the counts of TLC, and blocks if its broadcast is simple', (...row) => {
    const [, count, isUniform, counts, ends] = row;
    const full = found(atomicCommitment(count, isUniform), [agreed, decided]);
    expect(full).toMatchObject(counts);
    expect(verdictsOf(full).slice(0, 2)).toEqual(['holds', ends]);
  });
});

describe('consensus', () => {
  proof('Paxos of three acceptors, two ballots and two values has the counts of TLC', () => {
    const full = found(paxos(2, ['v1', 'v2']), [
      never<Ballots>('two values are chosen', ({ voted, proposed }) => {
        const chosen = proposed.filter(
          (_, ballot) => (voted[ballot]?.filter(Boolean).length ?? 0) > 1,
        );
        return new Set(chosen).size > 1;
      }),
    ]);
    expect(full).toMatchObject({ states: 3_921, transitions: 23_563 - 1 });
    expect(verdictsOf(full)[0]).toBe('holds');
  });

  proof('Paxos of three servers with two clients has the 16,668 states of Stateright', () => {
    const values = ({ servers }: Register) =>
      servers.flatMap(({ isDecided, accepted }) => (isDecided && accepted ? [accepted[1]] : []));
    const full = found(register, [
      never<Register>('two values are decided', (state) => new Set(values(state)).size > 1),
      sometimes<Register>('a client reads', ({ clients }) => clients.some(({ read }) => read)),
    ]);
    expect(full).toMatchObject({ states: 16_668 });
    expect(verdictsOf(full).slice(0, 2)).toEqual(['holds', 'reached']);
  });
});

describe('termination detection', () => {
  proof(
    'AsyncTerminationDetection of 4 nodes has the 4,097 states of TLC: all of them, and one detected',
    () => {
      const full = found(asyncTermination(4, 3), [
        never<Activity>(
          'too early',
          ({ active, pending, detected }) =>
            detected && (active.includes(true) || pending.some((work) => work > 0)),
        ),
      ]);
      // TLC generates 53,271 states, of which 17 are initial
      expect(full).toMatchObject({ states: 4_097, transitions: 53_254 });
      expect(verdictsOf(full)[0]).toBe('holds');
    },
  );

  it('EWD 840 of 3 nodes has the 302 states of TLC, and detects no termination too early', () => {
    const full = found(ewd840(3), [
      never<Probing>(
        'too early',
        ({ active, black, position, blackToken }) =>
          position === 0 && !blackToken && !black[0] && !active[0] && active.includes(true),
      ),
    ]);
    expect(full).toMatchObject({ states: 302 });
    expect(verdictsOf(full)[0]).toBe('holds');
  });

  proof('EWD 998 of 3 nodes with counters below 3 has the counts of TLC', () => {
    const full = exploreSystem(ewd998(3, 3), {
      properties: [
        never<Counting>('too early', ({ active, black, counters, pending, token }) => {
          const isSeen = token.at === 0 && !token.black && !black[0] && !active[0];
          const isOver = !active.includes(true) && pending.every((work) => work === 0);
          return isSeen && token.count + (counters[0] ?? 0) === 0 && !isOver;
        }),
      ],
    });
    expect(full).toMatchObject({ states: 321_370, transitions: 2_808_396 - 8, complete: true });
    expect(verdictsOf(full)[0]).toBe('holds');
  });
});

proof('EWD 426 of 6 nodes and 6 values has the counts of TLC, and stabilises', () => {
  const full = found(stabilizing(6, 6), [
    eventually<readonly number[]>('one token', (counters) => tokensIn(counters).length === 1),
  ]);
  expect(full).toMatchObject({ states: 46_656, transitions: 248_832 - 46_656 });
  expect(verdictsOf(full)[0]).toBe('holds');
});

proof(
  'puzzles tiles in a frame of 2 by 3 have 6!/2 states, with depth 21; tiles of 3 by 3 have 9!/2, with depth 31',
  () => {
    expect(found(sliding(2, 3))).toMatchObject({ states: 360, depth: 21 });
    expect(exploreSystem(sliding(3, 3), { properties: [] })).toMatchObject({
      states: 181_440,
      depth: 31,
    });
  },
);

describe('dining philosophers', () => {
  /**
   * Circular words over none, one and both forks, in which both is followed by none: the trace of a
   * power of a matrix.
   */
  function words(count: number): number {
    const follows = [
      [1, 1, 1],
      [1, 1, 1],
      [1, 0, 0],
    ];
    let power = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    for (let step = 0; step < count; step++)
      power = power.map((row) =>
        [0, 1, 2].map((to) =>
          row.reduce((sum, count, over) => sum + count * (follows[over]?.[to] ?? 0), 0),
        ),
      );
    return power.reduce((sum, row, at) => sum + (row[at] ?? 0), 0);
  }

  it.each([2, 3, 4, 5, 6])(
    '%i have the states of the formula, and one deadlock: each holds the left fork',
    (count) => {
      const table = found(philosophers(count));
      expect(table).toMatchObject({ states: words(count), ends: 1 });
      expect(table.properties.at(-1)).toMatchObject({ verdict: 'violated' });
      expect(table.properties.at(-1)?.path).toHaveLength(count);
      expect(table.properties.at(-1)?.path?.at(-1)?.state).toEqual(
        Array.from({ length: count }, () => 1),
      );
    },
  );

  it('with one left-handed never deadlock; under strong fairness a hungry one eventually eats', () => {
    const eats = leadsTo<readonly number[]>(
      'the first eats',
      ([first]) => first === 1,
      ([first]) => first === 2,
    );
    const [weak, strong] = (['weak', 'strong'] as const).map((fairness) =>
      exploreSystem(philosophers(4, 1), { properties: [eats], fairness }),
    );
    expect([weak && verdictsOf(weak), strong && verdictsOf(strong)]).toEqual([
      ['violated', 'holds', 'holds'],
      ['holds', 'holds', 'holds'],
    ]);
    const oneEats = eventually<readonly number[]>('a philosopher eats', (held) => held.includes(2));
    expect(verdictsOf(exploreSystem(philosophers(4, 1), { properties: [oneEats] }))[0]).toBe(
      'holds',
    );
    expect(
      verdictsOf(
        exploreSystem(philosophers(4), {
          properties: [
            oneEats,
            always<readonly number[]>(
              'forks',
              (held) => held.filter((forks) => forks === 2).length <= 2,
            ),
          ],
        }),
      ),
    ).toEqual(['violated', 'holds', 'holds', 'violated']);
  });
});
