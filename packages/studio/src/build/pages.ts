/** The pages of the catalogue, from the READMEs and docs/verified.md of the repository. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { catalogue } from '@conclave/algorithms';
import type { Protocol } from '@conclave/core/protocol';
import MarkdownIt from 'markdown-it';
import type { CatalogueRow, SpecificationPage } from '../model/catalogue-pages.js';
import { dataElement } from './data-element.js';

const repository = new URL('../../../../', import.meta.url);
const source = 'packages/algorithms/src';
const published = 'https://github.com/conclave-ts/conclave/blob/main/';

const text = (path: string): string => readFileSync(new URL(path, repository), 'utf8');

/** What the page holds of the catalogue. */
export interface Pages {
  readonly rows: readonly CatalogueRow[];
  /** By the protocol's name. */
  readonly pages: Readonly<Record<string, SpecificationPage>>;
}

export function pagesOf(): Pages {
  const verified = verifiedRows(text('docs/verified.md'));
  const rows: CatalogueRow[] = [];
  const pages: Record<string, SpecificationPage> = {};
  for (const { id, name, folder, make } of catalogue) {
    const { title, problem, topology, cost, channels } = make();
    const isOf = (named: string) => named.startsWith(`${id} `);
    const readme = text(`${source}/${folder}/README.md`);
    rows.push({
      id,
      name,
      title,
      idea: ideaOf(readme),
      group: groupOf(folder, problem),
      problem,
      network: topology.name,
      cost: costText(cost),
      faults: (['loss', 'duplication'] as const).filter((fault) => channels[fault]),
    });
    pages[name] = {
      html: readmeHtml(readme, `${source}/${folder}`),
      verified: verified.filter(([system = '']) => isOf(system)),
    };
  }
  return { rows, pages };
}

const costText = (cost: Protocol['cost']): string =>
  cost ? `${cost.formula} messages per ${cost.per}${cost.remark ? `, ${cost.remark}` : ''}` : '';

const verifiedRows = (page: string): readonly (readonly string[])[] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );

const words: Readonly<Record<string, string>> = {
  'mutual-exclusion': 'Mutual exclusion',
  'local-exclusion': 'Local exclusion',
  'k-exclusion': 'k-exclusion',
  election: 'Election',
  waves: 'Waves',
  groups: 'Groups',
  detectors: 'Failure detectors',
  clocks: 'Clocks',
  'spanning-tree': 'Spanning trees',
};

/** The problem, and for a lock the kind of algorithm. */
function groupOf(folder: string, problem: string): string {
  const [family = '', kind = '', rest] = folder.split('/');
  const isOfKind = family === 'mutual-exclusion' && rest !== undefined;
  return `${words[family] ?? problem}${isOfKind ? `: ${kind}` : ''}`;
}

/** The first sentence of a page, as plain text. */
export function ideaOf(readme: string): string {
  const paragraph = readme.split(/\n\s*\n/).find((part) => !/^(#|<|!)/.test(part)) ?? '';
  const plain = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[*`]/g, '');
  return /^.*?[.:](?=\s[A-Z]|$)/s.exec(plain)?.[0].replace(/\s+/g, ' ') ?? plain;
}

const folders = new Map(catalogue.map(({ name, folder }) => [`${source}/${folder}`, name]));

/** Where a link of a README leads to from the page: another protocol's specification, or the published file; '' for a place of the same page. */
function target(href: string, folder: string): string {
  if (/^[a-z]+:/.test(href)) return href;
  if (href.startsWith('#')) return '';
  const path = posix.join(folder, href.replace(/#.*/, ''));
  const name = folders.get(path.replace(/\/(README\.md)?$/, ''));
  return name === undefined ? `${published}${path}` : `#${name}?view=specification`;
}

/** The README as HTML: without its title, images and charts, which the page shows live. */
export function readmeHtml(readme: string, folder: string): string {
  const markdown = new MarkdownIt({ html: true });
  const tokens = markdown.parse(readme, {});
  const kept = tokens.filter(({ type, info }) => !(type === 'fence' && info === 'mermaid'));
  const title = kept.findIndex(({ type }) => type === 'heading_close');
  const shown = kept.slice(title + 1);
  for (const { children } of shown)
    for (const child of children ?? []) {
      if (child.type !== 'link_open') continue;
      const href = target(String(child.attrGet('href') ?? ''), folder);
      if (href === '') child.attrs = [];
      else child.attrSet('href', href);
    }
  for (const token of shown)
    if (token.children) token.children = token.children.filter(({ type }) => type !== 'image');
  return markdown.renderer
    .render(shown, markdown.options, {})
    .replace(/<!--.*?-->\n?/gs, '')
    .replace(/<p>\s*<\/p>\n?/g, '')
    .replace(
      /<details>\s*<summary>[^<]*(<code>[^<]*<\/code>)?[^<]*<\/summary>\s*<\/details>\n?/g,
      '',
    );
}

/** The elements that hold the data, one for each page, so that a page is read only when it is shown. */
export const pageElements = ({ rows, pages }: Pages): string =>
  [
    dataElement('catalogue', rows),
    ...Object.entries(pages).map(([name, page]) => dataElement(`page-${name}`, page)),
  ].join('');
