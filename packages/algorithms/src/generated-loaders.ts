import { existsSync } from 'node:fs';
import { catalogue } from './catalogue.js';

/** The text of `loaders.ts`: one line for each entry of the catalogue. */
export function loadersText(): string {
  const rows = catalogue.map(({ id, name, folder }) => {
    const file = `./${folder}/entry.js`;
    const isAlone = existsSync(new URL(`../src/${folder}/entry.ts`, import.meta.url));
    return `  { id: '${id}', name: '${name}'${isAlone ? `, load: () => import('${file}')` : ''} },\n`;
  });
  return `/** How each algorithm of the catalogue is loaded. \`npm run generate\` writes this file. */
import type { Entry } from './entry.js';

interface Loader {
  readonly id: string;
  readonly name: string;
  /** Absent where the parts of the algorithm may be any other: then it is loaded with the catalogue. */
  readonly load?: () => Promise<{ readonly entry: Entry }>;
}

export const loaders: readonly Loader[] = [
${rows.join('')}];
`;
}
