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

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
}

/**
 * The text of `package.json`, with an entry for each algorithm by itself:
 * `@conclave/algorithms/raymond`.
 */
export function manifestText(before: string): string {
  const manifest = JSON.parse(before) as Manifest; // npm's own format
  const others = Object.entries(manifest.exports).filter(
    ([, { types }]) => !types.endsWith('/protocol.d.ts'),
  );
  const algorithms = [...catalogue, { name: 'repeated', folder: 'election/repeated' }].map(
    ({ name, folder }) => {
      const file = `./dist/${folder}/protocol`;
      return [`./${name}`, { types: `${file}.d.ts`, default: `${file}.js` }] as const;
    },
  );
  return `${JSON.stringify({ ...manifest, exports: Object.fromEntries([...others, ...algorithms]) }, null, 2)}\n`;
}
