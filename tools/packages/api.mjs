/**
 * The exported API of each package, or of those that are named: a line for each name in
 * `packages/<name>/API.md`, and the whole declarations in `reports/api`. `--check` only compares.
 */
import { parseArgs } from 'node:util';
import { read, write } from '../algorithm/files.mjs';
import { apiOf, apiPackages } from './api-of.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false } },
});

for (const name of positionals.length > 0 ? positionals : apiPackages) {
  const page = `packages/${name}/API.md`;
  const { lines, whole } = apiOf(`packages/${name}`);
  write(`reports/api/${name.replaceAll('/', '-')}.md`, whole);
  if (!values.check) {
    if (write(page, lines)) console.log(`written: ${page}`);
  } else if (read(page) !== lines) {
    console.error(
      `${page} does not say what ${name} exports. Run npm run generate, and commit the page.`,
    );
    process.exitCode = 1;
  }
}
