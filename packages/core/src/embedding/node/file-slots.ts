/**
 * The content of a storage file: two slots of equal size, each with one record. Record n is in slot
 * n mod 2, so that a write leaves the record before as it is. When a write has returned, the record
 * before is marked as replaced. Thus a slot that cannot be read is told apart: where the other one
 * is not marked, a write was under way, and the other one has the last record; where it is marked,
 * the last record is lost.
 */
import { createHash } from 'node:crypto';
import { badInput, type ConclaveError } from '../../base/error.js';
import type { StableRecord } from '../storage.js';

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

export interface Slot {
  /** In bytes. */
  readonly size: number;
  /** The number of its record, from 0. */
  readonly sequence: number;
}

/** The number of bytes of a slot for a record with this text. */
export const slotSize = (text: string): number =>
  Math.ceil((Buffer.byteLength(text) + longestHead + markLength) / page) * page;

/**
 * One line: the version, the size of the slot, the number of the record, the checksum, the record.
 * The rest is zero.
 */
export function slotOf({ size, sequence }: Slot, text: string): Buffer {
  const bytes = Buffer.alloc(size);
  const head = `${size} ${sequence}`;
  bytes.write(`conclave-stable ${version} ${head} ${checksum(`${head} ${text}`)} ${text}\n`);
  return bytes;
}

/** A new file: the slot of its first record, and an empty one. */
export const fileOf = (slot: Slot, text: string): Buffer =>
  Buffer.concat([slotOf(slot, text), Buffer.alloc(slot.size)]);

/**
 * What is written to a slot, `at` bytes from its beginning, when the record after it is on the
 * disk.
 */
export function markOf({ size, sequence }: Slot): { readonly bytes: Buffer; readonly at: number } {
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
