/** Writes the generated parts of the protocols' pages, the overview of them all, and the README's picture. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { replaceGenerated } from '@conclave/core/chart';
import { generatedParts, picture } from '../packages/algorithms/dist/generated.js';
import { catalogueTable, overview } from '../packages/algorithms/dist/overview.js';

const write = (path, text) => {
  const file = new URL(`../${path}`, import.meta.url);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (text !== before) writeFileSync(file, text);
  console.log(`${text === before ? 'as it was' : 'written  '}  ${path}`);
};

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
for (const [folder, generated] of generatedParts()) {
  const path = `packages/algorithms/src/${folder}/README.md`;
  write(path, replaceGenerated(read(path), generated));
}
write('README.md', replaceGenerated(read('README.md'), catalogueTable()));
const page = 'packages/algorithms/README.md';
write(page, replaceGenerated(read(page), overview(read('docs/verified.md'))));
write('docs/ricart-agrawala.svg', picture());
