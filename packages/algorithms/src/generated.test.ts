import { readdirSync, readFileSync } from 'node:fs';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.js';
import { generatedPages, picture } from './generated.js';
import { entryOrdersIn } from './mutual-exclusion/causal-fairness/entry-order.js';
import {
  catalogueTable,
  electionTable,
  entryOrderTable,
  measuredTable,
  provedTable,
} from './overview.js';
import { type BenchResults, performanceText, resultsPage } from './performance.js';
import { replaceGenerated } from './replace-generated.js';

describe('the protocols’ pages', () => {
  it('there is one for each', () => {
    expect([...generatedPages().keys()]).toEqual(catalogue.map(({ folder }) => folder));
  });

  it('the picture of docs/checking.md is up to date (if not: npm run generate)', () => {
    expect(
      readFileSync(new URL('../../../docs/ricart-agrawala.svg', import.meta.url), 'utf8'),
    ).toBe(picture());
  });

  it('what the benchmark has measured is said in the README and on its page (if not: npm run generate)', () => {
    const read = (path: string) =>
      readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
    // tools/bench/bench.mjs writes it in this shape
    const results = JSON.parse(read('tools/bench/results.json')) as BenchResults;
    expect(read('README.md')).toBe(
      replaceGenerated(read('README.md'), performanceText(results), 'performance'),
    );
    expect(read('tools/bench/results.md')).toBe(resultsPage(results));
    expect(results.parts.map(({ name }) => name)).toEqual([
      'steps',
      'simulate',
      'explore',
      'cold',
      'lock',
      'studio',
    ]);
  });

  it('the tables of all algorithms are up to date (if not: npm run generate)', () => {
    const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
    const all = read('../../../docs/catalogue.md');
    expect(all).toBe(replaceGenerated(all, catalogueTable()));
    const page = read('../README.md');
    const orders = entryOrdersIn(read('../../../docs/entry-order.json'));
    const fairness = read('./mutual-exclusion/causal-fairness/README.md');
    expect(fairness).toBe(replaceGenerated(fairness, entryOrderTable(orders), 'locks'));
    expect(page).toBe(replaceGenerated(page, electionTable(), 'elections'));
    expect(page).toBe(
      replaceGenerated(page, provedTable(read('../../../docs/verified.md')), 'proved'),
    );
  });

  it('the table of measured costs is up to date (if not: npm run generate)', () => {
    proof();
    const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
    const page = read('../README.md');
    const measured = measuredTable(entryOrdersIn(read('../../../docs/entry-order.json')));
    expect(measured).not.toMatch(/Infinity|NaN|undefined|\| {2}\|/);
    expect(page).toBe(replaceGenerated(page, measured, 'measured'));
  });

  it.each([...generatedPages()])(
    '%s: what is generated is up to date (if not: npm run generate)',
    (folder, { picture, parts, more }) => {
      const file = (name: string) =>
        readFileSync(new URL(`./${folder}/${name}`, import.meta.url), 'utf8');
      const page = file('README.md');
      for (const [part, generated] of parts)
        expect(page).toBe(replaceGenerated(page, generated, part));
      expect(file('run.svg')).toBe(picture);
      for (const [name, drawn] of more) expect(file(name)).toBe(drawn);
    },
  );

  it.each([...generatedPages()])(
    '%s: steps of the picture have the numbers of rules, of this page or of a part’s',
    (_, { picture }) => {
      const pages = catalogue.map(({ folder }) =>
        readFileSync(new URL(`./${folder}/README.md`, import.meta.url), 'utf8'),
      );
      const rules = new Set(
        pages.flatMap((page) => [...page.matchAll(/^\| ([A-Z]+\d+) \|/gm)].map(([, rule]) => rule)),
      );
      const notes = [...picture.matchAll(/class="note"[^>]*>([^<]*)</g)].flatMap(([, text = '']) =>
        text.split(' '),
      );
      expect(notes.filter((rule) => !rules.has(rule))).toEqual([]);
      expect(notes.length).toBeGreaterThan(4);
    },
  );

  it.each(catalogue.map(({ folder }) => folder))(
    '%s: the page has its sections in order',
    (folder) => {
      const page = readFileSync(new URL(`./${folder}/README.md`, import.meta.url), 'utf8');
      const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
      expect(headings.slice(0, 4)).toEqual(['Assumptions', 'Rules', 'Cost', 'What breaks']);
      const others = ['Fencing token', 'Options', 'Design decisions', 'Limits'];
      expect(headings.slice(4)).toEqual(others.filter((heading) => headings.includes(heading)));
    },
  );

  it('an algorithm over another one draws its own states, and refers to the page of the other', () => {
    const over = catalogue.filter(({ parts }) => Object.keys(parts).length > 0);
    expect(over.map(({ id }) => id)).toEqual(['A18', 'B17']);
    for (const { folder } of over) {
      const text = generatedPages().get(folder)?.parts.get('npm run generate') ?? '';
      expect(text).toMatch(/state "group" as group\n *group : C5 Group membership\n/);
      expect(text).not.toMatch(/as group_open|`group-flush`/);
      const [, page = ''] =
        /Region `group`: the machine of \[C5 Group membership\]\((.*)\)/.exec(text) ?? [];
      expect(new URL(page, new URL(`./${folder}/`, import.meta.url)).href).toBe(
        new URL('./groups/membership/README.md', import.meta.url).href,
      );
    }
  });

  it('each rule has a number that no other algorithm has', () => {
    const rules = catalogue.flatMap(({ folder }) => {
      const page = readFileSync(new URL(`./${folder}/README.md`, import.meta.url), 'utf8');
      return [...page.matchAll(/^\| ([A-Z]+\d+) \|/gm)].map(([, rule = '']) => rule);
    });
    /** Two algorithms each share the rules of the broadcast token and of the searched token. */
    const own = rules.filter((rule) => !/^(BT|ST)\d/.test(rule));
    expect(own.filter((rule, place) => own.indexOf(rule) < place)).toEqual([]);
  });

  it.for(catalogue)(
    '$folder: each rule of the page stands in the machine and in a test’s name',
    ({ folder, name: of }, { task }) => {
      task.meta.evidence = { of, kind: 'rules' };
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
