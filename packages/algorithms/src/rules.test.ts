/** What the page of each algorithm says, and that machine and tests say the same. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.js';

describe('the protocols’ pages', () => {
  it.each(catalogue.map(({ folder }) => folder))(
    '%s: the page has its sections in order',
    (folder) => {
      const page = readFileSync(new URL(`./${folder}/README.md`, import.meta.url), 'utf8');
      const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
      expect(headings.slice(0, 4)).toEqual(['Assumptions', 'Rules', 'Cost', 'What breaks']);
      const others = ['Fencing token', 'Options', 'Design decisions', 'Limits', 'For every n'];
      expect(headings.slice(4)).toEqual(others.filter((heading) => headings.includes(heading)));
    },
  );

  it('each rule has a number that no other algorithm has', () => {
    const rules = catalogue.flatMap(({ folder }) => {
      const page = readFileSync(new URL(`./${folder}/README.md`, import.meta.url), 'utf8');
      return [...page.matchAll(/^\| ([A-Z]+\d+) \|/gm)].map(([, rule = '']) => rule);
    });
    /**
     * Two algorithms each share the rules of the broadcast token and of the searched token; all
     * with the option `greedy` share its rules.
     */
    const own = rules.filter((rule) => !/^(BT|ST|GR)\d/.test(rule));
    expect(own.filter((rule, place) => own.indexOf(rule) < place)).toEqual([]);
  });

  it.each(catalogue)(
    '$folder: each rule of the page stands in the machine and in a test’s name',
    ({ folder }) => {
      const file = (name: string) =>
        readFileSync(new URL(`./${folder}/${name}`, import.meta.url), 'utf8');
      /** Rules that several protocols share stand in a building block of theirs. */
      const withBlocks = (name: string) => {
        const text = file(name);
        return [
          text,
          ...[...text.matchAll(/'(\.\.\/building-blocks\/.*)\.js'/g)].map(([, block]) =>
            file(`${block}.ts`),
          ),
        ].join('\n');
      };
      const files = readdirSync(new URL(`./${folder}`, import.meta.url)).filter(
        (name) => name.endsWith('.ts') && !name.endsWith('.contract.ts'),
      );
      const textOf = (isTest: boolean) =>
        files
          .filter((name) => name.endsWith('.test.ts') === isTest)
          .map(withBlocks)
          .join('\n');
      const [machines, tests] = [textOf(false), textOf(true)];
      const rules = [...file('README.md').matchAll(/^\| ([A-Z]+\d+) \|/gm)].map(
        ([, rule]) => rule ?? '',
      );
      expect(rules.length).toBeGreaterThan(2);
      for (const rule of rules) {
        expect(machines).toMatch(new RegExp(`(// |description: ').*\\b${rule}\\b`));
        expect(tests).toContain(`[${rule}]`);
      }
    },
  );
});
