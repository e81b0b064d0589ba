/** Textbook results about mutual exclusion by shared variables, and about a lossy link. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../protocol/node.js';
import { leadsTo, never, sometimes } from '../../protocol/property.js';
import {
  alternatingBit,
  bakery,
  dekker,
  hasty,
  type Link,
  peterson,
  polite,
  type Running,
  type Turns,
} from './exclusion.contract.js';
import { verdictsOf } from './plain.contract.js';
import { exploreSystem } from './plain.js';
import type { PlainOptions } from './plain-options.js';
import type { PlainSystem } from './plain-system.js';
import { counted } from './published.contract.js';

type At = { readonly lines: readonly number[] };
const exclusive = (critical: number) =>
  never<At>('both are in the critical section', ({ lines }) =>
    lines.every((line) => line === critical),
  );
const entered = (critical: number) =>
  sometimes<At>('a process is in the critical section', ({ lines }) => lines.includes(critical));
const served = (critical: number) =>
  leadsTo<At>(
    'the first enters when it requests entry',
    ({ lines: [line = 0] }) => line > 0 && line < critical,
    ({ lines: [line] }) => line === critical,
  );
const all = (critical: number) => [exclusive(critical), entered(critical), served(critical)];

/** The verdicts; checks that the counts equal those of the naive search. */
function judged<S extends Json, A extends Json>(
  system: PlainSystem<S, A>,
  properties: PlainOptions<NoInfer<S>>['properties'],
  fairness?: 'none' | 'strong',
) {
  const found = exploreSystem(system, { properties, ...(fairness ? { fairness } : {}) });
  expect(found).toMatchObject({ ...counted(system), complete: true });
  return {
    states: found.states,
    verdicts: verdictsOf(found),
    paths: found.properties.map(({ path }) => path?.length),
  };
}

describe('mutual exclusion', () => {
  it('by Peterson excludes, and serves each process that requests entry, with weak fairness only', () => {
    expect(judged(peterson, all(4)).verdicts).toEqual(['holds', 'reached', 'holds', 'holds']);
    expect(judged(peterson, all(4), 'none').verdicts).toEqual([
      'holds',
      'reached',
      'violated',
      'holds',
    ]);
  });

  it('by flags alone excludes, and can deadlock', () => {
    const found = judged({ ...polite, done: () => false }, all(3));
    expect(found.verdicts).toEqual(['holds', 'reached', 'violated', 'holds', 'violated']);
    expect(found.paths.at(-1)).toBe(4);
  });

  it('by reading the other flag before setting its own does not exclude', () => {
    const found = judged(hasty, all(3));
    expect([found.verdicts[0], found.paths[0]]).toEqual(['violated', 6]);
  });

  it('by Dekker excludes, and serves each process that requests entry', () => {
    expect(judged(dekker, all(6)).verdicts).toEqual(['holds', 'reached', 'holds', 'holds']);
    expect(judged(dekker, all(6), 'none').verdicts).toEqual([
      'holds',
      'reached',
      'violated',
      'holds',
    ]);
  });

  it('by the bakery excludes and serves, because a flag says that a number is being chosen', () => {
    expect(judged(bakery(4), all(6)).verdicts).toEqual(['holds', 'reached', 'holds', 'holds']);
    expect(judged(bakery(4, false), all(6)).verdicts.slice(0, 2)).toEqual(['violated', 'reached']);
  });

  it.each([
    ['Peterson', peterson, 34],
    ['flags alone', polite, 15],
    ['looking first', hasty, 16],
    ['Dekker', dekker, 100],
  ])('by %s has the pinned number of states', (_name, system, states) => {
    expect(exploreSystem<Running<Turns>, string>(system, { properties: [] }).states).toBe(states);
  });
});

describe('the alternating bit', () => {
  const inOrder = never<Link>(
    'a value is received twice, or skipped',
    ({ received, expected, sending, bit }) => {
      const due = expected === bit ? (sending + 3) % 4 : sending;
      return received !== due;
    },
  );
  const goesOn = leadsTo<Link>(
    'the second value follows the first',
    ({ received }) => received === 0,
    ({ received }) => received === 1,
  );

  it('delivers every value once and in order, if a message that is sent again and again eventually arrives', () => {
    expect(judged(alternatingBit(), [inOrder, goesOn], 'strong').verdicts).toEqual([
      'holds',
      'holds',
      'holds',
    ]);
    expect(judged(alternatingBit(), [inOrder, goesOn]).verdicts).toEqual([
      'holds',
      'violated',
      'holds',
    ]);
  });

  it('delivers a value twice if it ignores the bit', () => {
    expect(judged(alternatingBit(false), [inOrder]).verdicts[0]).toBe('violated');
  });
});
