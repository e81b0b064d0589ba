/**
 * The tree follows from the weights alone, and from the ids as strings where delays are equal:
 * whole numbers are names as others are.
 */
import { explore } from '@conclave/core/exploration';
import { randomGraph } from '@conclave/core/internal/topology';
import { type Topology, topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { gallagerHumbletSpira } from './protocol.js';

const found = (graph: Topology) => {
  const { states, transitions, depth, properties } = explore(gallagerHumbletSpira, graph, {
    limits: { states: 600 },
  });
  const wrong = properties
    .filter(({ verdict }) => verdict === 'violated' || verdict === 'unreached')
    .map(({ name }) => name);
  return { states, transitions, depth, wrong };
};

it('the smallest edge of 1 leads to 3, and not to the first key of an object', () => {
  const [numbers, letters] = ['edges:1-2:3,1-3:1,2-3:2', 'edges:a-b:3,a-c:1,b-c:2'].map((spec) =>
    found(topology(spec)),
  );
  expect(numbers).toEqual(letters);
  expect(numbers).toMatchObject({ wrong: [] });
});

proof(
  'random weighted graphs have the same worlds under whole numbers as under letters whose order is the same',
  () => {
    const numbers = ['10', '100', '2', '33', '9'];
    for (let seed = 1; seed <= 40; seed++) {
      const { nodes, links } = randomGraph(2 + (seed % 4), 0.6, seed);
      const edges = links.filter(({ from, to }) => from < to);
      const named = (names: readonly string[]) => {
        const items = edges.map(({ from, to }, index) => {
          const [a, b] = [names[nodes.indexOf(from)], names[nodes.indexOf(to)]];
          return `${a}-${b}:${((index + 1) * 7919 * (seed + 13)) % 7}`; // some are equal
        });
        return topology(`edges:${[...names.slice(0, nodes.length), ...items].join()}`);
      };
      const graph = named(numbers);
      expect([graph.spec, found(graph)]).toEqual([graph.spec, found(named(nodes))]);
      expect(found(graph).wrong).toEqual([]);
    }
  },
);
