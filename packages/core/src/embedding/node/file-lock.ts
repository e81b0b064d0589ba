/**
 * A lock file: which process uses another file. It appears with all of its content at once, as a hard
 * link to a file that is complete, so nobody finds half of it. A process that was killed leaves it
 * behind. Another one takes it over if it knows that the owner has ended: it renames the file first,
 * since only a file that no other process can reach is still the one that it has looked at.
 */
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { badInput, ConclaveError } from '../../base/error.js';
import { codeOf } from './disk-error.js';

/** The process that has a lock file. */
interface Owner {
  readonly host: string;
  readonly pid: number;
  /**
   * When the process was started, and which start of the machine it was: a pid is used again. Null
   * where the system does not tell.
   */
  readonly started: string | null;
}

/** A file that says which process uses another one. */
export interface FileLock {
  /** @throws {ConclaveError} `lost` where another process has taken it over. */
  check(): void;
  release(): void;
}

/** Tells the lock files of this process from each other: each has the next number. */
let number = 0;

/**
 * Takes the lock file at `path`, also from a process that has ended without giving it back.
 *
 * @throws {ConclaveError} `bad-input` where a process has it that lives, or runs on another
 * machine.
 */
export function lockFile(path: string): FileLock {
  const me: Owner = { host: hostname(), pid: process.pid, started: startOf(process.pid) };
  const text = `${JSON.stringify({ ...me, number: ++number })}\n`;
  for (let attempt = 0; attempt < 10; attempt++) {
    if (create(path, text))
      return { check: () => requireText(path, text), release: () => release(path, text) };
    takeOver(path);
  }
  throw badInput(
    `The lock file '${path}' is taken again and again by other processes`,
    'Give each node a path of its own.',
  );
}

/** Which process uses what the lock file at `path` protects, as text; undefined where none does. */
export function lockedBy(path: string): string | undefined {
  const found = textIn(path);
  if (found === undefined) return undefined;
  const { host, pid, started } = ownerIn(path, found);
  if (host !== hostname()) return `process ${pid} of machine ${host}`;
  const now = isAlive(pid) ? startOf(pid) : undefined;
  return now === undefined || (started !== null && now !== null && now !== started)
    ? undefined
    : `process ${pid}`;
}

/** Creates the file with all of its content at once; false where it exists. */
function create(path: string, text: string): boolean {
  const own = `${path}.${process.pid}.${number}`;
  try {
    writeDurably(own, text);
    linkSync(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Removes the lock file of a process that has ended. */
function takeOver(path: string): void {
  const found = textIn(path);
  if (found === undefined) return; // given back just now
  const owner = ownerIn(path, found);
  requireEnded(path, owner);
  // Another process may have taken it over since: what is removed must be what was looked at.
  const aside = `${path}.${process.pid}.${number}.ended`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    if (textIn(aside) !== found) linkSync(aside, path);
  } catch (error) {
    // a third process has it: the one before finds out when it writes
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    unlinkSync(aside);
  }
}

function requireEnded(path: string, { host, pid, started }: Owner): void {
  const refuse = (who: string, cure: string) =>
    badInput(`The file that '${path}' protects is used by ${who}`, cure);
  if (host !== hostname())
    throw refuse(
      `process ${pid} of machine ${host}`,
      'If that machine does not run it any longer, remove the lock file.',
    );
  if (pid === process.pid && started === startOf(pid))
    throw refuse(
      'this process',
      'Close the node that has it, or give each node a path of its own.',
    );
  if (!isAlive(pid)) return;
  const now = startOf(pid);
  // another process with the same pid
  if (started !== null && now !== null && now !== started) return;
  throw refuse(`process ${pid}, which runs`, 'Stop it, or give each node a path of its own.');
}

function requireText(path: string, text: string): void {
  if (textIn(path) === text) return;
  throw new ConclaveError(
    'lost',
    `Another process has taken over the lock file '${path}'`,
    'Give each node a path of its own.',
  );
}

function release(path: string, text: string): void {
  if (textIn(path) === text) unlinkSync(path);
}

function ownerIn(path: string, text: string): Owner {
  try {
    const { host, pid, started } = JSON.parse(text) as Partial<Owner>;
    if (
      typeof host === 'string' &&
      typeof pid === 'number' &&
      (typeof started === 'string' || started === null)
    )
      return { host, pid, started };
  } catch {
    // It is no JSON.
  }
  throw badInput(`The lock file '${path}' cannot be read`, 'If no process uses it, remove it.');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // the process of another user cannot be sent a signal, but it lives
    return codeOf(error) !== 'ESRCH';
  }
}

/** On Linux: the start of the machine, and the time of the process's start since then. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name of the program may contain blanks
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // field 22 of proc(5): starttime
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`;
  } catch {
    return null;
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'w');
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The content of a file; undefined where there is none. */
function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
