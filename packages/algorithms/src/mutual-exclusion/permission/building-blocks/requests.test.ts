import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fenceOf, insert, isOlder, numberOf, type Request } from './requests.js';

const request = fc.record({ ts: fc.nat(3), id: fc.constantFrom('a', 'b', 'c') });
const same = (one: Request, other: Request) => one.ts === other.ts && one.id === other.id;

it('orders requests by stamp, then by id', () => {
  expect(isOlder({ ts: 1, id: 'b' }, { ts: 2, id: 'a' })).toBe(true);
  expect(isOlder({ ts: 1, id: 'a' }, { ts: 1, id: 'b' })).toBe(true);
});

it('of two different requests exactly one is older; none is older than itself', () => {
  fc.assert(
    fc.property(request, request, (one, other) => {
      expect([isOlder(one, other), isOlder(other, one)].filter(Boolean)).toHaveLength(
        same(one, other) ? 0 : 1,
      );
    }),
  );
});

it('a queue holds all requests in that order, for each order of arrival', () => {
  fc.assert(
    fc.property(fc.uniqueArray(request, { comparator: same }), (requests) => {
      const queue = requests.reduce<readonly Request[]>(insert, []);
      expect(queue).toHaveLength(requests.length);
      expect(queue).toEqual(expect.arrayContaining(requests));
      for (const [place, one] of queue.entries())
        for (const other of queue.slice(place + 1)) expect(isOlder(one, other)).toBe(true);
    }),
  );
});

it('the older of two requests has the smaller number', () => {
  fc.assert(
    fc.property(request, request, (one, other) => {
      const [first, second] = [one, other].map((request) => numberOf(request, ['b', 'a', 'c']));
      expect(Number(first) < Number(second)).toBe(isOlder(one, other));
    }),
  );
});

it('the fencing token of a node that knows its peers is the number of its request', () => {
  const node = {
    id: 'b',
    role: 'node',
    value: 'held',
    context: { peers: ['a', 'c'] },
    tags: new Set<string>(),
    crashed: false,
  };
  expect(fenceOf(4, node)).toBe(13);
});
