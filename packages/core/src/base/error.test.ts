import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** The type admits no other one: what is thrown or reported has one of these. */
const codes = [...text('packages/core/src/base/error.ts').matchAll(/^ +\| '([a-z-]+)'/gm)].map(
  ([, code]) => code,
);

it('docs/errors.md has each code of an error once, and no other', () => {
  const table = text('docs/errors.md');
  const rows = [...table.matchAll(/^\| (`.+?`) \| .+ \| .+ \|$/gm)];
  const listed = rows.flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '));
  expect(listed.toSorted()).toEqual(codes.toSorted());
  expect(codes.length).toBeGreaterThan(10);
});

it('each code is that of an error in the sources', () => {
  const packages = ['core', 'check', 'algorithms', 'coordination', 'studio', 'cli'].map(
    (name) => `packages/${name}/src/`,
  );
  const transports = readdirSync(new URL('packages/transports/', root));
  const folders = [...packages, ...transports.map((name) => `packages/transports/${name}/src/`)];
  const sources = folders.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((path) => /(?<!\.test|\.contract)\.ts$/.test(path))
      .map((path) => text(folder + path)),
  );
  const made = new Set(
    [...sources.join('').matchAll(/(?:new ConclaveError|super)\(\s*'([a-z-]+)'/g)].map(
      ([, code]) => code,
    ),
  );
  expect([...made].toSorted()).toEqual(codes.toSorted());
});
