/** The found worlds: vectors, compared exactly; a hash table finds them. */

import { pageBits } from '../src/exploration/kernel/layout';
import { full } from './host';
import { allocate, release } from './memory';

/**
 * A record is a step that is not yet looked up: hash, action, source, whether a number of its target needs more than 16 bits; then the target, two
 * numbers a word, or if it is wide one.
 */
export const hashAt: usize = 0;
export const actionAt: usize = 4;
export const sourceAt: usize = 8;
export const wideAt: usize = 12;
export const worldAt: usize = 16;
export let recordBytes: usize = 0;

const pageSize: u32 = 1 << pageBits;
const inPage: usize = pageSize - 1;
/** A page: by world its predecessor and the action that led to it, then the worlds. Its address plus one, if the worlds are wide. */
const originBytes: usize = 8 * pageSize;
const mostPages: u32 = 16_384;
export const directory = memory.data(4 * mostPages);
/** The bytes of a world in a page. */
let narrowBytes: usize = 0;
let wideBytes: usize = 0;

export let size: u32 = 0;
/** Open addressing: hash and number + 1 of a world, 0 for a free cell. */
let table: usize = 0;
let mask: u32 = 4095;
/** Of the reads of {@link touch}: without a use, a compiler may remove them. */
export let touched: u32 = 0;

/** Prepares for worlds of so many numbers, and removes those of an earlier search. */
export function prepareWorlds(width: i32): void {
  const words: usize = (width + 1) >> 1;
  for (let page: u32 = 0; page << pageBits < size; page++) {
    const entry = load<usize>(directory + (page << 2));
    release(entry & ~1, originBytes + ((entry & 1 ? wideBytes : narrowBytes) << pageBits));
  }
  if (table !== 0) release(table, (mask + 1) << 3);
  narrowBytes = words << 2;
  wideBytes = words << 3;
  recordBytes = worldAt + wideBytes;
  size = 0;
  mask = 4095;
  table = allocate((mask + 1) << 3);
}

/** Reads what {@link add} will read of the records from `from` on: the waits for memory overlap. */
export function touch(from: usize, end: usize): void {
  let sum: u32 = 0;
  for (let record = from; record < end; record += recordBytes) sum += load<u32>(table + ((load<u32>(record) & mask) << 3));
  for (let record = from; record < end; record += recordBytes) {
    const hash = load<u32>(record);
    const cell = table + ((hash & mask) << 3);
    const next = load<u32>(cell, 4);
    if (next === 0 || load<u32>(cell) !== hash) continue;
    const entry = load<usize>(directory + (((next - 1) >> pageBits) << 2));
    sum += load<u32>(rowOf(entry, next - 1));
  }
  touched = sum;
}

/** Where a page with this entry of the directory keeps world `id`. */
function rowOf(entry: usize, id: usize): usize {
  return (entry & ~1) + originBytes + (id & inPage) * (entry & 1 ? wideBytes : narrowBytes);
}

/** Adds the target of a record. The number of the world, which is new if it equals the size before. */
export function add(record: usize): u32 {
  const hash = load<u32>(record);
  let place = hash & mask;
  while (true) {
    const next = load<u32>(table + (place << 3), 4);
    if (next === 0) break;
    if (load<u32>(table + (place << 3)) === hash && isSame(next - 1, record)) return next - 1;
    place = (place + 1) & mask;
  }
  const entry = pageFor(record);
  const row = <usize>size & inPage;
  store<u64>((entry & ~1) + (row << 3), (load<u64>(record, actionAt) << 32) | (load<u64>(record, actionAt) >>> 32));
  if (entry & 1) write(rowOf(entry, size), record);
  else copy(rowOf(entry, size), record + worldAt, narrowBytes);
  const id = size;
  if ((id + 1) << 1 > mask) {
    growTable();
    place = hash & mask;
    while (load<u32>(table + (place << 3), 4) !== 0) place = (place + 1) & mask;
  }
  store<u32>(table + (place << 3), hash);
  store<u32>(table + (place << 3), id + 1, 4);
  size++;
  return id;
}

/** The page for the next world, widened if the target of `record` needs it. */
function pageFor(record: usize): usize {
  const slot = directory + ((size >> pageBits) << 2);
  const isWide = load<u32>(record, wideAt) !== 0;
  if ((<usize>size & inPage) === 0) {
    if (size >> pageBits >= mostPages) full();
    const fresh = allocate(originBytes + ((isWide ? wideBytes : narrowBytes) << pageBits)) | (isWide ? 1 : 0);
    store<usize>(slot, fresh);
    return fresh;
  }
  const entry = load<usize>(slot);
  if (!isWide || entry & 1) return entry;
  const wider = allocate(originBytes + (wideBytes << pageBits));
  memory.copy(wider, entry, originBytes);
  const rows = <usize>size & inPage;
  for (let row: usize = 0; row < rows; row++) widen(rowOf(wider | 1, row), rowOf(entry, row));
  release(entry, originBytes + (narrowBytes << pageBits));
  store<usize>(slot, wider | 1);
  return wider | 1;
}

function widen(to: usize, from: usize): void {
  for (let at: usize = 0; at < narrowBytes; at += 2) store<u32>(to + (at << 1), load<u16>(from + at));
}

/** Writes the target of a record as a wide world. */
function write(to: usize, record: usize): void {
  if (load<u32>(record, wideAt) !== 0) copy(to, record + worldAt, wideBytes);
  else widen(to, record + worldAt);
}

/** Faster than memory.copy for so few words. */
export function copy(to: usize, from: usize, length: usize): void {
  for (let at: usize = 0; at < length; at += 4) store<u32>(to + at, load<u32>(from + at));
}

function isSame(id: u32, record: usize): boolean {
  const entry = load<usize>(directory + ((id >> pageBits) << 2));
  const isWide = load<u32>(record, wideAt) !== 0;
  if (entry & 1) {
    const row = rowOf(entry, id);
    if (isWide) {
      for (let at: usize = 0; at < wideBytes; at += 4) if (load<u32>(row + at) !== load<u32>(record + worldAt + at)) return false;
      return true;
    }
    for (let at: usize = 0; at < narrowBytes; at += 2) if (load<u32>(row + (at << 1)) !== load<u16>(record + worldAt + at)) return false;
    return true;
  }
  if (isWide) return false;
  const row = rowOf(entry, id);
  for (let at: usize = 0; at < narrowBytes; at += 4) if (load<u32>(row + at) !== load<u32>(record + worldAt + at)) return false;
  return true;
}

/** Copies world `id` as numbers of 32 bits. */
export function read(id: u32, into: usize): void {
  const entry = load<usize>(directory + ((id >> pageBits) << 2));
  if (entry & 1) copy(into, rowOf(entry, id), wideBytes);
  else widen(into, rowOf(entry, id));
}

function growTable(): void {
  if (mask >= 0x0fff_ffff) full(); // the next one would take all of the memory
  const old = table;
  const oldMask = mask;
  const wider = allocate((oldMask + 1) << 4);
  table = wider;
  mask = 2 * oldMask + 1;
  for (let place: u32 = 0; place <= oldMask; place++) {
    const cell = load<u64>(old + (place << 3));
    if (cell === 0) continue;
    let to = <u32>cell & mask;
    while (load<u64>(wider + (to << 3)) !== 0) to = (to + 1) & mask;
    store<u64>(wider + (to << 3), cell);
  }
  release(old, (oldMask + 1) << 3);
}
