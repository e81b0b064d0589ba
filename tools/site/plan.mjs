/**
 * Which pages there are, where, and in which order: the navigation. A new package, decision or
 * algorithm becomes a page without a change here.
 */
import { dirname } from 'node:path/posix';
import { SiteProblem } from './problem.mjs';

/** The chapters by task; the README is the home page before them. */
const embedding = [
  'docs/lock.md',
  'docs/choosing-a-lock.md',
  'docs/election.md',
  'docs/choosing-an-election.md',
  'docs/once.md',
  'docs/group.md',
  'docs/transports.md',
  'docs/operations.md',
  'docs/journals.md',
];
const checking = [
  'docs/writing-a-protocol.md',
  'docs/checking.md',
  'docs/time.md',
  'docs/command-line.md',
  'docs/many-machines.md',
  'docs/second-opinion.md',
  'docs/compiled-statecharts.md',
];
const proofs = [
  'docs/verified.md',
  'docs/mutation.md',
  'tools/torture/README.md',
  'docs/torture.md',
  'docs/torture-elections.md',
  'docs/mistakes.md',
];
const terms = [
  'CONTRIBUTING.md',
  'docs/adding-an-algorithm.md',
  'docs/architecture.md',
  'docs/vocabulary.md',
  'docs/testing.md',
  'docs/maintenance.md',
  'CHANGELOG.md',
];

/**
 * @typedef Page
 * @property {string} url from the root of the site
 * @property {string} title
 * @property {string} path of its Markdown file
 * @property {readonly object[]} tokens
 * @property {readonly object[]} headings
 * @property {{ id: string, name: string }} [algorithm] of the catalogue, which the page specifies
 */

/**
 * @param {ReadonlyMap<string, object>} documents by path
 * @param {readonly { id: string, name: string, folder: string }[]} catalogue
 * @returns {readonly { title: string, groups: readonly { title: string, pages: readonly Page[] }[]
 * }[]}
 */
export function planOf(documents, catalogue) {
  const rest = new Map(documents);
  const take = (path) => {
    const document = rest.get(path);
    if (!document)
      throw new SiteProblem(
        `tools/site/plan.mjs names ${path}, which is not there. Change the plan.`,
      );
    rest.delete(path);
    return whole(document, urlOf(path));
  };
  const takeAll = (pattern) => [...rest.keys()].filter((path) => pattern.test(path)).map(take);
  const home = { ...take('README.md'), url: 'index.html' };
  const guide = [
    { title: 'Start', pages: [home] },
    { title: 'Embed', pages: embedding.map(take) },
    { title: 'Write and check', pages: checking.map(take) },
    { title: 'Teach and learn', pages: [take('docs/teaching.md')] },
  ];
  const overview = {
    title: 'Side by side',
    pages: ['docs/catalogue.md', 'packages/algorithms/README.md'].map(take),
  };
  const specifications = [overview, ...specificationGroups(rest, catalogue)];
  const results = [
    { title: 'What was shown', pages: proofs.map(take) },
    { title: 'The study', pages: [take('docs/study/README.md'), ...takeAll(/^docs\/study\//)] },
    { title: 'What was measured', pages: takeAll(/^tools\/bench\//) },
  ];
  const decisions = takeAll(/^docs\/decisions\/\d/).toSorted(byNumber);
  const project = [
    { title: 'Project', pages: terms.map(take) },
    { title: 'Packages', pages: takeAll(/^packages\/[^/]+(\/[^/]+)?\/(README|CHANGELOG)\.md$/) },
    { title: 'Decisions', pages: [take('docs/decisions/README.md'), ...decisions] },
  ];
  const [forgotten] = rest.keys();
  if (forgotten)
    throw new SiteProblem(
      `${forgotten} has no place in the site. Give it one in tools/site/plan.mjs, or name it in tools/site/texts.mjs.`,
    );
  return [
    { title: 'Guide', groups: guide },
    { title: 'Specifications', groups: specifications },
    { title: 'Evidence', groups: results },
    { title: 'Project', groups: project },
  ];
}

/** What the navigation calls pages whose titles are the same. */
const labels = new Map([
  ['tools/torture/README.md', 'Torture: what is done'],
  ['docs/torture.md', 'Torture: the recorded run'],
]);

const whole = ({ path, title, tokens, headings }, url) => ({
  url,
  title: labels.get(path) ?? title,
  path,
  tokens,
  headings,
});

/** A page with a short address: where its reader expects it, and not where its file is. */
function urlOf(path) {
  if (path.startsWith('packages/algorithms/src/') || path.startsWith('packages/core/src/')) {
    const name = path.replace(/\/README\.md$/, '').replace(/\.md$/, '');
    const [folder, last] = name.split('/').slice(-2);
    return `algorithms/${last === 'building-blocks' ? `${folder}-${last}` : last}.html`;
  }
  if (path.startsWith('tools/')) return urlOf(path.replace('tools/', ''));
  if (path.endsWith('/README.md'))
    return `${dirname(path)}.html`.replace('packages/transports/', 'packages/transport-');
  return path.replace(/\.md$/, '.html').toLowerCase();
}

/**
 * The pages of algorithms by family, in the order of the catalogue; beside them, those of a family
 * that specify no algorithm of it.
 */
function specificationGroups(rest, catalogue) {
  const groups = new Map();
  const put = (path, algorithm) => {
    const group = familyOf(path);
    if (!groups.has(group)) groups.set(group, []);
    const document = rest.get(path);
    if (!document)
      throw new SiteProblem(
        `${path} is not there: ${algorithm.id} has no page. docs/adding-an-algorithm.md says how to write it.`,
      );
    groups.get(group).push({ ...whole(document, urlOf(path)), ...(algorithm && { algorithm }) });
    rest.delete(path);
  };
  for (const algorithm of catalogue)
    put(`packages/algorithms/src/${algorithm.folder}/README.md`, algorithm);
  for (const path of [...rest.keys()])
    if (/^packages\/(algorithms|core)\/src\//.test(path)) put(path);
  return [...groups].map(([title, pages]) => ({ title, pages }));
}

function familyOf(path) {
  const [family, kind, ...deeper] = path
    .replace(/\/README\.md$/, '')
    .split('/')
    .slice(3);
  const name = deeper.length > 0 ? `${family}: ${kind}` : family;
  return (name[0].toUpperCase() + name.slice(1)).replaceAll('-', ' ');
}

const numberOf = ({ url }) => Number(/\/(\d+)-/.exec(url)?.[1]);
const byNumber = (a, b) => numberOf(a) - numberOf(b);
