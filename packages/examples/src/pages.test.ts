/** What the README and the chapters promise about themselves. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');
const chapters = readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.md'));
const pages = ['README.md', ...chapters.map((name) => `docs/${name}`)];

/** The line before each program, and the words of a marker. */
const programs = /(.*)\n```(?:js|ts|mjs)\n/g;
const marker = /^<!-- (example|program): ([a-z-]+)( unordered)? -->$/;

/** Those of several processes have a test of their own. */
const tested: Readonly<Record<string, string>> = {
  'between-machines': 'packages/examples/src/between-machines.test.ts',
  worker: 'packages/examples/src/operations.test.ts',
  'your-machine': 'packages/cli/src/input/machine.test.ts',
  'beside-your-machine': 'packages/cli/src/input/machine.test.ts',
  'test-your-machine': 'packages/cli/src/input/machine.test.ts',
  'judge-your-machine': 'packages/cli/src/input/machine.test.ts',
  'lock-beside-postgres': 'tools/bench/stores.test.mjs',
};

const testOf = (program: string): string | undefined =>
  /^(tutorial|model-test)-/.test(program)
    ? 'packages/examples/src/tutorial.test.ts'
    : tested[program];

describe('the README and the chapters', () => {
  it.each(pages)('%s: each program is run by a test', (page) => {
    for (const [, before = ''] of text(page).matchAll(programs)) {
      expect(before).toMatch(marker);
      const [, kind, name = ''] = marker.exec(before) ?? [];
      if (kind === 'program')
        expect(text(`${testOf(name)}`)).toContain(`<!-- program: ${name} -->`);
    }
  });

  it.each(pages)('%s: no line of a program or command is longer than 100 columns', (page) => {
    const lines = [...text(page).matchAll(/^```(?:js|ts|sh)\n(.*?)^```$/gms)].flatMap(
      ([, code = '']) => code.split('\n'),
    );
    expect(lines.filter(({ length }) => length > 100)).toEqual([]);
  });

  const withTypes = [
    ...pages,
    'packages/coordination/README.md',
    'packages/studio/README.md',
  ].filter((page) => text(page).includes('\n```ts\n'));
  it.each(withTypes)('%s says how a TypeScript example is run', (page) => {
    expect(text(page)).toContain('`npx tsx ');
  });

  it('each example has a name of its own', () => {
    const names = pages.flatMap((page) =>
      [...text(page).matchAll(/^<!-- example: ([a-z-]+)/gm)].map(([, name]) => name),
    );
    expect(names.length).toBeGreaterThan(10);
    expect(new Set(names).size).toBe(names.length);
  });

  it('the README has at most 200 lines', () => {
    expect(text('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  });
});

it('each decision has its number, and answers a question of the map', () => {
  const files = readdirSync(new URL('docs/decisions/', root)).filter((name) => /^\d/.test(name));
  const map = text('docs/decisions/README.md').matchAll(/^\| \[.+\?\]\((\d.+)\) \| .+ \|$/gm);
  expect([...map].map(([, file]) => file).toSorted()).toEqual(files.toSorted());
  for (const file of files)
    expect(text(`docs/decisions/${file}`)).toMatch(
      new RegExp(`^# ${Number.parseInt(file, 10)}\\. `),
    );
});

describe('the changelog', () => {
  const [, first = ''] = text('CHANGELOG.md').split(/^## /m);
  const entries = first.split('\n').filter((line) => line.startsWith('- '));
  const folders = ['packages', 'packages/transports'].flatMap((folder) =>
    readdirSync(new URL(folder, root)).map((name) => `${folder}/${name}`),
  );

  it('says of each package what it has, in at most three lines an entry', () => {
    expect(entries.length).toBeGreaterThan(40);
    expect(entries.filter((line) => !/^- \*\*.+\.\*\* .+/.test(line))).toEqual([]);
    expect(entries.filter(({ length }) => length > 360)).toEqual([]);
    for (const name of ['coordination', 'algorithms', 'core', 'check', 'cli', 'studio'])
      expect(first).toContain(`\n### @conclave/${name}\n`);
  });

  it('names only what is there, until the version is published', () => {
    if (!first.startsWith('0.1.0 (unreleased)')) return;
    const sources = folders
      .filter((folder) => existsSync(new URL(`${folder}/src`, root)))
      .flatMap((folder) =>
        readdirSync(new URL(`${folder}/src`, root), { recursive: true, encoding: 'utf8' })
          .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
          .map((name) => text(`${folder}/src/${name}`)),
      );
    const words = new Set(sources.join('\n').match(/\w+/g));
    const code = [...first.matchAll(/`([^`]+)`/g)].map(([, part = '']) => part);
    const names = code.flatMap(
      (part) => part.replace(/'[^']*'/g, '').match(/[a-zA-Z]\w{2,}/g) ?? [],
    );
    expect(names.length).toBeGreaterThan(150);
    expect(names.filter((name) => !words.has(name) && !/^[A-Z]+$/.test(name))).toEqual([]);
  });
});

it.each([...pages, 'CONTRIBUTING.md', '.github/pull_request_template.md'])(
  '%s: names only npm scripts that are there',
  (page) => {
    const { scripts } = JSON.parse(text('package.json'));
    for (const [, name] of text(page).matchAll(/npm run (?:--silent )?([\w:-]+)/g))
      expect(Object.keys(scripts)).toContain(name);
  },
);
