/** Published systems with many initial states. */
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { eventually, leadsTo, never } from '../../protocol/property.js';
import { exploreSystem } from './plain.js';
import { counted, verdictsOf } from './published.contract.js';

const indices = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

/**
 * Black and white beans in a can: two of one colour are replaced by a black one, of two colours the
 * white one stays (Gries, The Science of Programming).
 */
const coffeeCan = (most: number) => ({
  initials: indices(most + 1).flatMap((black) =>
    indices(most + 1 - black).flatMap((white): (readonly [black: number, white: number])[] =>
      black + white > 0 ? [[black, white]] : [],
    ),
  ),
  actions: ([black, white]: readonly [number, number]) => [
    ...(black > 1 ? ['two black'] : []),
    ...(white > 1 ? ['two white'] : []),
    ...(black > 0 && white > 0 ? ['one of each'] : []),
    ...(black + white === 1 ? ['stay'] : []),
  ],
  next: ([black, white]: readonly [number, number], action: string): readonly [number, number] => {
    if (action === 'stay') return [black, white];
    return action === 'two white' ? [black + 1, white - 2] : [black - 1, white];
  },
  fair: () => 'step',
});

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

// Systems with many initial states: the counts and verdicts that are published for TLC (manifests
// of the TLA+ examples).

type Beans = readonly [black: number, white: number];

describe('a can of up to 100 beans', () => {
  const single = eventually<Beans>('one is left', ([black, white]) => black + white === 1);

  it('has 5,150 states, all of them initial, and 20,002 transitions', () => {
    const can = coffeeCan(100);
    const found = exploreSystem(can, { properties: [single], fairness: 'none' });
    expect(found).toMatchObject({
      ...counted(can),
      states: 5150,
      transitions: 20_002 - 5150,
      depth: 0,
      complete: true,
    });
    expect(verdictsOf(found)).toEqual(['holds', 'holds']);
  });

  it('ends with a white bean exactly if it begins with an odd number of white beans', () => {
    const odd = leadsTo<Beans>(
      'odd ends white',
      ([, white]) => white % 2 === 1,
      ([black, white]) => black === 0 && white === 1,
    );
    const even = leadsTo<Beans>(
      'even ends white',
      ([, white]) => white % 2 === 0,
      ([black, white]) => black === 0 && white === 1,
    );
    const found = exploreSystem(coffeeCan(20), { properties: [odd, even] });
    expect(verdictsOf(found)).toEqual(['holds', 'violated', 'holds']);
    expect(found.properties[1]).toMatchObject({
      initial: [1, 0],
      path: [{ action: 'stay' }],
      loopsFrom: 0,
    });
  });
});

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
