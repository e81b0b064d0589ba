/** What an application loads, compared between checkouts: entry.mjs. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { bundleSize, rowOf } from './entry.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

it('a row says how much more the first checkout has than the others', () => {
  expect(rowOf('bundle, kB', [88, 80])).toBe('| bundle, kB | 88.0 | 80.0 | +10.0 % |');
  expect(rowOf('bundle, kB', [72, 80])).toBe('| bundle, kB | 72.0 | 80.0 | −10.0 % |');
  expect(rowOf('bundle, kB', [80])).toBe('| bundle, kB | 80.0 |');
});

it('a bundle has what is imported, and XState and RxJS only by their names', () => {
  const clock = bundleSize(root, `export { memoryStore } from '@conclave/coordination/store';`);
  const lock = bundleSize(root, `export { lock } from '@conclave/coordination/lock';`);
  expect(clock).toBeGreaterThan(0.1);
  expect(lock).toBeGreaterThan(2 * clock);
  expect(lock).toBeLessThan(75);
});
