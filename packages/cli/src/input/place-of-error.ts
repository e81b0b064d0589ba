/**
 * Where a module that does not load is wrong. V8 knows the place of a mistake in the syntax, and
 * Node.js prints it only where nothing catches the error; so `node --check` is asked for it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Such as ` (shop.mjs:2:39)`; empty where nobody knows. `path`: the module that was to be loaded. */
export function placeOfError(error: unknown, path: string): string {
  if (!(error instanceof SyntaxError)) return '';
  return placeIn(error.stack ?? '') ?? checkedPlace(resolve(path), new Set()) ?? '';
}

/** In the form of Node.js: the file and line, the text of the line, carets below the place. */
function placeIn(text: string): string | undefined {
  const [, file = '', line, carets] = /^(.+):(\d+)\n.*\n(\s*)\^/.exec(text) ?? [];
  if (carets === undefined) return undefined;
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  return ` (${relative(process.cwd(), path) || path}:${line}:${carets.length + 1})`;
}

/** The mistake may be in a file that this one imports, or that imports. */
function checkedPlace(path: string, seen: Set<string>): string | undefined {
  if (seen.has(path) || !/\.[cm]?js$/.test(path) || !existsSync(path)) return undefined;
  seen.add(path);
  const { stderr } = spawnSync(process.execPath, ['--check', path], { encoding: 'utf8' });
  const place = placeIn(stderr);
  if (place !== undefined) return place;
  const imported = [...readFileSync(path, 'utf8').matchAll(/\bfrom\s*['"](\.[^'"]+)['"]/g)];
  return imported
    .map(([, name = '']) => checkedPlace(resolve(dirname(path), name), seen))
    .find((found) => found !== undefined);
}
