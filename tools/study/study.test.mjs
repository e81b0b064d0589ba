import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { allChapters, chapterPage, indexPage } from './chapters.mjs';
import { apart, plotSvg } from './plots.mjs';

const folder = new URL('../../docs/study/', import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), 'utf8');
const chapters = await allChapters();

describe('the committed study', () => {
  it('has an index of all its chapters', () => {
    expect(chapters.length).toBeGreaterThan(0);
    const pageOf = (name) => (existsSync(new URL(`${name}.md`, folder)) ? read(`${name}.md`) : '');
    expect(read('README.md')).toBe(indexPage(chapters, pageOf, 1));
  });

  it.each(chapters)('the page of $name has its title, and names its command', ({ name, title }) => {
    expect(read(`${name}.md`)).toMatch(`# ${title}\n\n`);
    expect(read(`${name}.md`)).toContain(chapterPage({ name, title }, '', 1).split('\n\n').at(-1));
  });

  it.each(chapters.filter(({ sample }) => sample))(
    'the page of $name has the numbers that are computed now',
    async ({ name, sample }) => {
      const lines = await sample({ seed: 1 });
      expect(lines.length).toBeGreaterThan(0);
      const page = read(`${name}.md`).split('\n');
      const isThere = (begin) => page.some((line) => line.startsWith(begin));
      expect(lines.filter((line) => !isThere(line))).toEqual([]);
    },
  );

  it('has no file that no page shows', () => {
    const files = readdirSync(folder).filter((name) => name !== 'README.md');
    const text = readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map(read)
      .join('\n');
    for (const file of files) expect(text).toContain(`(${file})`);
  });

  it.each(readdirSync(folder).filter((name) => name.endsWith('.svg')))(
    'the picture %s has a size, a title, its own paper, and no number with many digits',
    (name) => {
      const svg = read(name);
      expect(svg).toMatch(/^<svg [^>]*width="\d+" height="\d+"/);
      expect(svg).toMatch(/<title>[^<]{10,}<\/title><rect width="100%"/);
      expect(svg).not.toMatch(/<[^>]*\d\.\d{3}[^>]*>/);
      expect(svg.length).toBeLessThan(60_000);
    },
  );
});

describe('npm run study', () => {
  it.each([
    [['--only', 'x'], "There is no chapter 'x': there are "],
    [['--shard', '3/2'], '--shard 3/2 is not one of several, such as 2/8.'],
    [['--merge'], '--merge needs the files of all shards.'],
  ])('refuses %j', (args, message) => {
    const script = fileURLToPath(new URL('study.mjs', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).toContain('Usage: npm run study -- ');
  });
});

describe('a plot', () => {
  it('is the same text each time, and refuses a legend', () => {
    const options = { title: 'A rectangle & more', x: { domain: [0, 3] }, y: { domain: [0, 7] } };
    const svg = plotSvg({ ...options, marks: [] });
    expect(svg).toBe(plotSvg({ ...options, marks: [] }));
    expect(svg).toContain('<title>A rectangle &amp; more</title>');
    const color = { type: 'ordinal', domain: ['a'], legend: true };
    expect(() => plotSvg({ ...options, marks: [], color })).toThrow('has a legend');
  });

  it('moves labels apart, in their order, and no further than needed', () => {
    expect(apart([10, 50, 90], 12)).toEqual([10, 50, 90]);
    expect(apart([20, 20], 12)).toEqual([14, 26]);
    expect(apart([30, 20, 20], 10)).toEqual(
      [33.333333333333336, 13.333333333333334, 23.333333333333336].map((y) => expect.closeTo(y, 9)),
    );
  });
});
