import { topology } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { networkLayout } from './network-layout.js';

const specs = [
  'ring:2',
  'ring:3',
  'ring:30',
  'two-way-ring:7',
  'ring:c,a,b',
  'complete:1',
  'complete:2',
  'complete:20',
  'chain:1',
  'chain:6',
  'chain:20',
  'star:2',
  'star:20',
  'tree:2:15',
  'tree:3:30',
  'tree:1:12',
  'random-tree:24:5',
  'grid:2x3',
  'grid:1x5',
  'grid:5x6',
  'torus:3x4',
  'hypercube:1',
  'hypercube:2',
  'hypercube:3',
  'hypercube:4',
  'hypercube:5',
  'random:20:0.2:1',
  'random:30:0.1:7',
  'random:3:0.2:1',
  'edges:a-b,b-c,c-a,c-d',
  'abilene',
  'nsfnet',
  'geant',
  'ring-over:abilene',
  'tree-over:geant',
  'complete-over:geant',
  'grid-over:complete:12',
  'ring-over:random:9:0.3:2',
  'star-over:grid:3x3',
  'hypercube-over:chain:8',
]; // prettier-ignore

describe.each([
  { width: 800, height: 500, margin: 40 },
  { width: 420, height: 560, margin: 34 },
  { width: 600, height: 230, margin: 24 },
])('in $width × $height', (space) => {
  it.each(specs)('%s is inside, without two nodes at one place, and always the same', (spec) => {
    const network = topology(spec);
    const { places, closest } = networkLayout(network, space);
    expect([...places.keys()]).toEqual(network.nodes);
    for (const { x, y } of places.values()) {
      expect(x).toBeGreaterThanOrEqual(space.margin - 1e-6);
      expect(x).toBeLessThanOrEqual(space.width - space.margin + 1e-6);
      expect(y).toBeGreaterThanOrEqual(space.margin - 1e-6);
      expect(y).toBeLessThanOrEqual(space.height - space.margin + 1e-6);
    }
    const points = [...places.values()];
    const distances = points.flatMap((one, index) =>
      points.slice(index + 1).map((other) => Math.hypot(one.x - other.x, one.y - other.y)),
    );
    expect(closest).toBeCloseTo(Math.min(...distances, Math.min(space.width, space.height)), 9);
    expect(closest, spec).toBeGreaterThan(20);
    expect(networkLayout(topology(spec), space)).toEqual({ places, closest });
  });
});

const at = (spec: string) => {
  const { places } = networkLayout(topology(spec), { width: 600, height: 600, margin: 50 });
  return (id: string) => places.get(id) ?? { x: Number.NaN, y: Number.NaN };
};

it('a ring is a circle that begins at the top and turns clockwise', () => {
  const place = at('ring:4');
  const near = (id: string, x: number, y: number) =>
    expect(Math.hypot(place(id).x - x, place(id).y - y), id).toBeLessThan(1e-6);
  near('a', 300, 50);
  near('b', 550, 300);
  near('c', 300, 550);
  near('d', 50, 300);
});

it('a tree is drawn by levels, each parent in the middle above its children', () => {
  const place = at('tree:2:7');
  expect(place('a').y).toBeLessThan(place('b').y);
  expect(new Set(['d', 'e', 'f', 'g'].map((id) => place(id).y)).size).toBe(1);
  for (const [parent, ...children] of [
    ['a', 'b', 'c'],
    ['b', 'd', 'e'],
    ['c', 'f', 'g'],
  ])
    expect(place(parent ?? '').x).toBeCloseTo(
      children.reduce((sum, id) => sum + place(id).x / 2, 0),
      6,
    );
});

it('a grid has rows and columns, and a star its first node in the middle', () => {
  const place = at('grid:2x3');
  expect([place('a').y, place('b').y, place('c').y]).toEqual([
    place('a').y,
    place('a').y,
    place('a').y,
  ]);
  expect(place('d')).toEqual({ x: place('a').x, y: place('f').y });
  expect(at('star:5')('a')).toEqual({ x: 300, y: 300 });
});

it('a map has north above and west left', () => {
  const place = at('abilene');
  expect(place('seattle').x).toBeLessThan(place('new-york').x);
  expect(place('seattle').y).toBeLessThan(place('los-angeles').y);
  expect(at('ring-over:abilene')('houston')).toEqual(place('houston'));
});

it('neighbours of a random network are closer than others', () => {
  const network = topology('random:20:0.1:3');
  const { places } = networkLayout(network, { width: 600, height: 600, margin: 50 });
  const mean = (pairs: readonly (readonly [string, string])[]) =>
    pairs.reduce(
      (sum, [a, b]) =>
        sum +
        Math.hypot(
          (places.get(a)?.x ?? 0) - (places.get(b)?.x ?? 0),
          (places.get(a)?.y ?? 0) - (places.get(b)?.y ?? 0),
        ),
      0,
    ) / pairs.length;
  const all = network.nodes.flatMap((a) =>
    network.nodes.flatMap((b) => (a < b ? [[a, b] as const] : [])),
  );
  expect(mean(network.links.map(({ from, to }) => [from, to]))).toBeLessThan(0.6 * mean(all));
});
