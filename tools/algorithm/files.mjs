/** The repository's files, and the modules of the algorithms by their folders. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Under vitest, modules are those of the sources; else those that were built. */
const [built, extension] = process.env.VITEST ? ['src', 'ts'] : ['dist', 'js'];

const sources = 'packages/algorithms/src';

/** @param {string} path from the root of the repository, as everywhere in this folder */
export const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const has = (path) => existsSync(at(path));
export const read = (path) => readFileSync(at(path), 'utf8');

/** @returns {boolean} whether the file was another one before */
export function write(path, text) {
  if (has(path) && read(path) === text) return false;
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
  return true;
}

/** A file in the folder of an algorithm, such as `README.md` in `election/bully`. */
export const fileOf = (folder, name) => `${sources}/${folder}/${name}`;

/** What a module of the algorithms exports, by its path without an ending. */
export const moduleOf = (path) =>
  import(new URL(`../../packages/algorithms/${built}/${path}.${extension}`, import.meta.url).href);

/** What the folder's `checks.ts` exports; nothing where there is none. */
export const checksOf = async (folder) =>
  has(fileOf(folder, 'checks.ts')) ? moduleOf(`${folder}/checks`) : {};
