import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { abilene } from './backbones.js';
import { randomGraph } from './generators.js';
import { needs } from './index.js';
import { shortestPaths } from './measures.js';
import { completeOver, ringOver, starOver, treeOver } from './overlay.js';
import { topology } from './parse.js';
import type { Topology } from './topology.js';

const shape = ({ nodes, links, places }: Topology) => ({ nodes, links, places });
const physical = fc
  .tuple(fc.integer({ min: 3, max: 12 }), fc.nat(100))
  .map(([n, seed]) => randomGraph(n, 0.2, seed));

describe('an overlay', () => {
  it.each([
    'ring-over:abilene',
    'two-way-ring-over:abilene',
    'ring-over@c,a,b:edges:a-b,b-c',
    'two-way-ring-over@c,d%3A1,a:edges:a-c,c-d%3A1',
    'tree-over:geant',
    'tree-over@new%2Dyork:abilene',
    'star-over:nsfnet',
    'complete-over:grid:2x3',
    'complete-over:ring:4',
    'ring-over:tree-over:abilene',
    'grid-over:nsfnet',
    'hypercube-over:ring:8',
  ])('can be rebuilt from its spec: %s', (spec) => {
    expect(topology(spec).spec).toBe(spec);
  });

  it('meets the requirements of protocols, on any connected network', () => {
    const { mesh: _, hypercube: __, ...anySize } = needs;
    fc.assert(
      fc.property(physical, fc.constantFrom(...Object.values(anySize)), (under, need) => {
        const laid = need.overlay(under);
        expect(need.refuses(laid)).toBeUndefined();
        expect(laid.nodes).toEqual(under.nodes);
        expect(shape(topology(laid.spec))).toEqual(shape(laid));
      }),
    );
  });

  it('is a grid or a hypercube where the number of nodes allows it', () => {
    const shapes = { mesh: [4, 6, 8, 9, 10, 12, 25], hypercube: [2, 4, 8, 32] } as const;
    for (const kind of ['mesh', 'hypercube'] as const)
      for (const n of shapes[kind]) {
        const under = randomGraph(n, 0.2, n);
        const laid = needs[kind].overlay(under);
        expect(needs[kind].refuses(laid)).toBeUndefined();
        expect(laid.nodes).toEqual(under.nodes);
        expect(shape(topology(laid.spec))).toEqual(shape(laid));
      }
    expect(needs.mesh.overlay(topology('ring:12')).links).toHaveLength(2 * (24 - 7)); // 3 × 4
  });

  it('has the delay of the shortest path on each link, and keeps the places', () => {
    const laid = completeOver(abilene());
    for (const { from, to, delay } of laid.links)
      expect(delay).toBeCloseTo(shortestPaths(abilene(), from).get(to)?.distance ?? NaN, 3);
    expect(laid.link('seattle', 'chicago')?.delay).toBe(
      Number(laid.link('seattle', 'chicago')?.delay?.toFixed(3)),
    );
    expect(laid.places).toEqual(abilene().places);
  });

  it('counts hops where the physical network has no delays', () => {
    expect(
      starOver(topology('chain:4')).links.map(({ from, to, delay }) => `${from}${to}${delay}`),
    ).toEqual(['ab1', 'ba1', 'ac2', 'ca2', 'ad3', 'da3']);
  });

  it('has the given order', () => {
    const laid = ringOver(topology('chain:3'), ['c', 'a', 'b'], { oneWay: false });
    expect(laid.nodes).toEqual(['c', 'a', 'b']);
    expect(laid.at('c', 'right')).toBe('a');
    expect(laid.link('c', 'a')?.delay).toBe(2);
  });
});

describe('a tree over a network', () => {
  it('has the shortest paths from its root, on physical links', () => {
    const made = treeOver(abilene(), 'denver');
    expect(made.links).toHaveLength(20);
    for (const { from, to, delay } of made.links)
      expect(abilene().link(from, to)?.delay).toBe(delay);
    for (const id of made.nodes)
      expect(shortestPaths(made, 'denver').get(id)?.distance).toBeCloseTo(
        shortestPaths(abilene(), 'denver').get(id)?.distance ?? NaN,
        9,
      );
  });

  it('is rooted at the first listed node by default', () => {
    expect(treeOver(topology('two-way-ring:4')).links).toEqual(
      treeOver(topology('two-way-ring:4'), 'a').links,
    );
  });
});

it.each([
  [
    'ring-over:edges:a-b,c-d',
    "cannot be laid over 'edges:a-b,c-d': c cannot be reached from b. Add links until the physical network is connected.",
  ],
  ['complete-over:edges:a-b,c-d', 'c cannot be reached from a'],
  ['tree-over:edges:a-b,c-d', 'c cannot be reached from a'],
  ['star-over:edges:a>b', 'a cannot be reached from b'],
  [
    'tree-over:ring:3',
    "'tree-over:ring:3' cannot be laid over 'ring:3': the link a→b has no way back",
  ],
  [
    'ring-over@a,c:chain:3',
    "'ring-over@a,c:chain:3': the order leaves out b. List each node once.",
  ],
  ['ring-over@a,b,c,b:chain:3', "node 'b' is listed twice"],
  [
    'ring-over@a,b,c,d:chain:3',
    "'ring-over@a,b,c,d:chain:3': the order names d, which 'chain:3' does not have",
  ],
  ['tree-over@d:chain:3', "Topology 'chain:3' has no node 'd'"],
  [
    'grid-over:ring:7',
    "Topology 'grid-over:ring:7': the number of nodes, 7, is not that of a grid of at least 2 × 2. Take a physical network of 4, 6, 8, 9, 10, 12 … nodes.",
  ],
  [
    'hypercube-over:abilene',
    "Topology 'hypercube-over:abilene': the number of nodes, 11, is no power of 2.",
  ],
  ['hypercube-over:complete:1', 'the number of nodes, 1, is no power of 2'],
  ['ring-over:chain:1', 'the number of nodes must be a whole number from 2'],
])('an overlay is refused %s', (spec, message) => {
  expect(() => topology(spec)).toThrow(message);
});
