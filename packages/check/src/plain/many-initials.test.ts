/** Published systems with many initial states. */

import { leadsTo, never } from '@conclave/core/protocol';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { exploreSystem } from './plain.js';
import { counted, verdictsOf } from './published.contract.js';

const indices = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

/**
 * A token detects whether the nodes of a ring have terminated (Dijkstra, Feijen & van Gasteren, EWD
 * 840); any initial state is allowed.
 */
type Ring = {
  readonly active: readonly boolean[];
  readonly black: readonly boolean[];
  readonly at: number;
  readonly token: 'black' | 'white';
};
type RingStep = readonly [what: 'probe' | 'pass' | 'rest' | 'wake', by: number, target: number];

/** `reveals`: a node that wakes one which the token has passed becomes black. */
function ringTermination(count: number, reveals = true) {
  const choices = (length: number): readonly (readonly boolean[])[] =>
    length === 0
      ? [[]]
      : choices(length - 1).flatMap((rest) => [
          [...rest, false],
          [...rest, true],
        ]);
  return {
    initials: choices(count).flatMap((active) =>
      choices(count).flatMap((black) =>
        indices(count).map((at): Ring => ({ active, black, at, token: 'black' })),
      ),
    ),
    actions: ({ active, black, at, token }: Ring): readonly RingStep[] => [
      ...(at === 0 && (token === 'black' || black[0]) ? [['probe', 0, count - 1] as const] : []),
      ...(at > 0 && (!active[at] || black[at] || token === 'black')
        ? [['pass', at, at - 1] as const]
        : []),
      ...indices(count).flatMap((by): readonly RingStep[] =>
        active[by]
          ? [
              ['rest', by, by],
              ...indices(count).flatMap((target): readonly RingStep[] =>
                target === by ? [] : [['wake', by, target]],
              ),
            ]
          : [],
      ),
    ],
    next: (ring: Ring, [what, by, target]: RingStep): Ring => {
      const { active, black, token } = ring;
      if (what === 'probe')
        return { ...ring, at: target, token: 'white', black: black.with(0, false) };
      if (what === 'pass')
        return {
          ...ring,
          at: target,
          token: black[by] ? 'black' : token,
          black: black.with(by, false),
        };
      if (what === 'rest') return { ...ring, active: active.with(by, false) };
      return {
        ...ring,
        active: active.with(target, true),
        black: target > by && reveals ? black.with(by, true) : black,
      };
    },
    fair: ([what]: RingStep) => (what === 'probe' || what === 'pass' ? 'token' : undefined),
  };
}

describe('the detection of termination on a ring', () => {
  const isDetected = ({ at, token, black, active }: Ring) =>
    at === 0 && token === 'white' && !black[0] && !active[0];
  const isOver = ({ active }: Ring) => !active.includes(true);
  const properties = [
    never<Ring>('detected while a node is active', (ring) => isDetected(ring) && !isOver(ring)),
    leadsTo<Ring>('termination is detected', isOver, isDetected),
  ];

  proof.each([
    [3, 302],
    [4, 1566],
  ])(
    'of %i nodes has the %i states of TLC, is safe, and is live if the token keeps moving',
    (count, states) => {
      const system = ringTermination(count);
      const found = exploreSystem(system, { properties });
      expect(found).toMatchObject({ ...counted(system), states, complete: true });
      expect(verdictsOf(found)).toEqual(['holds', 'holds', 'holds']);
      const { fair, ...unfair } = system;
      expect(verdictsOf(exploreSystem(unfair, { properties }))).toEqual([
        'holds',
        'violated',
        'holds',
      ]);
    },
  );

  it('is unsafe if a node that wakes another does not become black', () => {
    expect(verdictsOf(exploreSystem(ringTermination(3, false), { properties }))[0]).toBe(
      'violated',
    );
  });
});
