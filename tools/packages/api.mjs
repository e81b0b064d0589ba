/**
 * The exported API of each package, with signatures: `packages/<name>/API.md`. `--check` only
 * compares.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { apiOf, apiPackages } from './api-of.mjs';

for (const name of apiPackages) {
  const page = `packages/${name}/API.md`;
  const { text } = apiOf(`packages/${name}`);
  if (existsSync(page) && readFileSync(page, 'utf8') === text) continue;
  if (process.argv.includes('--check')) {
    console.error(
      `${page} does not say what ${name} exports. Run npm run generate, and commit the page.`,
    );
    process.exitCode = 1;
  } else writeFileSync(page, text);
}
