/** Whether all that is generated is up to date. If not: npm run generate. */
import { catalogue } from '@conclave/algorithms';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { resultsText } from '../bench/results.mjs';
import { fileOf, read } from './files.mjs';
import { lists, pageFiles, sharedFiles, stale } from './generated.mjs';
import { algorithms, buildableLists, sharedIn } from './lists.mjs';
import { wholeSpecification } from './pages.mjs';
import { causalText, overtakingText, runAgainst, systemsText } from './tables.mjs';

const names = (files) => files.map(([path]) => path);

describe('what is generated (if it is stale: npm run generate)', () => {
  it('the lists', async () => {
    expect(names(stale(await lists()))).toEqual([]);
    expect(names(stale(buildableLists()))).toEqual([]);
  });

  it('some algorithm has each mark: a contract under a new name would take its mark from all', () => {
    const text = read('packages/algorithms/src/marks.ts');
    const letters = [...text.matchAll(/^ \* - `(\w)`:/gm)].map(([, letter]) => letter);
    const had = [...text.matchAll(/^ {2}\w+: '(\w+)',$/gm)].map(([, marks]) => marks).join('');
    expect(letters.length).toBeGreaterThan(4);
    expect(letters.filter((letter) => !had.includes(letter))).toEqual([]);
  });

  it('each algorithm has an id and a name of its own', async () => {
    const all = await algorithms();
    expect(sharedIn(all)).toEqual([]);
    expect(sharedIn([...all, { id: 'B3', name: 'new', folder: 'election/new' }])).toEqual([
      "election/lelann-chang-roberts and election/new have the same id, 'B3'. Try another one",
    ]);
  });

  const pages = catalogue.map(({ folder }) => read(fileOf(folder, 'README.md')));
  const rules = new Set(
    pages.flatMap((page) => [...page.matchAll(/^\| ([A-Z]+\d+) \|/gm)].map(([, rule]) => rule)),
  );

  it.each(catalogue)('the page and the pictures of $id', async (entry) => {
    const files = await pageFiles(entry);
    expect(names(stale(files))).toEqual([]);
    // steps of the picture have the numbers of rules, of this page or of a part's
    const picture = files[fileOf(entry.folder, 'run.svg')];
    const notes = [...picture.matchAll(/class="note"[^>]*>([^<]*)</g)].flatMap(([, text]) =>
      text.split(' '),
    );
    expect(notes.filter((rule) => !rules.has(rule))).toEqual([]);
    expect(notes.length).toBeGreaterThan(4);
  });

  it('the pages that compare all', async () => {
    const files = await sharedFiles([]);
    expect(names(stale(files))).toEqual([]);
    const cells = Object.values(files)
      .flatMap((text) => text.split('\n').filter((line) => line.startsWith('| ')))
      .filter((line) => line !== '| target |  | measured |  |')
      .flatMap((line) => line.slice(2, -2).split(' | '));
    expect(cells.filter((cell) => /^$|\b(Infinity|NaN|undefined|null)\b/.test(cell))).toEqual([]);
  });

  proof.each(catalogue)('the rows of $id on the pages that compare all', async (entry) => {
    expect(names(stale(await sharedFiles([entry])))).toEqual([]);
  });

  it('the results of the benchmark are a line each', () => {
    const text = read('tools/bench/results.json');
    const results = JSON.parse(text);
    expect(resultsText(results)).toBe(text);
    const parts = ['steps', 'simulate', 'explore', 'plain', 'cold', 'lock', 'row'];
    expect(results.parts.map(({ name }) => name)).toEqual(parts);
  });

  it('no table that a script wrote has a number that is none', () => {
    for (const file of ['docs/verified-systems.md', 'docs/torture.md', 'docs/torture-rows.md'])
      expect(read(file)).not.toMatch(/\b(Infinity|NaN|undefined|null)\b/);
  });
});

describe('the specification of an algorithm over another one', () => {
  const over = catalogue.filter(({ parts }) => Object.keys(parts).length > 0);

  it('is that of two', () => expect(over.map(({ id }) => id)).toEqual(['A18', 'B17']));

  it.each(over)('$id draws its own states, and refers to the page of the other', async (entry) => {
    const text = await wholeSpecification(entry);
    expect(text).toMatch(/state "group" as group\n *group : C5 Group membership\n/);
    expect(text).not.toMatch(/as group_open|`group-flush`/);
    const [, page] = /Region `group`: the machine of \[C5 Group membership\]\((.*)\)/.exec(text);
    const base = `file:///${fileOf(entry.folder, '')}`;
    expect(new URL(page, base).href).toBe(`file:///${fileOf('detectors/membership', 'README.md')}`);
  });
});

describe('what was explored of a lock', () => {
  const system = { network: 'n', competitors: 2, entries: 2, states: 9 };
  const [any, fifo] = [
    { ...system, order: 'any' },
    { ...system, order: 'fifo' },
  ];
  const order = (...causal) => causalText({ causal });

  it('with FIFO is said to follow the causal order only where it was explored', () => {
    expect(order({ ...any, steps: 8 })).toBe('no, 8 steps; with FIFO not explored');
    expect(order({ ...any, steps: 8 }, fifo)).toBe('no, 8 steps; with FIFO yes');
    expect(order({ ...any, steps: 8 }, { ...fifo, steps: 9 })).toBe('no, 8 steps');
    expect(order({ ...fifo, steps: 9 })).toBe('no, 9 steps');
    expect(order(any)).toBe('yes');
    expect(order()).toBe('not explored');
    expect(systemsText([])).toBe('not explored');
  });

  it('says nothing about overtaking where too few entries were explored', () => {
    const ofOne = (...most) =>
      overtakingText({ overtaking: [{ competitors: 2, ofOne: most, ofAll: most }] });
    const texts = [ofOne(1), ofOne(1, 2, 2, 2), ofOne(1, 2, 3, 4)];
    expect(texts).toEqual(['not explored', '2', 'grows']);
  });

  proof('the runs on the page of C6 are the shortest ones', () => {
    const page = read(fileOf('mutual-exclusion/causal-fairness', 'README.md'));
    const runs = [...page.matchAll(/```text\n(a {2}acquire|b {2}acquire)(.*?)```/gs)]
      .map(([, start, rest]) => `${start}${rest}`)
      .slice(0, 2);
    const shortest = (id, entries) => {
      const lock = catalogue.find((entry) => entry.id === id).make();
      const size = { order: 'any', competitors: 3, entries };
      return runAgainst(lock, lock.topology.example(3), size);
    };
    expect(runs).toEqual([shortest('A3', 2), shortest('A4', 1)]);
  });
});
