import { randomGraph } from '@conclave/core/internal/topology';
import { complete, grid, ring } from '@conclave/core/topology';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  endsOf,
  hasCycle,
  orientedTowards,
  type Pointers,
  pointingTo,
} from './edge-orientation.js';

const graphAndHolder = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.nat(50), fc.double({ min: 0, max: 1, noNaN: true }))
  .chain(([n, seed, p]) =>
    fc.record({ topology: fc.constant(randomGraph(n, p, seed)), place: fc.nat(n - 1) }),
  )
  .map(({ topology, place }) => ({ topology, holder: topology.nodes[place] ?? '' }));

const pointers = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 })
  .chain((ids) =>
    fc
      .tuple(...ids.map(() => fc.subarray(ids)))
      .map(
        (out): Pointers =>
          new Map(ids.map((id, index) => [id, (out[index] ?? []).filter((other) => other !== id)])),
      ),
  );

it('gives each edge one direction, without a cycle, so that every path ends at the holder', () => {
  fc.assert(
    fc.property(graphAndHolder, ({ topology, holder }) => {
      const oriented = orientedTowards(topology, holder);
      const points = (from: string, to: string) => oriented.get(from)?.includes(to) ?? false;
      for (const { from, to } of topology.links)
        expect([points(from, to), points(to, from)].filter(Boolean)).toHaveLength(1);
      expect([...oriented.values()].flat()).toHaveLength(topology.links.length / 2);
      expect(hasCycle(oriented)).toBe(false);
      expect(endsOf(oriented)).toEqual([holder]);
    }),
  );
});

it('the first edge of a node is on a shortest path to the holder', () => {
  const first = (pointers: Pointers) =>
    Object.fromEntries([...pointers].map(([id, [next = '–']]) => [id, next]));
  expect(first(orientedTowards(complete(4), 'c'))).toEqual({ a: 'c', b: 'c', c: '–', d: 'c' });
  expect(first(orientedTowards(ring(5, { oneWay: false }), 'a'))).toEqual({
    a: '–',
    b: 'a',
    c: 'b',
    d: 'e',
    e: 'a',
  });
  expect(orientedTowards(grid(2, 2), 'a').get('d')).toEqual(['b', 'c']);
  // c and a have the same distance from b; a is the lower
  expect(orientedTowards(complete(3), 'b').get('c')).toEqual(['b', 'a']);
});

it('finds a cycle exactly where a path has more steps than there are nodes', () => {
  fc.assert(
    fc.property(pointers, (out) => {
      let reached = new Set(out.keys());
      for (let steps = 0; steps <= out.size; steps++)
        reached = new Set([...reached].flatMap((id) => out.get(id) ?? []));
      expect(hasCycle(out)).toBe(reached.size > 0);
    }),
  );
});

it('an edge that is reversed comes first, once', () => {
  expect(pointingTo('c', ['a', 'b'])).toEqual(['c', 'a', 'b']);
  expect(pointingTo('b', ['a', 'b'])).toEqual(['b', 'a']);
});
