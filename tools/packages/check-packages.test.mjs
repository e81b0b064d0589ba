/** What is found in a package before it is published: check-packages.mjs, projects.mjs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../pages.mjs';
import { brokenMaps } from './check-packages.mjs';
import { allPass } from './projects.mjs';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conclave-maps-'));
  mkdirSync(join(folder, 'dist'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function broken(files) {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  return brokenMaps({ repository: { directory: relative(root, folder) } }, Object.keys(files));
}

const script = 'export {};\n//# sourceMappingURL=a.js.map\n';
const mapOf = (rest) => JSON.stringify({ version: 3, names: [], mappings: '', ...rest });

it('a script without its source map, and a map without its sources', () => {
  expect(broken({ 'dist/a.js': script })).toEqual([
    'publishes dist/a.js, which names dist/a.js.map, and does not publish that',
  ]);
  const lost = { 'dist/a.js': script, 'dist/a.js.map': mapOf({ sources: ['../src/a.ts'] }) };
  expect(broken(lost)).toEqual([
    'publishes dist/a.js.map, which names src/a.ts, and does not publish that',
  ]);
});

it('no script with a whole map, and none without', () => {
  const whole = { 'dist/a.js.map': mapOf({ sources: ['../src/a.ts'], sourcesContent: [''] }) };
  expect(broken({ 'dist/a.js': script, ...whole })).toEqual([]);
  const beside = { 'dist/a.js.map': mapOf({ sources: ['b.js'] }), 'dist/b.js': 'export {};' };
  expect(broken({ 'dist/a.js': script, ...beside })).toEqual([]);
});

it('a release passes where no project fails; in CI none is skipped', () => {
  const [passed, skipped] = [{ notes: [] }, { notes: ['Skipped: no Node.js'] }];
  expect(allPass([passed])).toBe(true);
  expect(allPass([passed, { notes: ['Fails: types'] }])).toBe(false);
  const { CI } = process.env;
  try {
    delete process.env.CI;
    expect(allPass([passed, skipped])).toBe(true);
    process.env.CI = 'true';
    expect(allPass([passed, skipped])).toBe(false);
  } finally {
    if (CI === undefined) delete process.env.CI;
    else process.env.CI = CI;
  }
});
