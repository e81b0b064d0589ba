/** The found worlds: vectors, compared exactly; a hash table finds them. */

import * as word from '../src/search/kernel/format/record';
import { pageBits } from '../src/search/kernel/format/search';
import { addElsewhere, readElsewhere } from './host';
import { allocate, attempt, release } from './memory';

/** The offsets in a record: a step that is not yet looked up. */
export const hashAt: usize = word.hash << 2;
export const actionAt: usize = word.action << 2;
export const sourceAt: usize = word.source << 2;
export const kindAt: usize = word.kind << 2;
export const worldAt: usize = word.world << 2;
export let recordBytes: usize = 0;

const pageSize: u32 = 1 << pageBits;
const inPage: usize = pageSize - 1;
/**
 * A page: by world its predecessor and the action that led to it, then the worlds. Its address plus
 * one, if the worlds are wide.
 */
const originBytes: usize = 8 * pageSize;
const mostPages: u32 = 16_384;
export const directory = memory.data(4 * mostPages);
/** The bytes of a world in a page. */
let narrowBytes: usize = 0;
let wideBytes: usize = 0;

/** How many worlds there are, and how many of them are in this memory: the first ones. */
export let size: u32 = 0;
let local: u32 = 0;
/** Whether further worlds have to go to the next memory. */
let isFull = false;
/** So many bytes are for worlds; the rest is for tables and steps. */
let mostBytes: usize = 0;
/** Open addressing: hash and number + 1 of a world, 0 for a free cell. */
let table: usize = 0;
let mask: u32 = 4095;
/** Of the reads of {@link touch}: without a use, a compiler may remove them. */
export let touched: u32 = 0;

/**
 * Prepares for worlds of `width` numbers, which is the same in each search; the pages and the table
 * of an earlier one are used again.
 */
export function prepareWorlds(width: i32, most: usize): void {
  const words: usize = (width + 1) >> 1;
  narrowBytes = words << 2;
  wideBytes = words << 3;
  recordBytes = worldAt + wideBytes;
  size = 0;
  local = 0;
  isFull = false;
  mostBytes = most;
  if (table === 0) table = allocate((mask + 1) << 3);
  else memory.fill(table, 0, (mask + 1) << 3);
}

/** Reads what {@link add} will read of the records from `from` on: the waits for memory overlap. */
export function touch(from: usize, end: usize): void {
  let sum: u32 = 0;
  for (let record = from; record < end; record += recordBytes)
    sum += load<u32>(table + ((load<u32>(record) & mask) << 3));
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

/**
 * Adds the target of a record. The number of the world, which is new if it equals the size before.
 */
export function add(record: usize): u32 {
  const hash = load<u32>(record);
  let place = hash & mask;
  while (true) {
    const next = load<u32>(table + (place << 3), 4);
    if (next === 0) break;
    if (load<u32>(table + (place << 3)) === hash && isSame(next - 1, record)) return next - 1;
    place = (place + 1) & mask;
  }
  const entry = isFull ? 0 : pageFor(record);
  if (entry === 0) return addBehind(record);
  if ((local + 1) << 1 > mask) {
    if (!growTable()) return addBehind(record);
    place = hash & mask;
    while (load<u32>(table + (place << 3), 4) !== 0) place = (place + 1) & mask;
  }
  const row = <usize>local & inPage;
  store<u64>(
    (entry & ~1) + (row << 3),
    (load<u64>(record, actionAt) << 32) | (load<u64>(record, actionAt) >>> 32),
  );
  if (entry & 1) write(rowOf(entry, local), record);
  else copy(rowOf(entry, local), record + worldAt, narrowBytes);
  store<u32>(table + (place << 3), hash);
  store<u32>(table + (place << 3), ++local, 4);
  return size++;
}

/** Adds the target of a record to the next memory. */
function addBehind(record: usize): u32 {
  isFull = true;
  const id = local + addElsewhere(record);
  if (id === size) size++;
  return id;
}

/**
 * The page for the next world, widened if the target of `record` needs it; 0 if the memory is full.
 */
function pageFor(record: usize): usize {
  const slot = directory + ((local >> pageBits) << 2);
  const isWide = load<u32>(record, kindAt) !== 0;
  const entry = load<usize>(slot);
  if (entry !== 0 && (!isWide || entry & 1)) return entry;
  if (local >> pageBits >= mostPages) return 0;
  const bytes = <u64>originBytes + ((<u64>(isWide ? wideBytes : narrowBytes)) << pageBits);
  if (bytes > mostBytes) return 0; // so many that 32 bits may not hold them
  const page = attempt(<usize>bytes, mostBytes);
  if (page === 0) return 0;
  const made = page | (isWide ? 1 : 0);
  store<usize>(slot, made);
  if (entry === 0) return made;
  memory.copy(page, entry, originBytes);
  const rows = <usize>local & inPage;
  for (let row: usize = 0; row < rows; row++) widen(rowOf(made, row), rowOf(entry, row));
  release(entry, originBytes + (narrowBytes << pageBits));
  return made;
}

function widen(to: usize, from: usize): void {
  for (let at: usize = 0; at < narrowBytes; at += 2)
    store<u32>(to + (at << 1), load<u16>(from + at));
}

/** Writes the target of a record as a wide world. */
function write(to: usize, record: usize): void {
  if (load<u32>(record, kindAt) !== 0) copy(to, record + worldAt, wideBytes);
  else widen(to, record + worldAt);
}

/** Faster than memory.copy for so few words. */
export function copy(to: usize, from: usize, length: usize): void {
  for (let at: usize = 0; at < length; at += 4) store<u32>(to + at, load<u32>(from + at));
}

function isSame(id: u32, record: usize): boolean {
  const entry = load<usize>(directory + ((id >> pageBits) << 2));
  const isWide = load<u32>(record, kindAt) !== 0;
  if (entry & 1) {
    const row = rowOf(entry, id);
    if (isWide) {
      for (let at: usize = 0; at < wideBytes; at += 4)
        if (load<u32>(row + at) !== load<u32>(record + worldAt + at)) return false;
      return true;
    }
    for (let at: usize = 0; at < narrowBytes; at += 2)
      if (load<u32>(row + (at << 1)) !== load<u16>(record + worldAt + at)) return false;
    return true;
  }
  if (isWide) return false;
  const row = rowOf(entry, id);
  for (let at: usize = 0; at < narrowBytes; at += 4)
    if (load<u32>(row + at) !== load<u32>(record + worldAt + at)) return false;
  return true;
}

/** Copies world `id` as numbers of 32 bits. */
export function read(id: u32, into: usize): void {
  if (id >= local) {
    readElsewhere(id - local, into);
    return;
  }
  const entry = load<usize>(directory + ((id >> pageBits) << 2));
  if (entry & 1) copy(into, rowOf(entry, id), wideBytes);
  else widen(into, rowOf(entry, id));
}

/** False if the memory is full. */
function growTable(): boolean {
  // a larger one would take all of the memory
  const wider = mask < 0x0fff_ffff ? attempt((mask + 1) << 4, mostBytes) : 0;
  if (wider === 0) return false;
  const old = table;
  const oldMask = mask;
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
  return true;
}
