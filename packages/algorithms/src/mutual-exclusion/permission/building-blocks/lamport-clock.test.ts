import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ticked, witnessed } from './lamport-clock.js';

it('reads more after each event, and more than the stamp of a message after its receipt', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (clock, ts) => {
      expect(ticked(clock)).toBeGreaterThan(clock);
      expect(witnessed(clock, ts)).toBeGreaterThan(Math.max(clock, ts));
    }),
  );
});
