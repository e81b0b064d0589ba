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
