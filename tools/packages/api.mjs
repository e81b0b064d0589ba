/**
 * The exported API of each package: a line for each name in `packages/<name>/API.md`, and the whole
 * declarations in `reports/api`. `--check` only compares.
 */
import { read, write } from '../algorithm/files.mjs';
import { apiOf, apiPackages } from './api-of.mjs';

for (const name of apiPackages) {
  const page = `packages/${name}/API.md`;
  const { lines, whole } = apiOf(`packages/${name}`);
  write(`reports/api/${name.replaceAll('/', '-')}.md`, whole);
  if (!process.argv.includes('--check')) write(page, lines);
  else if (read(page) !== lines) {
    console.error(
      `${page} does not say what ${name} exports. Run npm run generate, and commit the page.`,
    );
    process.exitCode = 1;
  }
}
