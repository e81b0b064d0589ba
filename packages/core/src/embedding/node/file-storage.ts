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
import { badInput, type ConclaveError } from '../../base/error.js';
import { RecordText, type StableRecord, type StableStorage } from '../storage.js';
import { codeOf, onDisk } from './disk-error.js';
import { type FileLock, lockedBy, lockFile } from './file-lock.js';

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

// The content of a storage file: two slots of equal size, each with one record. Record n is in slot
// n mod 2, so that a write leaves the record before as it is. When a write has returned, the record
// before is marked as replaced. Thus a slot that cannot be read is told apart: where the other one
// is not marked, a write was under way, and the other one has the last record; where it is marked,
// the last record is lost.

/** The version of the file format. */
const version = 2;

/**
 * A slot begins and ends where a page of the disk does, so that a torn write of one slot leaves the
 * other.
 */
const page = 4096;
/** The last bytes of a slot are for the mark. */
const markLength = 32;
/** No head of a line is longer. */
const longestHead = 160;

interface Slot {
  /** In bytes. */
  readonly size: number;
  /** The number of its record, from 0. */
  readonly sequence: number;
}

/** The number of bytes of a slot for a record with this text. */
const slotSize = (text: string): number =>
  Math.ceil((Buffer.byteLength(text) + longestHead + markLength) / page) * page;

/**
 * One line: the version, the size of the slot, the number of the record, the checksum, the record.
 * The rest is zero.
 */
function slotOf({ size, sequence }: Slot, text: string): Buffer {
  const bytes = Buffer.alloc(size);
  const head = `${size} ${sequence}`;
  bytes.write(`conclave-stable ${version} ${head} ${checksum(`${head} ${text}`)} ${text}\n`);
  return bytes;
}

/** A new file: the slot of its first record, and an empty one. */
const fileOf = (slot: Slot, text: string): Buffer =>
  Buffer.concat([slotOf(slot, text), Buffer.alloc(slot.size)]);

/**
 * What is written to a slot, `at` bytes from its beginning, when the record after it is on the
 * disk.
 */
function markOf({ size, sequence }: Slot): { readonly bytes: Buffer; readonly at: number } {
  const bytes = Buffer.alloc(markLength);
  bytes.write(`replaced ${sequence}\n`);
  return { bytes, at: size - markLength };
}

interface Found extends Slot {
  readonly record: string;
  /** Whether the record after it has been on the disk. */
  readonly replaced: boolean;
}

/**
 * The last record of a file.
 *
 * @throws {ConclaveError} `bad-input` where it is damaged, or has another format.
 */
export function newest(file: string, content: Buffer): StableRecord {
  const its = /^conclave-stable (\d+) /.exec(content.toString('latin1', 0, 40))?.[1];
  const size = content.length / 2;
  const [even, odd] = [0, 1].map((place) => foundIn(content, place, size));
  if (!even && !odd && its !== undefined && Number(its) !== version) throw otherFormat(file, its);
  if (even && odd && Math.abs(even.sequence - odd.sequence) !== 1)
    throw damaged(file, 'its two records do not follow each other');
  const last = even && odd ? (even.sequence > odd.sequence ? even : odd) : (even ?? odd);
  if (!last) throw damaged(file, 'it has no record');
  if (last.replaced) throw damaged(file, `record ${last.sequence + 1} is lost`);
  return JSON.parse(last.record) as StableRecord; // as the checksum proves
}

/**
 * What is in a slot; undefined where nothing has been written, or not all of it, or where it is
 * damaged.
 */
function foundIn(content: Buffer, place: number, size: number): Found | undefined {
  const slot = content.subarray(place * size, (place + 1) * size);
  const [, head, its, number, sum, record] =
    /^conclave-stable 2 ((\d+) (\d+)) ([0-9a-f]{64}) (.*)$/.exec(
      slot.toString('utf8', 0, Math.max(0, slot.indexOf('\n'))),
    ) ?? [];
  if (record === undefined || checksum(`${head} ${record}`) !== sum) return undefined;
  const sequence = Number(number);
  if (Number(its) !== size || sequence % 2 !== place) return undefined;
  const { bytes, at } = markOf({ size, sequence });
  return { size, sequence, record, replaced: slot.subarray(at).equals(bytes) };
}

const damaged = (file: string, why: string): ConclaveError =>
  badInput(
    `The stable storage '${file}' is damaged: ${why}`,
    'Restore it. Without it the node has forgotten what it promised: remove it only with all nodes stopped.',
  );

const otherFormat = (file: string, its: string): ConclaveError =>
  badInput(
    `The stable storage '${file}' has the format ${its}, and this program reads ${version}`,
    'Run the version of Conclave that wrote it, or stop all nodes and remove the storage of each.',
  );

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex');
