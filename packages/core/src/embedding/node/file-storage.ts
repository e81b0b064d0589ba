import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { badInput } from '../../protocol/error.js';
import type { StableRecord, StableStorage } from '../storage.js';
import { lockFile, textIn, writeDurably } from './file-lock.js';

/** The version of the file format. */
const version = 1;

/**
 * Stable storage in the file at `path`, for one node at a time: `path.lock` names the process that has it, and is taken over when that process
 * has ended. Folders are made.
 *
 * A write makes a new file beside it, forces it to the disk, renames it, and forces the folder: after a crash the file holds the record before,
 * or the new one, and never a part. It has a checksum. Use a file system of this machine: over a network the lock and the order of writes may not
 * hold.
 *
 * @throws {ConclaveError} `bad-input` where another process has it. `read`: `bad-input` where the file is damaged. `write`: `lost` where another
 * process has taken it over.
 * @example embed(protocol, { self: 'a', peers, transport, storage: fileStorage('data/a') });
 */
export function fileStorage(path: string): StableStorage {
  const file = resolve(path);
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true });
  const lock = lockFile(`${file}.lock`);
  const next = `${file}.next`;
  return {
    read: () => {
      const text = textIn(file);
      return text === undefined ? undefined : recordIn(file, text);
    },
    write: (record) => {
      lock.check();
      writeDurably(next, textOf(record));
      renameSync(next, file);
      syncFolder(folder);
    },
    close: lock.release,
  };
}

/** One line: the version, the checksum, the record. */
function textOf(record: StableRecord): string {
  const text = JSON.stringify(record);
  return `conclave-stable ${version} ${checksum(text)} ${text}\n`;
}

function recordIn(file: string, text: string): StableRecord {
  const damaged = (what: string) =>
    badInput(
      `The stable storage '${file}' ${what}`,
      'Restore it. Without it the node has forgotten what it promised: remove it only with all nodes stopped.',
    );
  const [, its, sum, record] = /^conclave-stable (\d+) ([0-9a-f]{64}) (.*)\n$/s.exec(text) ?? [];
  if (record === undefined) throw damaged('is damaged');
  if (Number(its) !== version) throw damaged(`has the format ${its}, and this program writes ${version}`);
  if (checksum(record) !== sum) throw damaged('is damaged: its checksum is wrong');
  return JSON.parse(record) as StableRecord; // as the checksum proves
}

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Makes the new name of the file durable. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return; // there a folder cannot be opened, and a rename is journalled
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
