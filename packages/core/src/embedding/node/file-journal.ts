import { closeSync, ftruncateSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ConclaveError } from '../../base/error.js';
import { schemas } from '../../options/schemas.js';
import type { NodeId } from '../../protocol/node.js';
import { checkOptions } from '../../schema/check.js';
import { gapLine } from '../../trace/journal-text.js';
import { Inbox } from '../inbox.js';
import type { Journal } from '../journal.js';
import { codeOf, cureOf, diskError } from './disk-error.js';

type FileJournalOptions = NonNullable<Parameters<typeof fileJournal>[2]>;

const { optional, optionsOf } = schemas;
const fileJournalOptions = optionsOf<FileJournalOptions>({
  flushAfter: optional(schemas.measure('milliseconds')),
  buffer: optional(schemas.positive),
  rotateAfter: optional(schemas.positive),
  required: optional(schemas.flag),
});

/** The ending of the files. */
export const journalEnding = '.journal';

/** Between two reports of lost lines, in milliseconds. */
const [leastPause, mostPause] = [1000, 600_000];

/** The journals to be written when the process exits. */
const open = new Set<FileJournal>();
const writeAll = () => {
  for (const journal of open) journal.flush();
};

/**
 * A journal in `folder`: a new file for each start of `node`, `<node>.<number>.journal`. Lines are
 * buffered. They are written at the latest 50 ms later, when the journal is closed, and when the
 * process exits by itself. A SIGKILL loses what is buffered. With `rotateAfter` further files
 * follow, which `conform` joins.
 *
 * Where lines are lost, as on a full disk, `errors$` tells how many, at growing pauses.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take;
 * `unavailable` where the file cannot be made.
 * @example embed(protocol, { self: 'a', peers, transport, journal: fileJournal('journals', 'a') });
 */
export function fileJournal(
  folder: string,
  node: NodeId,
  options: {
    /** What is buffered is written after so many milliseconds. Default 50. */
    readonly flushAfter?: number;
    /** Or when it has so many characters. Default 65536. */
    readonly buffer?: number;
    /**
     * From so many bytes on, the next file begins: `a.1+2.journal` after `a.1.journal`. Default: one
     * file for each start.
     */
    readonly rotateAfter?: number;
    /**
     * Whether the node stops when its journal cannot be written. Default: it goes on, and the journal
     * says that it has a gap.
     */
    readonly required?: boolean;
  } = {},
): Journal {
  return new FileJournal(folder, node, options);
}

class FileJournal implements Journal {
  readonly required: boolean;
  readonly #errors = new Inbox<ConclaveError>();
  readonly errors$ = this.#errors.items$;
  /** Of the file that is written now. */
  path: string;
  #file: number;
  #rotateAfter: number;
  #pieces = 1;
  readonly #flushAfter: number;
  readonly #most: number;
  #lines: string[] = [];
  #size = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Lines that are lost since the last ones that were written. */
  #lost = 0;
  #why = '';
  /** No loss is reported before this time, and the pause that it ends. Both in milliseconds. */
  #quietUntil = 0;
  #pause = 0;
  /** Of the whole lines in the file, in bytes. */
  #length = 0;

  constructor(folder: string, node: NodeId, options: FileJournalOptions) {
    checkOptions('fileJournal', fileJournalOptions, options);
    const {
      flushAfter = 50,
      buffer = 65_536,
      rotateAfter = Number.POSITIVE_INFINITY,
      required = false,
    } = options;
    this.#rotateAfter = rotateAfter;
    this.#flushAfter = flushAfter;
    this.#most = buffer;
    this.required = required;
    try {
      mkdirSync(folder, { recursive: true });
      [this.path, this.#file] = newFile(folder, encodeURIComponent(node));
    } catch (error) {
      throw diskError(`The journal of node ${node} cannot be made in '${folder}'`, error);
    }
    if (open.size === 0) process.on('exit', writeAll);
    open.add(this);
  }

  append(line: string): void {
    if (!open.has(this)) return;
    this.#lines.push(line);
    this.#size += line.length;
    if (this.#size >= this.#most) return this.flush();
    this.#timer ??= setTimeout(() => this.flush(), this.#flushAfter).unref();
  }

  /** Writes what is buffered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    if (lines.length === 0) return;
    this.#lines = [];
    this.#size = 0;
    const gap = this.#lost > 0 ? `${gapLine(this.#lost, this.#why)}\n` : '';
    const bytes = Buffer.from(`${gap}${lines.join('\n')}\n`);
    let written = 0;
    try {
      while (written < bytes.length)
        written += writeSync(
          this.#file,
          bytes,
          written,
          bytes.length - written,
          this.#length + written,
        );
      this.#length += written;
      this.#lost = 0;
    } catch (error) {
      this.#failed(bytes.subarray(0, written), lines.length, error);
    }
    if (this.#length >= this.#rotateAfter && this.#lost === 0) this.#rotate();
  }

  close(): Promise<void> {
    if (open.delete(this)) {
      if (open.size === 0) process.off('exit', writeAll);
      this.flush();
      closeSync(this.#file);
      this.#errors.close();
    }
    return Promise.resolve();
  }

  /** Where the next file cannot be made, this one goes on. */
  #rotate(): void {
    const path = this.path.replace(/(\+\d+)?\.journal$/, `+${this.#pieces + 1}${journalEnding}`);
    try {
      const file = openSync(path, 'wx');
      closeSync(this.#file);
      this.#file = file;
    } catch (error) {
      this.#rotateAfter = Number.POSITIVE_INFINITY;
      if (this.required) return; // its errors stop the node, and no line is lost
      const cure = `${this.path} goes on, and is not rotated again. ${cureOf(error)}`;
      this.#errors.put(diskError(`The journal ${path} cannot be made`, error, cure));
      return;
    }
    this.path = path;
    this.#pieces++;
    this.#length = 0;
  }

  /** `written`: what was written before the error. */
  #failed(written: Buffer, lines: number, error: unknown): void {
    const whole = written.reduce((count, byte) => count + (byte === newLine ? 1 : 0), 0);
    this.#length += written.lastIndexOf(newLine) + 1;
    this.#cut();
    if (this.#lost === 0) this.#lost = lines - whole;
    else this.#lost = whole === 0 ? this.#lost + lines : lines - (whole - 1); // the first line is that of the gap
    this.#why = textOf(error);
    if (!this.#isDue()) return;
    const what = `The journal ${this.path} cannot be written (lost lines: ${this.#lost})`;
    const cure = `${cureOf(error)} The journal has a gap from here on.`;
    this.#errors.put(diskError(what, error, cure));
  }

  /** Whether to report a loss: at growing pauses, until none is due for a whole one. */
  #isDue(): boolean {
    const now = performance.now();
    if (now < this.#quietUntil) return false;
    const isNew = now > this.#quietUntil + this.#pause;
    this.#pause = isNew ? leastPause : Math.min(2 * this.#pause, mostPause);
    this.#quietUntil = now + this.#pause;
    return true;
  }

  /** Takes the beginning of a line off the end of the file. */
  #cut(): void {
    try {
      ftruncateSync(this.#file, this.#length);
    } catch {
      // the next line is written over it
    }
  }
}

const newLine = 10;

/** A file that is not there yet: two processes never share one. */
function newFile(folder: string, name: string): [path: string, file: number] {
  const taken = readdirSync(folder).flatMap((file) => {
    const number =
      file.startsWith(`${name}.`) && file.endsWith(journalEnding)
        ? file.slice(name.length + 1, -journalEnding.length)
        : '';
    return /^\d+$/.test(number) ? [Number(number)] : [];
  });
  for (let number = Math.max(0, ...taken) + 1; ; number++) {
    const path = join(folder, `${name}.${number}${journalEnding}`);
    try {
      return [path, openSync(path, 'wx')];
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
