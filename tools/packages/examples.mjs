/** The examples of the pages, which the tests and the release run in projects of their own. */
import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** The README, and those of the packages that a program imports or a shell calls. */
export const readmes = [
  'README.md',
  ...['core', 'check', 'algorithms', 'coordination', 'studio', 'cli'].map(
    (name) => `packages/${name}/README.md`,
  ),
];

/** All pages with examples of one process. */
export const pages = [
  ...readmes,
  ...readdirSync(new URL('docs/', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/**
 * `<!-- example: name -->`, or with `unordered`; then a fence with code, and before the next
 * example a `text` fence with its output.
 */
export const examplesOf = (page) =>
  readFileSync(new URL(page, root), 'utf8')
    .split('<!-- example:')
    .slice(1)
    .map((part) => {
      const [, name = '', unordered, language = '', code = ''] =
        part.match(/^ ([a-z][a-z-]*)( unordered)? -->\s*\n```(js|ts|sh)\n(.*?)^```$/ms) ?? [];
      const [, output] =
        part.slice(part.indexOf(code) + code.length).match(/^```text\n(.*?)^```$/ms) ?? [];
      if (!code || output === undefined)
        throw new Error(
          `${page}: no code, or no text fence with its output, after example:${part.slice(0, 40)}`,
        );
      return { page, name, unordered: unordered !== undefined, language, code, output };
    });
