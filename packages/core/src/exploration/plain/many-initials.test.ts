/**
 * Systems with many initial states: the counts and verdicts that are published for TLC (manifests
 * of the TLA+ examples).
 */
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { eventually, leadsTo, never } from '../../protocol/property.js';
import { coffeeCan, type Ring, ringTermination } from './many-initials.contract.js';
import { verdictsOf } from './plain.contract.js';
import { exploreSystem } from './plain.js';
import { counted } from './published.contract.js';

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
