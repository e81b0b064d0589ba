import { needs, type Topology } from '@conclave/core/topology';
import { UndirectedGraph } from 'graphology';
import { describe, expect, it } from 'vitest';
import { connectedGraphs } from './connected-graphs.contract.js';

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
