import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  countOf,
  cyclicallyAfter,
  noCounts,
  noteRequest,
  waitingAmong,
} from './token-knowledge.js';

const ids = ['a', 'b', 'c', 'constructor'];
const requests = fc.array(fc.record({ id: fc.constantFrom(...ids), k: fc.nat(5) }));

it('knows the latest request of each node, in any order of arrival, and has equal text', () => {
  fc.assert(
    fc.property(requests, (all) => {
      const known = all.reduce((counts, { id, k }) => noteRequest(counts, id, k), noCounts(ids));
      for (const id of ids)
        expect(countOf(known, id)).toBe(
          Math.max(0, ...all.filter((request) => request.id === id).map(({ k }) => k)),
        );
      const backwards = all.reduceRight(
        (counts, { id, k }) => noteRequest(counts, id, k),
        noCounts(ids),
      );
      expect(JSON.stringify(backwards)).toBe(JSON.stringify(known));
    }),
  );
});

it('an old request, or one that arrives twice, leaves no node unserved', () => {
  const served = { ...noCounts(ids), b: 2, c: 1 };
  expect(waitingAmong(ids, noteRequest(noteRequest(served, 'b', 1), 'b', 2), served)).toEqual([]);
  expect(
    waitingAmong(['c', 'b', 'a'], noteRequest(noteRequest(served, 'b', 3), 'c', 2), served),
  ).toEqual(['c', 'b']);
});

it('lists the others in cyclic order after a node', () => {
  expect(ids.map((id) => cyclicallyAfter(id, ids).join(' '))).toEqual([
    'b c constructor',
    'c constructor a',
    'constructor a b',
    'a b c',
  ]);
});
