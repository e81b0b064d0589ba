import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ticked, witnessed } from './lamport-clock.js';

it('advances with each event, and past the time stamp of each message received', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (clock, ts) => {
      expect(ticked(clock)).toBeGreaterThan(clock);
      expect(witnessed(clock, ts)).toBeGreaterThan(Math.max(clock, ts));
    }),
  );
});
