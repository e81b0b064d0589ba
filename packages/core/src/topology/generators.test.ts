import { proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { DirectedGraph } from 'graphology';
import { describe, expect, it } from 'vitest';
import { diameter } from './diameter.contract.js';
import {
  chain,
  complete,
  grid,
  hypercube,
  nodeNames,
  randomGraph,
  randomTree,
  requireMemory,
  ring,
  shuffledRing,
  star,
  torus,
  tree,
} from './generators.js';
import { disconnection } from './measures.js';
import { topology } from './parse.js';
import { isNodeId, type Topology } from './topology.js';

/** The same graph in graphology, which itself refuses duplicate nodes and edges. */
function oracle({ nodes, links }: Topology): DirectedGraph {
  const graph = new DirectedGraph({ allowSelfLoops: false });
  for (const id of nodes) graph.addNode(id);
  for (const { from, to } of links) graph.addDirectedEdge(from, to);
  return graph;
}

const shape = ({ nodes, links, places }: Topology) => ({ nodes, links, places });
const range = (items: readonly number[]) => [Math.min(...items), Math.max(...items)];

it.each<[string, number, number, [number, number], number]>([
  // spec, nodes, links, least and greatest out-degree, diameter
  ['ring:2', 2, 2, [1, 1], 1],
  ['ring:8', 8, 8, [1, 1], 7],
  ['two-way-ring:3', 3, 6, [2, 2], 1],
  ['two-way-ring:8', 8, 16, [2, 2], 4],
  ['complete:1', 1, 0, [0, 0], 0],
  ['complete:5', 5, 20, [4, 4], 1],
  ['chain:5', 5, 8, [1, 2], 4],
  ['star:5', 5, 8, [1, 4], 2],
  ['tree:2:15', 15, 28, [1, 3], 6],
  ['tree:3:5', 5, 8, [1, 3], 3],
  ['tree:1:4', 4, 6, [1, 2], 3],
  ['grid:3x4', 12, 34, [2, 4], 5],
  ['grid:1x1', 1, 0, [0, 0], 0],
  ['torus:3x4', 12, 48, [4, 4], 3],
  ['hypercube:3', 8, 24, [3, 3], 3],
  ['random:20:1:7', 20, 380, [19, 19], 1],
  ['random:20:0:7', 20, 38, [1, 5], 10],
  ['abilene', 11, 28, [2, 3], 5],
  ['nsfnet', 14, 42, [2, 4], 3],
  ['geant', 30, 96, [2, 7], 7],
])('what each generator makes %s: %i nodes, %i links', (spec, nodes, links, degrees, across) => {
  const made = topology(spec);
  const graph = oracle(made);
  expect([graph.order, graph.size]).toEqual([nodes, links]);
  expect(range(graph.mapNodes((id) => graph.outDegree(id)))).toEqual(degrees);
  expect(diameter(made)).toBe(across);
  for (const id of made.nodes)
    expect(graph.outNeighbors(id).sort()).toEqual([...made.successors(id)].sort());
});

const size = fc.integer({ min: 3, max: 40 });
const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const side = fc.integer({ min: 3, max: 7 });
const undirected = fc.oneof(
  fc.tuple(fc.constantFrom(complete, chain, star), size).map(([make, n]) => make(n)),
  size.map((n) => ring(n, { oneWay: false })),
  fc.tuple(fc.integer({ min: 1, max: 5 }), size).map(([k, n]) => tree(k, n)),
  fc.tuple(size, seed).map(([n, s]) => randomTree(n, s)),
  fc
    .tuple(size, fc.double({ min: 0, max: 1, noNaN: true }), seed)
    .map(([n, p, s]) => randomGraph(n, p, s)),
  fc
    .tuple(fc.constantFrom(grid, torus), side, side)
    .map(([make, rows, columns]) => make(rows, columns)),
  fc.integer({ min: 1, max: 6 }).map(hypercube),
);
const shuffled = fc
  .tuple(size, seed, fc.boolean())
  .map(([n, s, oneWay]) => shuffledRing(n, s, { oneWay }));
const ids = fc.uniqueArray(fc.stringMatching(/^[^\s→,()"]{1,5}$/).filter(isNodeId), {
  minLength: 3,
  maxLength: 6,
});
const named = fc
  .tuple(fc.constantFrom(ring, complete, chain, star), ids)
  .map(([make, names]) => make(names));

describe('every network', () => {
  it('can be rebuilt from its spec', () => {
    const any = fc.oneof(
      undirected,
      shuffled,
      named,
      size.map((n) => ring(n)),
    );
    fc.assert(
      fc.property(any, (made) => {
        expect(shape(topology(made.spec))).toEqual(shape(made));
      }),
    );
  });

  it('is connected', () => {
    fc.assert(
      fc.property(fc.oneof(undirected, shuffled, named), (made) => {
        expect(disconnection(made)).toBeUndefined();
      }),
    );
  });

  it('has links in both directions, unless it is a one-way ring', () => {
    const oneWay = (made: Topology) => made.links.filter(({ from, to }) => !made.link(to, from));
    fc.assert(
      fc.property(undirected, (made) => {
        expect(oneWay(made)).toEqual([]);
      }),
    );
    expect(oneWay(ring(3))).toHaveLength(3);
  });

  it('lists its nodes in ascending order, unless they were given or shuffled', () => {
    fc.assert(
      fc.property(undirected, ({ nodes }) => {
        expect([...nodes].sort()).toEqual(nodes);
      }),
    );
  });

  it('has the given ids, in that order, also a single one that looks like a number', () => {
    fc.assert(
      fc.property(ids, (names) => {
        expect(chain(names).nodes).toEqual(names);
      }),
    );
    expect(complete(['8']).spec).toBe('complete:8,');
    expect(topology('complete:8,').nodes).toEqual(['8']);
  });
});

it.each([
  [complete, '3', `complete got "3" for its nodes`],
  [star, undefined, 'star got undefined for its nodes'],
  [ring, new Set(['a']), 'ring got {} for its nodes'],
])('what is no network is refused: %o of %j', (generator, nodes, message) => {
  const make = generator as (nodes: unknown) => unknown; // as JavaScript calls it
  expect(() => make(nodes)).toThrow(
    expect.objectContaining({
      code: 'bad-topology',
      message: expect.stringContaining(message),
      cure: expect.stringMatching(/^Give their number, as in \w+\(3\), or a list of their ids\.$/),
    }),
  );
});

describe('rings', () => {
  it('lead from each node to the one listed after it', () => {
    const made = ring(['c', 'a', 'b']);
    expect(made.spec).toBe('ring:c,a,b');
    expect(made.nodes.map((id) => made.at(id, 'next'))).toEqual(['a', 'b', 'c']);
  });

  it('have left and right when they are two-way', () => {
    const made = ring(4, { oneWay: false });
    expect(made.spec).toBe('two-way-ring:4');
    expect(made.nodes.map((id) => made.at(id, 'right'))).toEqual(['b', 'c', 'd', 'a']);
    expect(made.nodes.map((id) => made.at(id, 'left'))).toEqual(['d', 'a', 'b', 'c']);
  });

  it('are shuffled by their seed only', () => {
    expect(shuffledRing(8, 7).spec).toBe('ring:8:shuffled:7');
    expect(shuffledRing(8, 7).nodes.join('')).toBe('bfdcgeah');
    expect([...shuffledRing(8, 7).nodes].sort()).toEqual(nodeNames(8));
  });

  it('have every order equally often', () => {
    const orders = new Map<string, number>();
    for (let s = 0; s < 6000; s += 1) {
      const order = shuffledRing(3, s).nodes.join('');
      orders.set(order, (orders.get(order) ?? 0) + 1);
    }
    expect(orders.size).toBe(6);
    for (const count of orders.values()) expect(Math.abs(count - 1000)).toBeLessThan(120);
  });

  it('may be long', () => {
    const made = ring(100_000);
    expect(made.at('n99999', 'next')).toBe('n00000');
    expect(made.links).toHaveLength(100_000);
  });
});

describe('oriented networks', () => {
  it('a grid has a port to each neighbour', () => {
    const made = grid(2, 3); // abc / def
    expect(made.linksFrom('b').map(({ port, to }) => `${port} ${to}`)).toEqual([
      'east c',
      'south e',
      'west a',
    ]);
    expect(made.linksFrom('f').map(({ port, to }) => `${port} ${to}`)).toEqual([
      'north c',
      'west e',
    ]);
  });

  it('a torus has all four ports everywhere, and opposite ports lead back', () => {
    const made = torus(3, 4);
    for (const id of made.nodes) {
      for (const [there, back] of [
        ['north', 'south'],
        ['east', 'west'],
      ] as const) {
        expect(made.at(made.at(id, there) ?? '', back)).toBe(id);
        expect(made.at(made.at(id, back) ?? '', there)).toBe(id);
      }
    }
    expect(made.at('a', 'north')).toBe('i');
    expect(made.at('a', 'west')).toBe('d');
  });

  it('a hypercube has the same port at both ends, and dimensions commute', () => {
    const made = hypercube(3);
    for (const id of made.nodes) {
      expect(made.linksFrom(id).map(({ port }) => port)).toEqual(['0', '1', '2']);
      expect(made.at(made.at(id, '2') ?? '', '2')).toBe(id);
      expect(made.at(made.at(id, '0') ?? '', '1')).toBe(made.at(made.at(id, '1') ?? '', '0'));
    }
    expect(made.at('a', '2')).toBe('e');
  });
});

describe('trees', () => {
  it('a k-ary tree is in heap order', () => {
    expect(tree(2, 7).successors('a')).toEqual(['b', 'c']);
    expect(tree(2, 7).successors('b')).toEqual(['a', 'd', 'e']);
  });

  it('the first node of a star is its centre', () => {
    expect(star(['x', 'a', 'b']).successors('x')).toEqual(['a', 'b']);
  });

  proof('each of the 16 trees of 4 nodes is drawn equally often', () => {
    const trees = new Map<string, number>();
    for (let s = 0; s < 16_000; s += 1) {
      const drawn = JSON.stringify(randomTree(4, s).links);
      trees.set(drawn, (trees.get(drawn) ?? 0) + 1);
    }
    expect(trees.size).toBe(16);
    for (const count of trees.values()) expect(Math.abs(count - 1000)).toBeLessThan(130);
  });
});

it('a random graph has about the fraction p of the edges beyond its tree', () => {
  const beyond = randomGraph(200, 0.2, 1).links.length / 2 - 199;
  expect(beyond / ((200 * 199) / 2 - 199)).toBeCloseTo(0.2, 2);
});

it('node names are letters up to 26 nodes, then numbers of equal width', () => {
  expect(nodeNames(26).at(-1)).toBe('z');
  expect(nodeNames(27).slice(0, 2)).toEqual(['n00', 'n01']);
  expect(nodeNames(101).at(-1)).toBe('n100');
  expect(nodeNames(100).at(-1)).toBe('n99');
  expect(() => nodeNames(0)).toThrow('There are no 0 nodes to name. Give a whole number from 1.');
});

describe('an impossible size is refused', () => {
  const nodes = (least: number, most: number, not: number) =>
    `the number of nodes must be a whole number from ${least} to ${most}, not ${not}`;
  it.each<[() => Topology, string]>([
    [() => ring(1), `'ring:1': ${nodes(2, 1_000_000, 1)}`],
    [() => ring(2.5), `'ring:2.5': ${nodes(2, 1_000_000, 2.5)}`],
    [() => ring(2, { oneWay: false }), `'two-way-ring:2': ${nodes(3, 1_000_000, 2)}`],
    [() => ring(['a']), `'ring:a,': ${nodes(2, 1_000_000, 1)}`],
    [() => ring(['a', 'b', 'a']), "'ring:a,b,a': node 'a' is listed twice"],
    [
      () => shuffledRing(3, -1),
      "'ring:3:shuffled:-1': the seed must be a whole number from 0 to 4294967295, not -1",
    ],
    [() => complete(0), `'complete:0': ${nodes(1, 2000, 0)}`],
    [() => complete(100_000), `'complete:100000': ${nodes(1, 2000, 100_000)}`],
    [() => chain([]), `'chain:': ${nodes(1, 1_000_000, 0)}`],
    [() => star(Number.NaN), `'star:NaN': ${nodes(1, 1_000_000, Number.NaN)}`],
    [
      () => tree(0, 3),
      "'tree:0:3': the number of children must be a whole number from 1 to 1000000, not 0",
    ],
    [() => tree(2, 0), `'tree:2:0': ${nodes(1, 1_000_000, 0)}`],
    [() => randomTree(0, 1), `'random-tree:0:1': ${nodes(1, 1_000_000, 0)}`],
    [
      () => grid(0, 3),
      "'grid:0x3': the number of rows must be a whole number from 1 to 1000000, not 0",
    ],
    [
      () => grid(1000, 1001),
      "'grid:1000x1001': the number of columns must be a whole number from 1 to 1000, not 1001",
    ],
    [
      () => torus(3, 2),
      "'torus:3x2': the number of columns must be a whole number from 3 to 333333, not 2",
    ],
    [
      () => hypercube(40),
      "'hypercube:40': the number of dimensions must be a whole number from 1 to 16, not 40",
    ],
    [() => randomGraph(3000, 0.1, 1), `'random:3000:0.1:1': ${nodes(1, 2000, 3000)}`],
    [
      () => randomGraph(5, 1.5, 1),
      "'random:5:1.5:1': the probability of an edge must be from 0 to 1, not 1.5",
    ],
    [
      () => randomGraph(5, 0.5, 0.5),
      "'random:5:0.5:0.5': the seed must be a whole number from 0 to 4294967295, not 0.5",
    ],
  ])('%s', (make, message) => {
    expect(make).toThrow(`Topology ${message}`);
  });
});

it('a network that does not fit into the heap is refused before it is created, with the size that fits', () => {
  expect(() => requireMemory('ring:9', { nodes: 1e9, links: 1e9 })).toThrow(
    /^Topology 'ring:9': it needs [\d,]+ MB, and the heap has [\d,]+ MB\. About \d+ nodes of this shape would fit; /,
  );
  expect(() => requireMemory('ring:9', { nodes: 9, links: 9 })).not.toThrow();
});
