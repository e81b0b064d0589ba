import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConclaveError } from '@conclave/core/protocol';
import { oneLine } from '../output/error-line.js';

/** How long a module may take to load, in seconds. */
const patience = 30;

/**
 * What the module at `path` exports.
 *
 * @throws {ConclaveError} `bad-input`: it fails to load, ends the process, or does not come to an end.
 */
export async function loadModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const exit = watchExit();
  const end = watchEnd();
  try {
    const exported = await Promise.race([importModule(path), end.came]);
    if (exit.called()) throw new Error(exit.why);
    return exported;
  } catch (error) {
    const why = exit.called() ? exit.why : oneLine(error instanceof Error ? error.message : String(error));
    throw new ConclaveError('bad-input', `'${path}' fails to load: ${why}`, '', { cause: error });
  } finally {
    exit.unwatch();
    end.unwatch();
  }
}

async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(resolve(path)).href;
  if (!/\.[cm]?ts$/.test(path)) return await import(url);
  const { tsImport } = await import('tsx/esm/api');
  return await tsImport(url, import.meta.url);
}

/** A module that ended the process while it is loaded would pass for a check that found nothing: that is refused, also if it catches the error. */
function watchExit() {
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
    unwatch: () => {
      process.exit = exit;
    },
  };
}

/** A module may wait at its top level for what never comes: nothing is left to happen then, or it takes too long. */
function watchEnd() {
  let reject: (error: Error) => void = () => {};
  const came = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  const idle = () => reject(new Error('it waits at its top level for what never comes'));
  const timer = setTimeout(() => reject(new Error(`it has not come to its end within ${patience} s`)), patience * 1000);
  timer.unref(); // else something would always be left to happen
  process.once('beforeExit', idle);
  return {
    came,
    unwatch: () => {
      clearTimeout(timer);
      process.off('beforeExit', idle);
    },
  };
}
