import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf, fileNameOf, onDisk, syncFolder } from '@conclave/core/internal/embedding/node';
import { Observable } from 'rxjs';
import type { Store } from './store.js';

/** How many texts of a name are kept: a write that is older than these is noticed. */
const kept = 10;
/** What a process that was killed while it wrote has left. */
const abandonedAfter = 60_000;
const width = 15;

let written = 0;

/**
 * Ticks in a folder, for the processes of one machine. It is made. Each name has a folder in it, in
 * which each text is a file with the next number: the file system lets one process only make it. The
 * last ten are kept. Who gives up a name deletes its folder: without it, ticks count anew.
 *
 * Use a file system of this machine, with hard links, on a disk that keeps what it has confirmed.
 *
 * @throws {ConclaveError} by `read` and `write`: `unavailable`, with the path and the reason, where
 * the file system fails.
 * @example once(lock, 'report', { every: '1h' }, report, { store: fileStore('data/ticks') });
 */
export function fileStore(folder: string): Store {
  const root = resolve(folder);
  const folderOf = (name: string) => join(root, fileNameOf(name));
  return {
    read: (name) => {
      const place = folderOf(name);
      return onDisk(`The ticks in '${place}' cannot be read`, () => last(place).text);
    },
    write: (name, next, previous) => {
      const place = folderOf(name);
      return onDisk(`The ticks in '${place}' cannot be written`, () => {
        mkdirSync(place, { recursive: true });
        const { number, text } = last(place);
        return text === previous && append(place, number + 1, next);
      });
    },
    watch: (name) =>
      new Observable((subscriber) => {
        const place = folderOf(name);
        mkdirSync(place, { recursive: true });
        const watcher = watch(place, (_, file) => isNumber(file) && subscriber.next(undefined));
        watcher.on('error', (error) => subscriber.error(error));
        subscriber.next(undefined);
        return () => watcher.close();
      }),
  };
}

const isNumber = (file: string | null) => /^\d+$/.test(file ?? '');

const numbersIn = (folder: string): readonly number[] =>
  namesIn(folder)
    .filter(isNumber)
    .map(Number)
    .sort((one, other) => one - other);

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

const fileOf = (folder: string, number: number): string =>
  join(folder, String(number).padStart(width, '0'));

function last(folder: string): { readonly number: number; readonly text: string | undefined } {
  for (;;) {
    const number = numbersIn(folder).at(-1);
    if (number === undefined) return { number: 0, text: undefined };
    try {
      return { number, text: readFileSync(fileOf(folder, number), 'utf8') };
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error; // ten others were written meanwhile
    }
  }
}

/** Makes the file of this number, whole and on the disk, unless there is or was one. */
export function append(folder: string, number: number, text: string): boolean {
  const temporary = join(folder, `next-${process.pid}-${written++}-${performance.timeOrigin}`);
  const file = fileOf(folder, number);
  try {
    writeDurably(temporary, text);
    linkSync(temporary, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  const numbers = numbersIn(folder);
  if ((numbers.at(-1) ?? number) >= number + kept) {
    rmSync(file, { force: true }); // this process was paused for so long that its number was removed
    return false;
  }
  syncFolder(folder);
  for (const old of numbers) if (old <= number - kept) rmSync(fileOf(folder, old), { force: true });
  for (const name of namesIn(folder))
    if (isAbandoned(folder, name)) rmSync(join(folder, name), { force: true });
  return true;
}

function writeDurably(file: string, text: string): void {
  const handle = openSync(file, 'wx');
  try {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function isAbandoned(folder: string, name: string): boolean {
  if (!name.startsWith('next-')) return false;
  const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
  return mtimeMs !== undefined && Date.now() - mtimeMs > abandonedAfter;
}
