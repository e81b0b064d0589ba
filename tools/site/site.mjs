/** The site in memory: the text of each file, or the file that it is a copy of. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dirname } from 'node:path/posix';
import { chartsOf } from './charts.mjs';
import { escaped } from './code.mjs';
import { read } from './document.mjs';
import { planOf } from './plan.mjs';
import { SiteProblem } from './problem.mjs';
import { rendered, summaryOf } from './render.mjs';
import { searchIndex } from './search.mjs';
import { between, targetsOf } from './targets.mjs';
import { templateOf } from './template.mjs';
import { isPage, markdownFiles } from './texts.mjs';

/**
 * @param {object} given
 * @param {string} given.root the folder of the repository
 * @param {readonly object[]} given.catalogue the entries of the algorithms
 * @param {boolean} [given.api] whether there will be an API reference, in `api`
 * @param {Function} [given.draw] machine and title to SVG; without it, charts stay text
 * @param {(what: string, done: number, all: number) => void} [given.onProgress]
 * @param {(path: string) => string} [given.textOf] the text of a Markdown file, by its path from
 * the root
 * @returns `files`: by path, texts or `{ copyOf: path }`; `pages`; `search`: the index of the
 * search; `repository`: its address; `sections`: the first page of each; `problems`: links that
 * lead nowhere, each with its file and line
 */
export async function siteOf({
  root,
  catalogue,
  api = false,
  draw,
  onProgress = () => {},
  textOf,
}) {
  const text = textOf ?? ((path) => readFileSync(join(root, path), 'utf8'));
  const paths = markdownFiles(root).filter(isPage);
  const documents = new Map(paths.map((path) => [path, read(path, text(path))]));
  const { repository, version } = about(root);
  const plan = planOf(documents, catalogue);
  const pages = plan.flatMap(({ groups }) => groups.flatMap((group) => group.pages));
  for (const page of pages) page.summary = summaryOf(page);
  const charts = await chartsOf(mermaidIn(pages), catalogue, draw, (done, all) =>
    onProgress('statecharts', done, all),
  );
  const targets = targetsOf({ root, repository, pages, documents });
  const sections = plan.map(({ title, groups }) => ({ title, url: groups[0].pages[0].url }));
  const template = templateOf({ plan, repository, version, api });

  const files = new Map();
  for (const [index, page] of pages.entries()) {
    if (files.has(page.url))
      throw new SiteProblem(
        `Two pages have the address ${page.url}; one is ${page.path}. Change urlOf in tools/site/plan.mjs.`,
      );
    files.set(page.url, template(page, contentOf(page, { targets, charts, repository })));
    onProgress('pages', index + 1, pages.length);
  }
  for (const [url, copyOf] of targets.files) files.set(url, { copyOf });
  for (const [url, svg] of charts.files) files.set(url, svg);
  files.set('site.css', assetsOf(root, styles));
  files.set('site.js', assetsOf(root, ['tools/site/assets/find.js', 'tools/site/assets/site.js']));
  const search = searchIndex(pages);
  files.set('search-index.js', `globalThis.conclaveIndex=${JSON.stringify(search)};\n`);
  files.set('studio.html', { copyOf: join(root, 'packages/studio/dist/studio.html') });
  return {
    files,
    pages,
    search,
    repository,
    sections,
    problems: [...targets.problems, ...charts.problems],
  };
}

/** The address of the repository, and the version. */
function about(root) {
  const { repository, version } = JSON.parse(
    readFileSync(join(root, 'packages/core/package.json'), 'utf8'),
  );
  return { version, repository: repository.url.replace(/^git\+/, '').replace(/\.git$/, '') };
}

/** The colours are those of the studio. */
const styles = [
  'packages/studio/src/style/tokens.css',
  ...['text', 'frame', 'parts'].map((name) => `tools/site/assets/${name}.css`),
];

const assetsOf = (root, paths) =>
  paths.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');

const mermaidIn = (pages) =>
  pages.flatMap(({ path, tokens }) =>
    tokens
      .filter(({ type, info }) => type === 'fence' && info.trim() === 'mermaid')
      .map(({ content, map }) => ({ text: content, where: `${path}:${map[0] + 1}` })),
  );

function contentOf(page, { targets, charts, repository }) {
  const { before, after } = rendered(page, targets, charts);
  if (page.algorithm) return `${before}${liveRun(page, repository)}${after}`;
  return before + after;
}

/**
 * The studio, opened at this algorithm; it is loaded when the part is opened. Browsers load a lazy
 * frame that is hidden at once.
 */
function liveRun({ url, algorithm, title, path }, repository) {
  const address = `${between(url, 'studio.html')}#${algorithm.name}`;
  return `<aside class="live" aria-label="Live run">
<p><a href="${address}">Open ${escaped(title)} in the studio</a>, which moves it by hand, breaks and checks it, or read its
<a href="${escaped(`${repository}/tree/main/${dirname(path)}`)}">statechart, properties and tests</a>.</p>
<details>
<summary>Run it here</summary>
<iframe data-src="${address}" title="${escaped(title)} in the studio"></iframe>
</details>
</aside>
`;
}
