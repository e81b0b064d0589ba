/** Writes the generated parts of the protocols' pages, the overview, and the picture in the README. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { generatedPages, picture } from '../packages/algorithms/dist/generated.js';
import { catalogueTable, electionTable, measuredTable, provedTable } from '../packages/algorithms/dist/overview.js';
import { replaceGenerated } from '../packages/algorithms/dist/replace-generated.js';

const write = (path, text) => {
  const file = new URL(`../${path}`, import.meta.url);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (text !== before) writeFileSync(file, text);
  console.log(`${text === before ? 'unchanged' : 'written  '}  ${path}`);
};

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
for (const [folder, { picture, parts, more }] of generatedPages()) {
  const path = `packages/algorithms/src/${folder}`;
  write(`${path}/run.svg`, picture);
  for (const [file, drawn] of more) write(`${path}/${file}`, drawn);
  write(
    `${path}/README.md`,
    [...parts].reduce((page, [part, generated]) => replaceGenerated(page, generated, part), read(`${path}/README.md`)),
  );
}
write('README.md', replaceGenerated(read('README.md'), catalogueTable()));
const page = 'packages/algorithms/README.md';
write(
  page,
  replaceGenerated(
    replaceGenerated(replaceGenerated(read(page), measuredTable(), 'measured'), electionTable(), 'elections'),
    provedTable(read('docs/verified.md')),
    'proved',
  ),
);
write('docs/ricart-agrawala.svg', picture());
