import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { StateHashes, stateHash } from './state-hash.js';

it('the hashes of a row of states are those of each state, also where a list was changed in place', () => {
  const list: unknown[] = [1];
  const value = { client: 'idle', voter: { bound: 'long' } };
  const item = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.boolean(), fc.constant(null));
  const context = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'é'),
    fc.oneof(item, fc.array(item), fc.constant(list), fc.dictionary(fc.string(), item)),
  );
  const step = fc.record({
    value: fc.oneof(fc.constant(value), fc.constantFrom('held', 'idle')),
    context,
    timers: fc.array(fc.string(), { maxLength: 2 }),
    more: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const hashes = new StateHashes();
      for (const { value, context, timers, more } of steps) {
        if (more) list.push(list.length);
        expect(hashes.of(value, context, timers)).toBe(stateHash(value, context, timers));
      }
    }),
    { numRuns: 50 },
  );
});
