/**
 * The page as one file: its script and styles, bundled; the pages of the catalogue; the layouts of
 * charts; the exercises; German and the editor at the end, so that the rest is shown before they
 * have come.
 */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Completion } from '@codemirror/autocomplete';
import { catalogue } from '@conclave/algorithms';
import { faults } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import { build, type Plugin } from 'esbuild';
import MarkdownIt from 'markdown-it';
import { graphOf, keyOf } from '../chart/graph.js';
import { layoutsOf } from '../chart/layout.js';
import { codeExercises, pointsOf } from '../course/code-exercises.js';
import { versionsOf } from '../course/exercise-judge.js';
import { numbered } from '../course/exercises.js';
import type { ExerciseRow, PageExercise, States } from '../course/judge.js';
import { protocolIn, startingFile } from '../course/starting-file.js';
import type { CatalogueRow, SpecificationPage } from '../model/page-data.js';
import { german, grading } from '../texts/german.js';
import { speak, type Table } from '../texts/say.js';
import { dataElement } from './page-file.js';

const script = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const styles = fileURLToPath(new URL('../../src/style/style.css', import.meta.url));

/** The protocols of the catalogue, with the options that change their statecharts. */
const chartedProtocols = catalogue.flatMap(({ make, charted }) =>
  [{}, ...charted].map((options) => make(options)),
);

/** No network at all; scripts of the page, of modules that its user drops, and of its workers. */
const policy =
  "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:";

/** Mutants take minutes: they are for the command, and the page is small without them. */
const withoutMutants: Plugin = {
  name: 'without-mutants',
  setup: ({ onLoad }) =>
    onLoad({ filter: /check[/\\]dist[/\\]mutation[/\\]mutate\.js$/ }, () => ({
      contents: `export function mutate() {
        throw new Error('Mutants take minutes, and are not for a page: run npx conclave mutate.');
      }
      export { mutate as chosenMutants, mutate as mutatePart };`,
    })),
};

/** The text of the page: one HTML file that needs no other. */
export async function pageText(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [script, styles],
    bundle: true,
    minify: true,
    charset: 'utf8',
    write: false,
    outdir: 'out',
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [withoutMutants],
  });
  const text = (ending: string) =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="description" content="Distributed protocols to see, to move by hand, to break and to check, in one page.">
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'%3E%3Cg fill='%235a6be0' stroke='%235a6be0' stroke-width='1.8'%3E%3Cpath d='M10 10v8M10 14h4M5 7.5 10 2.5l5 5z'/%3E%3C/g%3E%3C/svg%3E">
<title>Conclave studio</title>
<noscript><style>body::before { content: "This page needs JavaScript. It loads nothing from elsewhere." }</style></noscript>
${pageElements(pagesOf())}<style>${text('.css')}</style>
<body></body>
${dataElement('course', exerciseRows())}${dataElement('charts', await layoutsOf(chartedProtocols))}<script id="script">${text('.js').replaceAll('</script', '<\\/script')}</script>
${packedElement('german', JSON.stringify(germanTexts()))}${await editorElement()}</html>
`;
}

// The pages of the catalogue, from the READMEs and docs/verified-systems.md of the repository.

const repository = new URL('../../../../', import.meta.url);
const algorithms = 'packages/algorithms/src';
const published = 'https://github.com/conclave-ts/conclave/blob/main/';

const text = (path: string): string => readFileSync(new URL(path, repository), 'utf8');

/** What the page holds of the catalogue. */
interface Pages {
  readonly rows: readonly CatalogueRow[];
  /** By the protocol's name. */
  readonly pages: Readonly<Record<string, SpecificationPage>>;
}

export function pagesOf(): Pages {
  const verified = verifiedRows(text('docs/verified-systems.md'));
  const rows: CatalogueRow[] = [];
  const pages: Record<string, SpecificationPage> = {};
  const readmes = catalogue.map(({ folder }) => text(`${algorithms}/${folder}/README.md`));
  const others = readmes.flatMap(ideasOf);
  for (const [index, { id, name, folder, make }] of catalogue.entries()) {
    const { title, problem, topology, cost, channels, roles, drawn = {} } = make();
    const isOf = (named: string) => named.startsWith(`${id} `);
    const readme = readmes[index] ?? '';
    const ideas = ideasOf(readme); // what another page says, too, does not distinguish it
    rows.push({
      id,
      name,
      title,
      idea: ideas.find((idea) => others.filter((one) => one === idea).length < 2) ?? '',
      group: groupOf(folder, problem),
      problem,
      network: topology.name,
      example: topology.example(5).spec,
      charts: Object.entries(roles).map(([role, { machine }]) =>
        keyOf(graphOf(drawn[role] ?? machine)),
      ),
      cost: costText(cost),
      faults: faults.channelFaultRows.flatMap(({ tolerance }) =>
        channels[tolerance] ? [tolerance] : [],
      ),
    });
    pages[name] = {
      html: readmeHtml(readme, `${algorithms}/${folder}`),
      verified: verified.filter(([system = '']) => isOf(system)),
    };
  }
  return { rows, pages };
}

const costText = (cost: Protocol['cost']): string =>
  cost
    ? `${cost.formula} messages per ${cost.per}${cost.remark ? `, ${cost.remark.replaceAll('`', '')}` : ''}`
    : '';

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
  'global-states': 'Global states',
  agreement: 'Agreement',
};

/** The problem, and for a lock the kind of algorithm. */
function groupOf(folder: string, problem: string): string {
  const [family = '', kind = '', rest] = folder.split('/');
  const isOfKind = family === 'mutual-exclusion' && rest !== undefined;
  return `${words[family] ?? problem}${isOfKind ? `: ${kind}` : ''}`;
}

/** The sentences with which a page begins, as plain text. */
export function ideasOf(readme: string): readonly string[] {
  const paragraph = readme.split(/\n\s*\n/).find((part) => !/^(#|<|!)/.test(part)) ?? '';
  const plain = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[*`]/g, '');
  const sentences = plain.match(/\S.*?(?<!\b[A-Z])[.:](?=\s[A-Z]|$)/gs) ?? [plain];
  return sentences.map((one) => one.replace(/\s+/g, ' ').replace(/:$/, '.'));
}

const folders = new Map(catalogue.map(({ name, folder }) => [`${algorithms}/${folder}`, name]));

/** Where a link of a README leads to from the page: another protocol's specification, or the published file; '' for a place of the same page. */
function target(href: string, folder: string): string {
  if (/^[a-z]+:/.test(href)) return href;
  if (href.startsWith('#')) return '';
  const path = posix.join(folder, href.replace(/#.*/, ''));
  const name = folders.get(path.replace(/\/(README\.md)?$/, ''));
  return name === undefined ? `${published}${path}` : `#${name}?view=specification`;
}

/**
 * Without the list of properties, which the studio shows with their verdicts, and without why some
 * mutants pass, which is of use beside the sources: lists in the list of that part.
 */
const withoutLists = (readme: string): string =>
  readme
    .replace(/<details>\n<summary>Properties<\/summary>.*?<\/details>\n/s, '')
    .replace(/<!-- generated: mutants -->.*?<!-- end of generated part -->/s, (part) =>
      part.replace(/^ +- .*\n/gm, ''),
    );

/** The README as HTML, without its title, images, charts, properties and reasons why mutants pass. */
export function readmeHtml(readme: string, folder: string): string {
  const markdown = new MarkdownIt({ html: true });
  const tokens = markdown.parse(withoutLists(readme), {});
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

// The exercises in code as the page has them.

const exerciseRows = (): readonly ExerciseRow[] =>
  numbered(codeExercises).map(({ number, exercise: { kind, name, lab, protocol, minutes } }) => ({
    ...{ kind, name, lab, number, protocol, minutes },
  }));

interface NumberedExercise {
  readonly number: string;
  readonly exercise: (typeof codeExercises)[number];
}

export async function pageExercise({ number, exercise }: NumberedExercise): Promise<PageExercise> {
  const { holes: _, mutants, alsoRight, ...open } = exercise;
  const right = await protocolIn(exercise);
  const states = (protocol: Protocol): States =>
    protocol.roles[exercise.role]?.machine.config.states;
  const isSaid = exercise.kind === 'say';
  const versions = isSaid ? versionsOf(right, exercise, 1) : { alsoRight: [], mutants: [] };
  const en = await startingFile(exercise);
  speak(() => ({ ...german, ...grading }));
  const de = await startingFile(exercise);
  speak(() => undefined);
  return {
    ...{ ...open, number, points: pointsOf(exercise), start: { en, de } },
    alsoRight: versions.alsoRight.map(states),
    mutants: versions.mutants.map(({ protocol, descendants }) => ({
      states: states(protocol),
      descendants: descendants.map(states),
    })),
  };
}

/** One after the other: each is written in two languages. */
export async function pageExercises(): Promise<readonly PageExercise[]> {
  const all: PageExercise[] = [];
  for (const exercise of numbered(codeExercises)) all.push(await pageExercise(exercise));
  return all;
}

const editorScript = fileURLToPath(new URL('../../src/editor/editor.ts', import.meta.url));
/** What `conclave init` writes. */
const template = new URL('../../../cli/src/template/ticket-office.ts', import.meta.url);

/** The public names of core, each with its declaration as far as it has place in a line. */
const names = new URL('../../../core/API.md', import.meta.url);

/** What is offered while one writes. */
function completions(): readonly Completion[] {
  const [, protocol = '', topology = ''] = readFileSync(names, 'utf8').split(/^## /m);
  return [protocol, topology].flatMap((part) =>
    [...part.matchAll(/^(\w+) ([\w.]+)(.*?)(?: \/\/ \w+)?$/gm)].map(
      ([, type = '', label = '', detail = '']) => ({ type, label, detail }),
    ),
  );
}

/** An element at the end of the page, compressed: most of its readers never ask for it. */
const packedElement = (id: string, content: string | Uint8Array = ''): string =>
  `<script type="text/plain" id="${id}">${gzipSync(content, { level: 9 }).toString('base64')}</script>\n`;

/** What all of its readers load ends here. */
export const packedStart = '<script type="text/plain"';

/** What the page says in German, and what the catalogue says, by their English. */
function germanTexts(): Table {
  const { pages, properties, options, networks } = catalogueTexts();
  const sentences = Object.values(pages).flatMap((page) => Object.values(page));
  const said = Object.fromEntries(sentences.map(({ en, de }) => [en, de]));
  return { ...german, ...grading, ...properties, ...options, ...networks, ...said };
}

/** By id of an algorithm its idea and its rules; what several have in common. */
interface CatalogueTexts {
  readonly pages: Readonly<
    Record<string, Readonly<Record<string, { readonly en: string; readonly de: string }>>>
  >;
  readonly properties: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
  readonly networks: Readonly<Record<string, string>>;
}

export const catalogueTexts = (): CatalogueTexts =>
  JSON.parse(text('packages/studio/src/texts/german/catalogue.json'));

/** The last element of the page: the script of the editor. */
async function editorElement(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [editorScript],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    define: {
      template: JSON.stringify(readFileSync(template, 'utf8')),
      completions: JSON.stringify(completions()),
      exercises: JSON.stringify(await pageExercises()),
    },
  });
  return packedElement('editor', outputFiles[0]?.contents);
}
