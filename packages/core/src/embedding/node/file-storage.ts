import { createHash } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { badInput } from '../../base/error.js';
import { RecordText } from '../record-text.js';
import type { StableRecord, StableStorage } from '../storage.js';
import { codeOf, onDisk } from './file-error.js';
import { type FileLock, lockedBy, lockFile } from './file-lock.js';
import { fileOf, markOf, newest, type Slot, slotOf, slotSize } from './file-slots.js';

/**
 * Stable storage in the file at `path`, for one node at a time: `path.lock` names the process that
 * has it, and is taken over when that process has ended. Folders are made.
 *
 * The file has two slots. A write replaces the older record in place and forces it to the disk by
 * one `fdatasync`; the first write of a process, and one of a record too large for its slot, make a
 * new file and rename it. `read` gives the last record whose write has returned, or the one that
 * was under way when the process or the machine stopped. Damage of the file is an error, with one
 * exception: where the slot of the last record is damaged before the mark that its write had
 * returned is on the disk, it looks like a write under way, and `read` gives the record before. The
 * mark is on the disk with the next write or `close`, or when the system writes back its cache, on
 * Linux within about 30 s.
 *
 * Use a file system of this machine, on a disk that keeps what it has confirmed: over a network the
 * lock and the order of writes may not hold.
 *
 * @throws {ConclaveError} `bad-input` where another process has it; `unavailable`, with the path and
 * the reason, where the file system fails, such as by ENOSPC. `read`: `bad-input` where the file is
 * damaged or has another format; `unavailable`. `write`: `lost` where another process has taken it
 * over; `unavailable`: then the record may be stored or not.
 * @example embed(protocol, { self: 'a', peers, transport, storage: fileStorage('data/a') });
 */
export function fileStorage(path: string): StableStorage {
  const file = resolve(path);
  return onDisk(`The storage '${file}' cannot be opened`, () => {
    mkdirSync(dirname(file), { recursive: true });
    return new FileStorage(file, lockFile(`${file}.lock`));
  });
}

/**
 * What is in the file at `path`, without taking it, and the process that has it: for tools that
 * look at a node from outside.
 *
 * @throws {ConclaveError} `bad-input` where there is no such file, or it is damaged; `unavailable`
 * where it cannot be read.
 */
export function inspectStorage(path: string): {
  readonly record: StableRecord;
  readonly usedBy: string | undefined;
} {
  const file = resolve(path);
  return onDisk(cannotRead(file), () => {
    try {
      return { record: newest(file, readFileSync(file)), usedBy: lockedBy(`${file}.lock`) };
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EISDIR') throw error;
      throw badInput(
        `There is no storage in '${path}'`,
        "Give the files that fileStorage wrote, such as data/a; of locks, the file 'name--node'.",
      );
    }
  });
}

/**
 * One file in `folder` for each name: `name-` and the name, where each byte of its UTF-8 other than
 * a–z, 0–9, `_` and `-` is written as `%` and two hexadecimal digits. A name that would take more
 * than 150 characters is cut, and ends with its SHA-256.
 *
 * @throws {ConclaveError} as {@link fileStorage}; `bad-input` where the name is no well-formed
 * text.
 * @example locks({ self: 'a', peers, transport, storage: fileStorages('data/a') });
 */
export function fileStorages(folder: string): (name: string) => StableStorage {
  return (name) => fileStorage(join(folder, fileNameOf(name)));
}

/** No two names share one, also where upper and lower case are the same. */
export function fileNameOf(name: string): string {
  const bytes = Buffer.from(name);
  if (bytes.toString() !== name)
    throw badInput(
      `The name ${JSON.stringify(name)} has half of a character`,
      'Give a well-formed text.',
    );
  const text = bytes
    .toString('latin1')
    .replace(/[^a-z0-9_-]/g, (char) => `%${Buffer.from(char, 'latin1').toString('hex')}`);
  return `name-${text.length > 150 ? `${text.slice(0, 80)}.${createHash('sha256').update(bytes).digest('hex')}` : text}`;
}

/**
 * Thousands of names are no thousands of open files: the one that was opened first is closed until
 * its next write.
 */
const mostOpen = 256;
const withHandle = new Set<FileStorage>();

class FileStorage implements StableStorage {
  /** Where the last record is, in a file that this process has made. */
  #last: Slot | undefined;
  #handle: number | undefined;
  #staged: StableRecord | undefined;
  readonly #texts = new RecordText();

  constructor(
    private readonly file: string,
    private readonly lock: FileLock,
  ) {}

  read(): StableRecord | undefined {
    return onDisk(cannotRead(this.file), () => {
      try {
        return newest(this.file, readFileSync(this.file));
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw error;
      }
    });
  }

  stage(record: StableRecord): void {
    this.#staged = record;
  }

  commit(): void {
    if (this.#staged) this.write(this.#staged);
  }

  write(record: StableRecord): void {
    this.#staged = undefined;
    const text = this.#texts.of(record);
    const last = this.#last;
    onDisk(cannotWrite(this.file), () => {
      this.lock.check();
      // where this write fails, what the disk holds is not known: the next one makes a new file
      this.#last = undefined;
      if (last && slotSize(text) <= last.size) this.#last = this.#overwrite(last, text);
      else this.#last = this.#replace(text);
    });
  }

  close(): void {
    onDisk(cannotWrite(this.file), () => {
      try {
        if (this.#last) fdatasyncSync(this.#opened());
      } finally {
        this.park();
        this.lock.release();
      }
    });
  }

  /** Closes the file until the next write. */
  park(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
    withHandle.delete(this);
  }

  /**
   * Writes over the older record, forces it to the disk, and then marks the record before as
   * replaced.
   */
  #overwrite(last: Slot, text: string): Slot {
    const next = { size: last.size, sequence: last.sequence + 1 };
    const handle = this.#opened();
    writeAll(handle, slotOf(next, text), positionOf(next));
    fdatasyncSync(handle);
    const { bytes, at } = markOf(last);
    writeAll(handle, bytes, positionOf(last) + at);
    return next;
  }

  /** Makes a new file of full size, so that no later write changes more than the content. */
  #replace(text: string): Slot {
    const slot = { size: slotSize(text), sequence: 0 };
    const temporary = `${this.file}.next`;
    this.park();
    try {
      const handle = this.#keep(openSync(temporary, 'w'));
      writeAll(handle, fileOf(slot, text), 0);
      fsyncSync(handle);
      renameSync(temporary, this.file);
      syncFolder(dirname(this.file));
    } catch (error) {
      this.park();
      rmSync(temporary, { force: true });
      throw error;
    }
    return slot;
  }

  #opened(): number {
    return this.#handle ?? this.#keep(openSync(this.file, 'r+'));
  }

  #keep(handle: number): number {
    this.#handle = handle;
    withHandle.add(this);
    if (withHandle.size > mostOpen) withHandle.values().next().value?.park();
    return handle;
  }
}

const cannotRead = (file: string): string => `The storage '${file}' cannot be read`;
const cannotWrite = (file: string): string => `The storage '${file}' cannot be written`;

const positionOf = ({ size, sequence }: Slot): number => (sequence % 2) * size;

function writeAll(handle: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; )
    at += writeSync(handle, bytes, at, bytes.length - at, position + at);
}

/** Makes the new name of the file durable. */
export function syncFolder(folder: string): void {
  // there a folder cannot be opened, and a rename is journalled
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
