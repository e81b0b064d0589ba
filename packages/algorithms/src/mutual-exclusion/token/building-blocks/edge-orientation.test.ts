import { complete, grid, needs, ring, type Topology } from '@conclave/core/topology';
import fc from 'fast-check';
import { UndirectedGraph } from 'graphology';
import { describe, expect, it } from 'vitest';
import { allGraphs } from '../../../checks/networks.js';
import {
  connectedGraphs,
  labelledTrees,
  randomGraph,
} from '../../../contract/networks.contract.js';
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

/** The number of automorphisms of a graph of graphology. */
function automorphisms(graph: UndirectedGraph): number {
  const nodes = graph.nodes();
  const extend = (image: string[]): number => {
    if (image.length === nodes.length) return 1;
    const fits = (id: string) =>
      !image.includes(id) &&
      image.every(
        (to, i) => graph.hasEdge(to, id) === graph.hasEdge(nodes[i], nodes[image.length]),
      );
    return nodes.filter(fits).reduce((count, id) => count + extend([...image, id]), 0);
  };
  return extend([]);
}

function undirected({ nodes, links }: Topology): UndirectedGraph {
  const graph = new UndirectedGraph();
  for (const id of nodes) graph.addNode(id);
  for (const { from, to } of links) graph.mergeUndirectedEdge(from, to);
  return graph;
}

describe('all connected graphs of n nodes', () => {
  // n, graphs up to isomorphism (OEIS A001349), graphs with labelled nodes (OEIS A001187)
  it.each([
    [1, 1, 1],
    [2, 1, 1],
    [3, 2, 4],
    [4, 6, 38],
    [5, 21, 728],
  ])('n = %i: %i of them, which represent %i labelled ones', (n, unlabelled, labelled) => {
    const graphs = connectedGraphs(n);
    expect(graphs).toHaveLength(unlabelled);
    expect(graphs.every((graph) => needs.connected.refuses(graph) === undefined)).toBe(true);
    // Each graph represents n! / |automorphisms| labelled ones; two isomorphic graphs, or a missing
    // one, would change the sum.
    const factorial = [1, 1, 2, 6, 24, 120][n] ?? 0;
    expect(
      graphs.reduce((sum, graph) => sum + factorial / automorphisms(undirected(graph)), 0),
    ).toBe(labelled);
  });

  it('are listed sparse ones first', () => {
    expect(connectedGraphs(3).map(({ spec }) => spec)).toEqual([
      'edges:a-b,a-c',
      'edges:a-b,a-c,b-c',
    ]);
  });
});

it('gives the published numbers of connected graphs, and of trees (Cayley)', () => {
  expect([2, 3, 4].map((n) => allGraphs(n).length)).toEqual([1, 4, 38]);
  expect([2, 3, 4, 5].map((n) => labelledTrees(n).length)).toEqual([1, 3, 16, 125]);
});
