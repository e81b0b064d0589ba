import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diameter } from './diameter.contract.js';
import { chain, randomGraph, ring } from './generators.js';
import { disconnection, shortestPaths } from './measures.js';
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
