/** The Markdown files of the repository, and those that are no pages of the site. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const skipped = new Set([
  '.github',
  'node_modules',
  'dist',
  'reports',
  'coverage',
  '.git',
  '.changeset',
]);

/** Paths from the root, such as `docs/verified.md`, in the order of their names. */
export function markdownFiles(root, folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : markdownFiles(root, path);
      return entry.name.endsWith('.md') ? [path] : [];
    });
}

/** Files that are no pages, and why. */
const others = [
  [/^packages\/.*\/?API\.md$/, 'the API reference has the same names with their documentation'],
  [/\/src\/template\//, 'a template: `conclave init` copies it'],
  [/\/fixtures\//, 'it belongs to files of tests'],
];

export const isPage = (path) => !others.some(([pattern]) => pattern.test(path));
