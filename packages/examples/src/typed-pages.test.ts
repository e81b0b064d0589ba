/** A reader with `strict` can copy each program of a page: it compiles as it stands, with the build. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const at = (path: string) => fileURLToPath(new URL(path, root));
const readmes = (folder: string) =>
  readdirSync(new URL(folder, root), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`${folder}${entry.name}/README.md`] : [],
  );
const pages = [
  'README.md',
  ...readdirSync(new URL('docs/', root)).flatMap((name) =>
    name.endsWith('.md') ? [`docs/${name}`] : [],
  ),
  ...readmes('packages/').filter((page) => page !== 'packages/transports/README.md'),
  ...readmes('packages/transports/'),
];

it('the TypeScript programs of the pages compile under strict', () => {
  // inside a package that has what they import: it is found there
  const folders = ['examples', 'cli'].map((name) =>
    mkdtempSync(at(`packages/${name}/dist/typed-`)),
  );
  const files = pages.flatMap((page) => {
    const folder = folders[page === 'packages/studio/README.md' ? 1 : 0] ?? '';
    const programs = readFileSync(at(page), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms);
    return [...programs].map(([, code], index) => {
      const file = join(folder, `${page.replaceAll(/\W/g, '-')}-${index}.mts`);
      writeFileSync(file, `${code}\nexport {};\n`);
      return file;
    });
  });
  const strict = ['--noEmit', '--strict', '--skipLibCheck', '--types', 'node'];
  const modules = ['--target', 'es2023', '--module', 'nodenext'];
  const compiler = at('node_modules/typescript-native/bin/tsc');
  const words = [compiler, '--ignoreConfig', ...strict, ...modules, ...files];
  const { stdout } = spawnSync(process.execPath, words, { cwd: at(''), encoding: 'utf8' });
  for (const folder of folders) rmSync(folder, { recursive: true });
  expect(files.length).toBeGreaterThan(8);
  expect(stdout).toBe('');
});
