import { describe, expect, it } from 'vitest';
import { abilene, geant, nsfnet } from './backbones.js';
import { propagationDelay } from './measures.js';
import { ringOver } from './overlay.js';

describe('propagation delay', () => {
  const at = (latitude: number, longitude: number) => ({ name: '', latitude, longitude });

  it('is the great-circle distance at two thirds of the speed of light', () => {
    const quarter = ((Math.PI / 2) * 6371) / ((299792.458 * 2) / 3 / 1000);
    expect(propagationDelay(at(0, 0), at(90, 0))).toBeCloseTo(quarter, 3);
    expect(propagationDelay(at(0, 0), at(0, 90))).toBeCloseTo(quarter, 3);
    expect(propagationDelay(at(10, 170), at(10, 180))).toBe(
      propagationDelay(at(10, 180), at(10, -170)),
    );
    expect(propagationDelay(at(12, 34), at(-12, -146))).toBeCloseTo(2 * quarter, 2);
    expect(propagationDelay(at(47, 8), at(47, 8))).toBe(0);
  });

  it('has three decimals', () => {
    for (const { delay = NaN } of geant().links) expect(delay).toBe(Number(delay.toFixed(3)));
  });
});

describe.each([
  ['Abilene', abilene, 11, 14, [1641.6, 'seattle', 'denver']],
  ['NSFNET', nsfnet, 14, 21, [1127.9, 'houston', 'atlanta']],
  ['GÉANT', geant, 30, 48, [343.9, 'london', 'paris']],
] as const)('%s', (_, backbone, nodes, edges, [kilometres, from, to]) => {
  const made = backbone();

  it('has all its sites and links', () => {
    expect(made.nodes).toHaveLength(nodes);
    expect(made.links).toHaveLength(2 * edges);
  });

  it('knows where each site is', () => {
    for (const id of made.nodes)
      expect(made.places.get(id)?.name.toLowerCase().replaceAll(' ', '-').replace('ń', 'n')).toBe(
        id,
      );
  });

  it('has realistic delays, the same both ways', () => {
    expect((made.link(from, to)?.delay ?? NaN) * 199.861639).toBeCloseTo(kilometres, -1);
    for (const link of made.links) {
      expect(link.delay).toBeGreaterThan(0.2);
      expect(link.delay).toBeLessThan(15);
      expect(made.link(link.to, link.from)?.delay).toBe(link.delay);
    }
  });

  it('is listed along a round trip over its links', () => {
    const ring = ringOver(made);
    for (const { from: a, to: b, delay: logical } of ring.links)
      expect(made.link(a, b)?.delay).toBe(logical);
  });
});
