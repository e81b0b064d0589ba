import { describe, expect, it } from 'vitest';
import { needs } from './needs.js';
import { topology } from './parse.js';

describe('the requirements of a protocol on its network', () => {
  it.each(Object.values(needs))('$name is met by its own examples', (need) => {
    for (const n of [3, 4, 7, 12]) {
      expect(need.example(n).nodes).toHaveLength(n);
      expect(need.refuses(need.example(n))).toBeUndefined();
    }
  });

  it.each<[keyof typeof needs, string, string]>([
    ['complete', 'chain:3', 'a and c have no link between them'],
    ['complete', 'edges:a-b,b-c,a>c', 'the link a→c has no way back'],
    ['oneWayRing', 'complete:3', 'a has 2 links out where a one-way ring has 1'],
    ['oneWayRing', 'complete:1', 'a has 0 links out where a one-way ring has 1'],
    ['oneWayRing', 'edges:a>b,b>a', "a has no link called 'next' (in a spec: a>b@next)"],
    ['oneWayRing', 'edges:a>b@next,b>a@next,c>d@next,d>c@next', "following 'next' from a leads back after 2 of 4 nodes"],
    ['oneWayRing', 'edges:a>b@next,b>c@next,c>b@next', "following 'next' from a never leads back to a"],
    ['twoWayRing', 'ring:4', 'a has 1 link out where a two-way ring has 2'],
    ['twoWayRing', 'edges:a-b,b-c,a-c', "a has no link called 'left' (in a spec: a>b@left)"],
    ['twoWayRing', 'edges:a>b@right,a>c@left,b>c@right,b>a@left,c>a@left,c>b@right', "following 'right' from a never leads back to a"],
    [
      'twoWayRing',
      'edges:a>b@right,a>c@left,b>c@right,b>d@left,c>d@right,c>a@left,d>a@right,d>b@left',
      'b is on the right of a, but a is not on the left of b',
    ],
    ['tree', 'ring:4', 'the link a→b has no way back'],
    ['tree', 'edges:a-b,c-d', 'c cannot be reached from a'],
    ['tree', 'two-way-ring:4', 'there are 4 edges where a tree of 4 nodes has 3, so there is a cycle'],
    ['star', 'chain:4', 'c has no two-way link with the centre a'],
    ['star', 'edges:a>b', 'b has no two-way link with the centre a'],
    ['star', 'complete:3', 'b has a link to c, and neither is the centre a'],
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
