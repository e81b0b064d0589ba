import { catalogue } from '@conclave/tools/catalogue';
import { describe, expect, it } from 'vitest';
import { ideasOf, pageElements, pagesOf, readmeHtml } from './page.js';

describe('the pages of the catalogue', () => {
  const made = pagesOf();

  it('has a row and a page for each protocol', () => {
    expect(made.rows.map(({ name }) => name)).toEqual(catalogue.map(({ name }) => name));
    expect(Object.keys(made.pages)).toEqual(catalogue.map(({ name }) => name));
    const empty = made.rows.filter(
      ({ idea, name }) => idea === '' || !made.pages[name]?.html.includes('<h2>'),
    );
    expect(empty).toEqual([]);
  });

  it('has no relative link, image, chart or script', () => {
    const bad = Object.entries(made.pages).flatMap(([name, { html }]) => {
      const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
      const relative = links.filter(
        (href) => !/^(https?:\/\/|#[a-z0-9-]+\?view=specification$)/.test(href),
      );
      const others = /stateDiagram|<img|<script|\bon\w+="/.exec(html)?.[0];
      return [...relative, ...(others ? [others] : [])].map((what) => `${name}: ${what}`);
    });
    expect(bad).toEqual([]);
  });

  it('has the systems of a protocol that were explored, and how many mutants are noticed', () => {
    expect(made.pages['ricart-agrawala']?.verified[0]?.[0]).toBe('A3 Ricart–Agrawala, 3 nodes');
    expect(made.pages.raymond?.html).toContain('<code>piggyback=true</code>');
    expect(made.pages.raymond?.html).not.toContain('<summary>Properties');
    const part = '- 1 of 3\n  - 2: Why\n\n<!-- end of generated part -->\n\n- a\n  - b\n';
    const html = readmeHtml(`# T\n\n<!-- generated: mutants -->\n\n${part}`, '');
    expect(html).toMatch(/1 of 3.*<li>b<\/li>/s);
    expect(html).not.toContain('Why');
  });
});

describe('a page', () => {
  it('links to specifications, and otherwise to what is published', () => {
    const html = readmeHtml(
      '# T\n\n[a](../raymond/README.md), [b](../../cancel.md), [c](#d)',
      'packages/algorithms/src/mutual-exclusion/token/tree-token',
    );
    expect(html).toContain('href="#raymond?view=specification"');
    expect(html).toContain('/blob/main/packages/algorithms/src/mutual-exclusion/cancel.md"');
    expect(html).toContain('<a>c</a>');
  });

  it('loses a fold that had nothing but a chart', () => {
    expect(
      readmeHtml(
        '# T\n\n<details>\n<summary>Chart</summary>\n\n```mermaid\nx\n```\n\n</details>\n',
        'x',
      ),
    ).toBe('');
  });

  it('cannot end the element that holds it', () => {
    const page = { html: '</script><script>alert(1)', verified: [] };
    const elements = pageElements({ rows: [], pages: { x: page } });
    expect(elements.match(/<\/script/g)).toHaveLength(2);
    expect(elements).toContain('\\u003c/script>');
  });

  it('says its idea in one sentence', () => {
    expect(ideasOf('# T\n\nA `node` asks [all](x.md). K. May waits.')).toEqual([
      'A node asks all.',
      'K. May waits.',
    ]);
    const ideas = pagesOf().rows.map(({ idea }) => idea);
    expect(new Set(ideas).size).toBe(ideas.length);
  });
});
