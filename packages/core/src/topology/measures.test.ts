import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { abilene, geant, nsfnet } from './backbones.js';
import { diameter } from './diameter.contract.js';
import { chain, randomGraph, ring } from './generators.js';
import { disconnection, propagationDelay, shortestPaths } from './measures.js';
import { ringOver } from './overlay.js';
import { topology } from './parse.js';
import { Topology } from './topology.js';

/** All distances by Floyd and Warshall: three loops, independent of the code under test. */
function distances({ nodes, links }: Topology): number[][] {
  const table = nodes.map((from) =>
    nodes.map((to) =>
      from === to ? 0 : (links.find((l) => l.from === from && l.to === to)?.delay ?? Infinity),
    ),
  );
  for (const via of nodes.keys()) {
    for (const row of table) {
      for (const [to, direct] of row.entries())
        row[to] = Math.min(direct, (row[via] ?? 0) + (table[via]?.[to] ?? 0));
    }
  }
  return table;
}

const weighted = fc
  .tuple(
    fc.integer({ min: 1, max: 9 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat(1000),
    fc.array(fc.nat(20), { minLength: 90, maxLength: 90 }),
  )
  .map(([n, p, seed, delays]) => {
    const { nodes, links } = randomGraph(n, p, seed);
    // Every third link is removed, so that some nodes cannot be reached.
    const kept = links
      .map((link, i) => ({ ...link, delay: delays[i] ?? 1 }))
      .filter((_, i) => i % 3 !== seed % 4);
    return new Topology('made by the test', nodes, kept);
  });

describe('shortest paths', () => {
  it('are as short as an exhaustive search finds them', () => {
    fc.assert(
      fc.property(weighted, (made) => {
        const paths = made.nodes.map((from) => shortestPaths(made, from));
        expect(
          paths.map((path) => made.nodes.map((to) => path.get(to)?.distance ?? Infinity)),
        ).toEqual(distances(made));
        expect(disconnection(made) === undefined).toBe(
          distances(made).flat().every(Number.isFinite),
        );
      }),
    );
  });

  it('are listed nearest first, each with its predecessor', () => {
    const paths = shortestPaths(topology('edges:a-b:1,b-c:1,a-c:5'), 'a');
    expect([...paths]).toEqual([
      ['a', { distance: 0 }],
      ['b', { distance: 1, via: 'a' }],
      ['c', { distance: 2, via: 'b' }],
    ]);
  });

  it('of one length are listed in the order in which they were found', () => {
    const paths = shortestPaths(topology('edges:a-b:1,a-c:1,b-d:1,c-d:1'), 'a');
    expect([...paths]).toEqual([
      ['a', { distance: 0 }],
      ['b', { distance: 1, via: 'a' }],
      ['c', { distance: 1, via: 'a' }],
      ['d', { distance: 2, via: 'b' }],
    ]);
  });

  it('count hops where links have no delay', () => {
    expect(shortestPaths(chain(4), 'a').get('d')?.distance).toBe(3);
  });
});

describe('diameter and connectedness', () => {
  it('hold for one-way networks', () => {
    expect(disconnection(ring(5))).toBeUndefined();
    expect(diameter(ring(5))).toBe(4);
    expect(disconnection(topology('edges:a>b,b>c'))).toBe('a cannot be reached from b');
    expect(disconnection(topology('edges:b>a,c>b,a,b,c'))).toBeDefined();
    expect(diameter(topology('edges:a>b,b>c'))).toBe(Infinity);
  });

  it('count hops, not milliseconds', () => {
    expect(diameter(topology('edges:a-b:100,b-c:100'))).toBe(2);
  });
});

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
