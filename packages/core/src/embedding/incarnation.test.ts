import { expect, it } from 'vitest';
import { nextIncarnation } from './terms.js';

it('is the milliseconds of the start, and more at each further start in this process', () => {
  const before = Date.now();
  const [one, other] = [nextIncarnation('a'), nextIncarnation('a')];
  expect(one).toBeGreaterThanOrEqual(before);
  expect(other).toBeGreaterThan(one);
});
