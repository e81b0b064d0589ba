import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseLink } from '@conclave/studio/link';
import { catalogue } from '@conclave/tools/catalogue';
import { sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { wholePages } from '../algorithm/pages.mjs';
import { coloured } from './code.mjs';
import { read } from './document.mjs';
import { addressesIn, checkLinks } from './links.mjs';
import { siteOf } from './site.mjs';
import { slugger } from './slugs.mjs';
import { isPage, markdownFiles } from './texts.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const texts = (files) =>
  new Map(
    [...files].map(([url, file]) => [
      url,
      url.endsWith('.html') && typeof file === 'string' ? file : undefined,
    ]),
  );
const fileText = (path) => readFileSync(`${root}/${path}`, 'utf8');

const findSections = new Function(
  `${fileText('tools/site/assets/find.js')}; return findSections;`,
)();

describe('the site', async () => {
  const chosen = sampled(catalogue, 6);
  const specified = catalogue.filter((one) => one.name === 'raymond' || chosen.includes(one));
  const whole = await wholePages(specified);
  const textOf = (path) => whole.get(path) ?? fileText(path);
  const site = await siteOf({ root, catalogue, textOf });
  const { files, pages, search } = site;

  it('has no link, anchor or picture that leads nowhere, and no page that no link leads to', () => {
    const addresses = search.map(([url]) => ['search-index.js', url]);
    expect(site.problems).toEqual([]);
    expect(checkLinks(texts(files), { addresses, ownAnchors: ['studio.html'] })).toEqual([]);
    expect(addresses.length).toBeGreaterThan(500);
  });

  it('has each Markdown file on one page, with all its headings', () => {
    const paths = markdownFiles(root).filter(isPage);
    expect(
      pages
        .map(({ path }) => path)
        .filter((path) => path.endsWith('.md'))
        .toSorted(),
    ).toEqual(paths.toSorted());
    for (const { path, url } of pages.filter((page) => paths.includes(page.path)))
      for (const { slug } of read(path, fileText(path)).headings)
        expect(files.get(url), path).toContain(` id="${slug}"`);
  });

  it('has the whole specification of each algorithm: a run as text, and the charts of its options', () => {
    const raymond = files.get('algorithms/raymond.html');
    expect(raymond).toContain('conclave-trace: 1');
    expect(raymond).toContain('<code>piggyback: true</code>');
    for (const { name } of specified)
      expect(files.get(`algorithms/${name}.html`), name).toContain('conclave-trace: 1');
  });

  it('has a page with a live run for each algorithm, at a link that the studio reads', () => {
    const frames = pages.flatMap(({ url }) =>
      [...files.get(url).matchAll(/<iframe data-src="([^"]*)"/g)].map(([, address]) => address),
    );
    const names = frames.map((address) => parseLink(address.split('#')[1])?.setup.protocol);
    expect(names.toSorted()).toEqual(catalogue.map(({ name }) => name).toSorted());
    expect(new Set(frames.map((address) => address.split('#')[0]))).toEqual(
      new Set(['../studio.html']),
    );
  });

  it('finds a section by words of its title, of its page and of its text, in any order', () => {
    const found = (query) => findSections(search, query).map(([url]) => url);
    expect(found('Fencing token raymond')[0]).toBe('algorithms/raymond.html#fencing-token');
    expect(found('fencing token')[0]).toBe('docs/lock.html#fencing-tokens');
    expect(found('drift --drift')[0]).toBe('docs/time.html');
    expect(found('two walls')[0]).toBe('docs/decisions/20-two-walls.html');
    expect(found('raymond xyzzy')).toEqual([]);
    expect(found('  ')).toEqual([]);
  });

  it('has one heading of the first level on each page, and levels without a gap', () => {
    for (const { url } of pages) {
      const levels = [...files.get(url).matchAll(/<h([1-6])[ >]/g)].map(([, level]) =>
        Number(level),
      );
      expect(
        levels.filter((level) => level === 1),
        url,
      ).toEqual([1]);
      for (const [index, level] of levels.entries())
        expect(level - (levels[index - 1] ?? 0), url).toBeLessThan(2);
    }
  });
});

describe('a mistake in a text', () => {
  const withMore = (more) =>
    siteOf({
      root,
      catalogue,
      textOf: (path) => fileText(path) + (path === 'docs/vocabulary.md' ? more : ''),
    });
  const line = fileText('docs/vocabulary.md').split('\n').length + 1;

  it('is told with its file and line', async () => {
    const more = [
      '[a](nowhere.md) [b](../README.md#nowhere) ![c](nowhere.svg) [d](../nowhere/)',
      '```mermaid\nstateDiagram-v2\n  a --> b\n```',
      '```mermaid\nsequenceDiagram\n  a->>b: c\n```',
      '[e](../packages/studio/dist/studio.html#raymond?losses=1&steps=0.1)',
    ];
    const { problems, files } = await withMore(`\n${more.join('\n\n')}\n`);
    // the page of the studio in a clone is a part of the site
    expect(files.get('docs/vocabulary.html')).toContain(
      'href="../studio.html#raymond?losses=1&amp;steps=0.1"',
    );
    expect(problems).toEqual([
      `docs/vocabulary.md:${line}: the link to 'nowhere.md' leads nowhere: there is no docs/nowhere.md. Mend the link.`,
      `docs/vocabulary.md:${line}: the link to '../README.md#nowhere' leads to no heading: README.md has none with the anchor 'nowhere'. Mend the link.`,
      `docs/vocabulary.md:${line}: there is no file 'docs/nowhere.svg'. Mend the address.`,
      `docs/vocabulary.md:${line}: the link to '../nowhere/' leads nowhere: there is no nowhere. Mend the link.`,
      `docs/vocabulary.md:${line + 2}: this chart is that of no machine. Run npm run generate.`,
      `docs/vocabulary.md:${line + 7}: a Mermaid diagram of this kind is not drawn. Write it as text, or as an SVG file.`,
    ]);
  });

  it('is refused where a page has no title', () => {
    expect(() => read('docs/x.md', 'text')).toThrow(
      "docs/x.md:1: the page has no title: begin it with a line like '# Title'",
    );
  });
});

describe('the check of links', () => {
  const page = (body) => `<!doctype html><body>${body}</body>`;

  it('finds what leads nowhere, an address that is not relative, and an orphan', () => {
    const files = new Map([
      [
        'index.html',
        page(
          '<a href="a/b.html#x">b</a> <a href="a/b.html#y">y</a> <a href="gone.html">gone</a> <img src="a/gone.svg">',
        ),
      ],
      [
        'a/b.html',
        page(
          '<h1 id="x">b</h1> <a href="../index.html">home</a> <a href="/index.html">root</a> <a href="https://example.org/">there</a>',
        ),
      ],
      ['a/orphan.html', page('<a href="b.html?q=1#x">b</a>')],
      ['a/picture.svg', undefined],
    ]);
    expect(checkLinks(files, { addresses: [['index.js', 'a/b.html#z']] })).toEqual([
      "index.html: 'a/b.html#y' leads to an anchor that a/b.html does not have",
      "index.html: 'gone.html' leads to gone.html, which is not there",
      "index.html: 'a/gone.svg' leads to a/gone.svg, which is not there",
      "a/b.html: '/index.html' is not relative: the site would not work below another address",
      "index.js: 'a/b.html#z' leads to an anchor that a/b.html does not have",
      'a/orphan.html: no link leads here from index.html',
    ]);
  });

  it('does not take code for links', () => {
    expect(
      addressesIn('<code>&lt;a href="x"&gt;</code><script>const a = \'<a href="y">\';</script>')
        .addresses,
    ).toEqual([]);
  });
});

it('anchors are those of GitHub', () => {
  const slug = slugger();
  const headings = [
    'What the lock does not promise',
    'B1–B3: `when`, n−1 & more',
    'Fencing',
    'Fencing',
    'Ünïcode_is kept',
  ];
  expect(headings.map(slug)).toEqual([
    'what-the-lock-does-not-promise',
    'b1b3-when-n1--more',
    'fencing',
    'fencing-1',
    'ünïcode_is-kept',
  ]);
});

it('code is coloured, and its text stays the same', () => {
  const text = `const a = \`x\${b + 1}\n</script>\`; // "quoted" & done`;
  const html = coloured(text, 'ts');
  expect(html).toContain('<span class="keyword">const</span>');
  expect(html).toContain('<span class="comment">// &quot;quoted&quot; &amp; done</span>');
  const plain = html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
  expect(plain).toBe(text);
});
