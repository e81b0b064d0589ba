/**
 * Writes the generated parts of the protocols' pages, the overviews, and the picture of docs/checking.md.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { catalogue } from '../../packages/algorithms/dist/catalogue.js';
import { generatedPages, picture } from '../../packages/algorithms/dist/generated.js';
import { loadersText, manifestText } from '../../packages/algorithms/dist/generated-loaders.js';
import {
  entryOrderOf,
  entryOrdersIn,
} from '../../packages/algorithms/dist/mutual-exclusion/causal-fairness/entry-order.js';
import {
  catalogueTable,
  electionTable,
  entryOrderTable,
  measuredTable,
  provedTable,
} from '../../packages/algorithms/dist/overview.js';
import { performanceText, resultsPage } from '../../packages/algorithms/dist/performance.js';
import { replaceGenerated } from '../../packages/algorithms/dist/replace-generated.js';

const write = (path, text) => {
  const file = new URL(`../../${path}`, import.meta.url);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (text !== before) writeFileSync(file, text);
  console.log(`${text === before ? 'unchanged' : 'written  '}  ${path}`);
};

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
for (const [folder, { picture, parts, more }] of generatedPages()) {
  const path = `packages/algorithms/src/${folder}`;
  write(`${path}/run.svg`, picture);
  for (const [file, drawn] of more) write(`${path}/${file}`, drawn);
  write(
    `${path}/README.md`,
    [...parts].reduce(
      (page, [part, generated]) => replaceGenerated(page, generated, part),
      read(`${path}/README.md`),
    ),
  );
}
const fairness = 'packages/algorithms/src/mutual-exclusion/causal-fairness/README.md';
const orders = 'docs/entry-order.json';
write(orders, entryOrdersText());
write(
  fairness,
  replaceGenerated(read(fairness), entryOrderTable(entryOrdersIn(read(orders))), 'locks'),
);
const measured = JSON.parse(read('tools/bench/results.json'));
write('README.md', replaceGenerated(read('README.md'), performanceText(measured), 'performance'));
const all = 'docs/catalogue.md';
write(all, replaceGenerated(read(all), catalogueTable()));
write('tools/bench/results.md', resultsPage(measured));
const page = 'packages/algorithms/README.md';
write(
  page,
  replaceGenerated(
    replaceGenerated(
      replaceGenerated(read(page), measuredTable(entryOrdersIn(read(orders))), 'measured'),
      electionTable(),
      'elections',
    ),
    provedTable(read('docs/verified.md')),
    'proved',
  ),
);
write('docs/ricart-agrawala.svg', picture());
write('packages/algorithms/src/loaders.ts', loadersText());
write('packages/algorithms/package.json', manifestText(read('packages/algorithms/package.json')));

/** How each lock orders entries, explored: some seconds. */
function entryOrdersText() {
  const locks = catalogue
    .map(({ id, make }) => [id, make()])
    .filter(([id, { problem }]) => id !== 'C6' && problem === 'mutual-exclusion');
  const rows = locks.map(([id, lock]) => {
    const { causal, overtaking } = entryOrderOf(lock);
    const list = (systems) =>
      systems.map((system) => `      ${JSON.stringify(system)}`).join(',\n');
    return `  "${id}": {\n    "causal": [\n${list(causal)}\n    ],\n    "overtaking": [\n${list(overtaking)}\n    ]\n  }`;
  });
  return `{\n${rows.join(',\n')}\n}\n`;
}
