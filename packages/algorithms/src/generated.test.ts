import { readFileSync } from 'node:fs';
import { replaceGenerated } from '@conclave/core/chart';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.js';
import { generatedParts, picture } from './generated.js';
import { catalogueTable, overview } from './overview.js';

describe('the protocols’ pages', () => {
  it('there is one for each', () => {
    expect([...generatedParts().keys()]).toEqual(catalogue.map(({ folder }) => folder));
  });

  it('the README’s picture is up to date (if not: npm run generate)', () => {
    expect(readFileSync(new URL('../../../docs/ricart-agrawala.svg', import.meta.url), 'utf8')).toBe(picture());
  });

  it('the tables of all algorithms are up to date (if not: npm run generate)', () => {
    const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
    const first = read('../../../README.md');
    expect(first).toBe(replaceGenerated(first, catalogueTable()));
    const page = read('../README.md');
    expect(page).toBe(replaceGenerated(page, overview(read('../../../docs/verified.md'))));
  });

  it.each([...generatedParts()])('%s: what is generated is up to date (if not: npm run generate)', (folder, generated) => {
    const readme = readFileSync(new URL(`./${folder}/README.md`, import.meta.url), 'utf8');
    expect(readme).toBe(replaceGenerated(readme, generated));
  });

  it.each(catalogue.map(({ folder }) => folder))('%s: each rule of the page stands in the machine and in a test’s name', (folder) => {
    const file = (name: string) => readFileSync(new URL(`./${folder}/${name}`, import.meta.url), 'utf8');
    /** Rules that several protocols share stand in a building block of theirs. */
    const withBlocks = (name: string) => {
      const text = file(name);
      return [text, ...[...text.matchAll(/'(\.\.\/building-blocks\/.*)\.js'/g)].map(([, block]) => file(`${block}.ts`))].join('\n');
    };
    const name = folder.split('/').at(-1) ?? '';
    const rules = [...file('README.md').matchAll(/^\| ([A-Z]+\d+) \|/gm)].map(([, rule]) => rule ?? '');
    expect(rules.length).toBeGreaterThan(2);
    for (const rule of rules) {
      expect(withBlocks(`${name}.ts`)).toMatch(new RegExp(`// .*\\b${rule}\\b`));
      expect(withBlocks(`${name}.test.ts`)).toContain(`[${rule}]`);
    }
  });
});
