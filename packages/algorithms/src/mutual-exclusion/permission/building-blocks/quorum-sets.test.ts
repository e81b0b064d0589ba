import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import {
  grid,
  majority,
  planeOrder,
  projectivePlane,
  type QuorumSets,
  quorumKinds,
  quorumSets,
} from './quorum-sets.js';

const nodes = (n: number): readonly NodeId[] =>
  Array.from({ length: n }, (_, index) => `n${index}`);
const sizes = (sets: QuorumSets) => [...sets.values()].map(({ length }) => length);
/** The least and the largest number of nodes that two quorums share. */
function meetings(sets: QuorumSets): { readonly least: number; readonly most: number } {
  const all = [...sets.values()];
  const shared = all.flatMap((one, place) =>
    all.slice(place + 1).map((other) => one.filter((id) => other.includes(id)).length),
  );
  return { least: Math.min(...shared), most: Math.max(...shared) };
}
const timesNamed = (sets: QuorumSets, id: NodeId) =>
  [...sets.values()].filter((quorum) => quorum.includes(id)).length;
const planes = [3, 7, 13, 21, 31, 57, 73, 91, 133];

describe.each(quorumKinds)('%s', (kind) => {
  it('gives every node a quorum that begins with itself and has no duplicates; any two meet', () => {
    for (const n of kind === 'plane'
      ? planes
      : Array.from({ length: 40 }, (_, index) => index + 1)) {
      const sets = quorumSets(kind, nodes(n));
      expect([...sets.keys()]).toEqual(nodes(n));
      for (const [id, quorum] of sets) {
        expect(quorum[0]).toBe(id);
        expect(new Set(quorum).size).toBe(quorum.length);
        expect(nodes(n)).toEqual(expect.arrayContaining([...quorum]));
      }
      expect(meetings(sets).least).toBeGreaterThan(0);
    }
  });
});

describe('projectivePlane', () => {
  it.each(planes.map((n) => [n, planeOrder(n) ?? 0]))(
    'of %i nodes: quorums of %i + 1 nodes; any two share one node; every node is in equally many',
    (n, q) => {
      expect(q * q + q + 1).toBe(n);
      const sets = projectivePlane(nodes(n));
      expect(new Set(sizes(sets))).toEqual(new Set([q + 1]));
      expect(meetings(sets)).toEqual({ least: 1, most: 1 });
      for (const id of nodes(n)) expect(timesNamed(sets, id)).toBe(q + 1);
    },
  );

  it('exists for 9 of the first 140 numbers: q²+q+1 for 1 and the prime powers q', () => {
    const found = Array.from({ length: 140 }, (_, index) => index + 1).filter(
      (n) => planeOrder(n) !== undefined,
    );
    // not 43 (Tarry 1901) nor 111 (Lam 1991): no planes of order 6 and 10
    expect(found).toEqual(planes);
  });

  it('is refused for other numbers', () => {
    for (const n of [1, 2, 4, 12, 43]) {
      expect(() => projectivePlane(nodes(n))).toThrow(ConclaveError);
      expect(() => quorumSets('plane', nodes(n))).toThrow(
        `There is no known projective plane for ${n} nodes. It takes q²+q+1 nodes, q a power of a prime: 3, 7, 13, 21, 31, 57 …; grid and majority take any number.`,
      );
    }
  });
});

describe('grid', () => {
  it('of a square: row and column, 2√n − 1 each', () => {
    const sets = grid([...'abcdefghi']);
    expect(sets.get('e')).toEqual([...'ebdfh']);
    expect(new Set(sizes(sets))).toEqual(new Set([5]));
    expect(meetings(sets)).toEqual({ least: 2, most: 3 });
  });

  it('with a short last row: no quorum is larger than a row and a column', () => {
    const sets = grid([...'abcde']); // a b c / d e
    expect(Object.fromEntries([...sets].map(([id, quorum]) => [id, quorum.join('')]))).toEqual({
      a: 'abcd',
      b: 'bace',
      c: 'cab',
      d: 'dae',
      e: 'ebd',
    });
    for (let n = 1; n <= 60; n++)
      expect(Math.max(...sizes(grid(nodes(n))))).toBeLessThanOrEqual(
        2 * Math.ceil(Math.sqrt(n)) - 1,
      );
  });
});

it('majority is ⌈(n+1)/2⌉ nodes, and every node is in as many quorums', () => {
  for (let n = 1; n <= 12; n++) {
    const sets = majority(nodes(n));
    for (const id of nodes(n)) expect(timesNamed(sets, id)).toBe(Math.ceil((n + 1) / 2));
    expect(new Set(sizes(sets))).toEqual(new Set([Math.ceil((n + 1) / 2)]));
  }
});

it('best is the plane where one exists, otherwise the grid', () => {
  expect(quorumSets('best', nodes(13))).toEqual(projectivePlane(nodes(13)));
  expect(quorumSets('best', nodes(12))).toEqual(grid(nodes(12)));
});
