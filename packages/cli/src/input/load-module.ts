/**
 * Loads a module of the user's own, JavaScript or TypeScript. Its code runs in this process, so it may
 * do what would make a check look finished: end the process, or never finish loading. Each such way
 * is an error that names the file, with the place of a mistake in its syntax.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { badInput, messageOf, oneLine } from '../errors.js';

/** How long a module may take to load, in seconds. */
const longestLoad = 30;

/**
 * What the module at `path` exports.
 * @throws {ConclaveError} `bad-input`: it throws, calls process.exit, or does not finish loading.
 */
export async function loadModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const exit = interceptExit();
  const end = rejectIfEndless();
  try {
    const exported = await Promise.race([importModule(path), end.rejection]);
    if (exit.called()) throw new Error(exit.why);
    return exported;
  } catch (error) {
    const why = `${oneLine(messageOf(error))}${placeOfError(error, path)}`;
    throw badInput(`'${path}' fails to load: ${exit.called() ? exit.why : why}`, '', error);
  } finally {
    exit.restore();
    end.cancel();
  }
}

async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(resolve(path)).href;
  if (!/\.[cm]?ts$/.test(path)) return await import(url);
  const { tsImport } = await import('tsx/esm/api');
  return await tsImport(url, import.meta.url);
}

/**
 * A module that ended the process while it loads would look like a check that found nothing. It is
 * refused, even if it catches the error.
 */
function interceptExit() {
  const why = 'it calls process.exit';
  const { exit } = process;
  let called = false;
  process.exit = () => {
    called = true;
    throw new Error(why);
  };
  return {
    why,
    called: () => called,
    restore: () => {
      process.exit = exit;
    },
  };
}

/**
 * A module may await something that never happens: then the event loop runs empty, or loading takes
 * too long.
 */
function rejectIfEndless() {
  let reject: (error: Error) => void = () => {};
  const rejection = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  const idle = () => reject(new Error('it awaits something at its top level that never happens'));
  const timer = setTimeout(
    () => reject(new Error(`it has not finished loading within ${longestLoad} s`)),
    longestLoad * 1000,
  );
  timer.unref(); // it would keep the event loop busy
  process.once('beforeExit', idle);
  return {
    rejection,
    cancel: () => {
      clearTimeout(timer);
      process.off('beforeExit', idle);
    },
  };
}

// Where a module that does not load is wrong. V8 knows the place of a mistake in the syntax, and
// Node.js prints it only where nothing catches the error; so `node --check` is asked for it.

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
