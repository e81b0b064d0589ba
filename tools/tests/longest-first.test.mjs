import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { longest } from './longest-first.ts';

it('the files that take longest are there', () => {
  const root = new URL('../../', import.meta.url);
  expect(longest.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
