/** Writes the generated parts of the protocols' pages, and the README's picture. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { replaceGenerated } from '@conclave/core/chart';
import { generatedParts, picture } from '../packages/algorithms/dist/generated.js';

const write = (path, text) => {
  const file = new URL(`../${path}`, import.meta.url);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (text !== before) writeFileSync(file, text);
  console.log(`${text === before ? 'as it was' : 'written  '}  ${path}`);
};

for (const [folder, generated] of generatedParts()) {
  const path = `packages/algorithms/src/${folder}/README.md`;
  write(path, replaceGenerated(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'), generated));
}
write('docs/ricart-agrawala.svg', picture());
