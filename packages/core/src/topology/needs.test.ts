import { describe, expect, it } from 'vitest';
import { needs } from './index.js';
import { topology } from './parse.js';

describe('the requirements of a protocol on its network', () => {
  const sizes: Readonly<Record<string, readonly number[]>> = {
    mesh: [4, 4, 8, 12, 14],
    hypercube: [4, 4, 8, 16, 16],
  };

  it.each(Object.values(needs))(
    '$name is met by its own examples, the smallest of at least so many nodes',
    (need) => {
      for (const [index, n] of [3, 4, 7, 12, 13].entries()) {
        expect(need.example(n).nodes).toHaveLength(sizes[need.name]?.[index] ?? n);
        expect(need.refuses(need.example(n))).toBeUndefined();
      }
    },
  );

  it.each<[keyof typeof needs, string, string]>([
    ['complete', 'chain:3', 'a and c have no link between them'],
    ['complete', 'edges:a-b,b-c,a>c', 'the link a→c has no way back'],
    ['oneWayRing', 'complete:3', 'a has 2 links out where a one-way ring has 1'],
    ['oneWayRing', 'complete:1', 'a has 0 links out where a one-way ring has 1'],
    ['oneWayRing', 'edges:a>b,b>a', "a has no link called 'next' (in a spec: a>b@next)"],
    [
      'oneWayRing',
      'edges:a>b@next,b>a@next,c>d@next,d>c@next',
      "following 'next' from a leads back after 2 of 4 nodes",
    ],
    [
      'oneWayRing',
      'edges:a>b@next,b>c@next,c>b@next',
      "following 'next' from a never leads back to a",
    ],
    ['twoWayRing', 'ring:4', 'a has 1 link out where a two-way ring has 2'],
    ['twoWayRing', 'edges:a-b,b-c,a-c', "a has no link called 'left' (in a spec: a>b@left)"],
    [
      'twoWayRing',
      'edges:a>b@right,a>c@left,b>c@right,b>a@left,c>a@left,c>b@right',
      "following 'right' from a never leads back to a",
    ],
    [
      'twoWayRing',
      'edges:a>b@right,a>c@left,b>c@right,b>d@left,c>d@right,c>a@left,d>a@right,d>b@left',
      'b is on the right of a, but a is not on the left of b',
    ],
    ['tree', 'ring:4', 'the link a→b has no way back'],
    ['tree', 'edges:a-b,c-d', 'c cannot be reached from a'],
    [
      'tree',
      'two-way-ring:4',
      'there are 4 edges where a tree of 4 nodes has 3, so there is a cycle',
    ],
    ['star', 'chain:4', 'c has no two-way link with the centre a'],
    ['star', 'edges:a>b', 'b has no two-way link with the centre a'],
    ['star', 'complete:3', 'b has a link to c, and neither is the centre a'],
    ['mesh', 'grid:1x4', 'a has 1 link where a node of a grid has 2, 3 or 4'],
    ['mesh', 'ring:4', 'the link a→b has no way back'],
    ['mesh', 'edges:a-b,c-d', 'c cannot be reached from a'],
    ['mesh', 'star:6', 'a has 5 links where a node of a grid has 2, 3 or 4'],
    ['mesh', 'torus:3x3', '0 nodes have 2 links where a grid has 4 corners'],
    ['mesh', 'two-way-ring:6', '6 nodes have 2 links where a grid has 4 corners'],
    [
      'mesh',
      'edges:a-b,b-c,c-d,d-e,e-f,f-a,b-g,g-h,h-c',
      '6 nodes have 2 links where a grid has 4 corners',
    ],
    [
      'mesh',
      'edges:a-b,b-c,d-e,e-f,a-d,b-e,c-f,b-x,x-f',
      'c and x are at the same distances from two corners',
    ],
    [
      'mesh',
      'edges:a-b,b-c,d-e,e-f,g-h,h-i,a-d,d-g,b-e,e-h,c-f,f-i,b-d',
      'd is on a cycle of odd length, and a grid has none',
    ],
    [
      'mesh',
      'edges:a-b,b-c,a-d,b-e,c-f,d-e,e-f,d-g,g-h,h-i,i-f,g-j,j-k,k-l,l-i,h-k',
      'it has 12 nodes and 16 edges where a grid of 4 × 3 has 12 and 17',
    ],
    ['hypercube', 'complete:1', 'it has no links where a hypercube has at least one dimension'],
    ['hypercube', 'edges:a>b@0,b>a@0,a>c@1,c>a@1', 'b has 1 link, and a has 2'],
    ['hypercube', 'grid:2x2', "a has no link called '0' (in a spec: a>b@0)"],
    [
      'hypercube',
      'edges:a>b@0,b>c@0,c>a@0',
      'b is behind port 0 of a, but a is not behind port 0 of b',
    ],
    [
      'hypercube',
      'edges:a>b@0,b>a@0,b>c@1,c>b@1,c>d@0,d>c@0,d>e@1,e>d@1,e>f@0,f>e@0,f>a@1,a>f@1',
      'from a, the ports 0 and 1 lead to another node than 1 and 0',
    ],
    ['hypercube', 'edges:a>b@0,b>a@0,c>d@0,d>c@0', 'c cannot be reached from a'],
    ['connected', 'edges:a-b,c-d', 'c cannot be reached from a'],
    ['connected', 'ring:3', 'the link a→b has no way back'],
  ])('%s refuses %s', (need, spec, why) => {
    expect(needs[need].refuses(topology(spec))).toBe(why);
  });

  it.each<[keyof typeof needs, string]>([
    ['complete', 'complete:1'],
    ['oneWayRing', 'ring:8:shuffled:3'],
    ['twoWayRing', 'two-way-ring:8:shuffled:3'],
    ['tree', 'random-tree:9:4'],
    ['tree', 'complete:2'],
    ['star', 'complete:2'],
    ['mesh', 'grid:2x2'],
    ['mesh', 'grid:2x9'],
    ['mesh', 'grid:7x5'],
    ['mesh', 'edges:f-e,e-d,c-b,b-a,a-d,b-e,c-f'],
    ['mesh', 'hypercube:2'],
    ['hypercube', 'hypercube:1'],
    ['hypercube', 'hypercube:5'],
    ['hypercube', 'edges:d>a@1,d>c@0,a>d@1,a>b@0,b>a@0,b>c@1,c>b@1,c>d@0'],
    ['connected', 'torus:3x3'],
  ])('%s accepts %s', (need, spec) => {
    expect(needs[need].refuses(topology(spec))).toBeUndefined();
  });

  it('an overlay needs a connected network', () => {
    expect(() => needs.connected.overlay(topology('edges:a-b,c-d'))).toThrow(
      "Topology 'edges:a-b,c-d' is not connected: c cannot be reached from a",
    );
  });
});
