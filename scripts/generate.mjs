/** Writes the generated parts of the protocols' pages. */
import { readFileSync, writeFileSync } from 'node:fs';
import { replaceGenerated } from '@conclave/core/chart';
import { generatedParts } from '../packages/algorithms/dist/generated.js';

for (const [folder, generated] of generatedParts()) {
  const file = new URL(`../packages/algorithms/src/${folder}/README.md`, import.meta.url);
  const before = readFileSync(file, 'utf8');
  const after = replaceGenerated(before, generated);
  if (after !== before) writeFileSync(file, after);
  console.log(`${after === before ? 'as it was' : 'written  '}  packages/algorithms/src/${folder}/README.md`);
}
