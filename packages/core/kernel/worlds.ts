/** The found worlds: vectors, compared exactly; a hash table finds them. */

import * as word from '../src/exploration/search/kernel/format/record';
import { pageBits } from '../src/exploration/search/kernel/format/search';
import { addElsewhere, readElsewhere } from './host';
import { allocate, attempt, bytes, release } from './memory';

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
export let narrowBytes: usize = 0;
export let wideBytes: usize = 0;

/** How many worlds there are, and how many of them are in this memory: the first ones. */
export let size: u32 = 0;
let local: u32 = 0;
/** Whether further worlds have to go to the next memory. */
let isFull = false;
/** So many bytes are for worlds; the rest is for tables and steps. */
let mostBytes: usize = 0;
/**
 * Open addressing: hash and number + 1 of a world, 0 for a free cell. During a round, instead of
 * the number, {@link proposed} and the address of a proposal in units of 8 bytes.
 */
export let table: usize = 0;
export let mask: u32 = 4095;
export const proposed: u32 = 0x8000_0000;
/** The smaller table before, while its cells move. */
let oldTable: usize = 0;
export let oldMask: u32 = 0;
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
    if (next & proposed) {
      sum += load<u32>((<usize>next) << 3);
      continue;
    }
    const entry = load<usize>(directory + (((next - 1) >> pageBits) << 2));
    sum += load<u32>(rowOf(entry, next - 1));
  }
  touched = sum;
}

/** For the other threads. */
const common = memory.data(28);

export function shareWorlds(): void {
  store<usize>(common, narrowBytes);
  store<usize>(common, wideBytes, 4);
  store<usize>(common, recordBytes, 8);
  store<usize>(common, table, 12);
  store<u32>(common, mask, 16);
  store<usize>(common, oldTable, 20);
  store<u32>(common, oldMask, 24);
}

export function adoptWorlds(): void {
  narrowBytes = load<usize>(common);
  wideBytes = load<usize>(common, 4);
  recordBytes = load<usize>(common, 8);
  table = load<usize>(common, 12);
  mask = load<u32>(common, 16);
  oldTable = load<usize>(common, 20);
  oldMask = load<u32>(common, 24);
  local = 0xffff_ffff; // the others read what is in this memory
}

/** Whether the table is to grow before it holds `more` further worlds, with so many cells. */
export function needsCells(more: u32, cells: u32): boolean {
  return (local + more) << 1 > mask || mask < cells - 1;
}

/** Whether this memory has `further` bytes for worlds. */
export function hasRoom(further: usize): boolean {
  return !isFull && <u64>bytes() + further < <u64>mostBytes;
}

/** The pages for `count` further worlds; false if the memory is full. */
export function reservePages(count: u32, isWide: boolean): boolean {
  const end = (local + count - 1) >> pageBits;
  let rows: usize = local & inPage;
  for (let slot = local >> pageBits; slot <= end; slot++) {
    if (pageAt(slot, isWide, rows) === 0) return false;
    rows = 0;
  }
  return true;
}

/** World `id` is where the proposal at `from` says; there is a page for it. */
export function settle(id: u32, from: usize, isWide: boolean, source: u32, action: u32): void {
  const entry = load<usize>(directory + ((id >> pageBits) << 2));
  store<u64>((entry & ~1) + ((<usize>id & inPage) << 3), <u64>source | ((<u64>action) << 32));
  const row = rowOf(entry, id);
  if (isWide) copy(row, from, wideBytes);
  else if (entry & 1) widen(row, from);
  else copy(row, from, narrowBytes);
}

/** There are so many worlds now: others were settled, or the last ones do not count. */
export function setSize(worlds: u32): void {
  size = worlds;
  local = worlds;
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
  return pageAt(local >> pageBits, load<u32>(record, kindAt) !== 0, <usize>local & inPage);
}

/** Page number `page`, which holds `rows` worlds so far; 0 if the memory is full. */
function pageAt(number: u32, isWide: boolean, rows: usize): usize {
  const slot = directory + (number << 2);
  const entry = load<usize>(slot);
  if (entry !== 0 && (!isWide || entry & 1)) return entry;
  if (number >= mostPages) return 0;
  const needed = <u64>originBytes + ((<u64>(isWide ? wideBytes : narrowBytes)) << pageBits);
  if (needed > mostBytes) return 0; // so many that 32 bits may not hold them
  const page = attempt(<usize>needed, mostBytes);
  if (page === 0) return 0;
  const made = page | (isWide ? 1 : 0);
  store<usize>(slot, made);
  if (entry === 0) return made;
  memory.copy(page, entry, originBytes);
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

export function isSame(id: u32, record: usize): boolean {
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
  if (!beginGrowth()) return false;
  moveCells(0, oldMask + 1, true);
  endGrowth();
  return true;
}

/** A larger table, which is empty; false if the memory is full. */
export function beginGrowth(): boolean {
  // a larger one would take all of the memory
  const wider = mask < 0x0fff_ffff ? attempt((mask + 1) << 4, mostBytes) : 0;
  if (wider === 0) return false;
  oldTable = table;
  oldMask = mask;
  table = wider;
  mask = 2 * mask + 1;
  return true;
}

/** Moves cells of the table before: a part, where other threads move the others. */
export function moveCells(from: u32, to: u32, isAlone: boolean): void {
  for (let place = from; place < to; place++) {
    const cell = load<u64>(oldTable + (place << 3));
    if (cell === 0) continue;
    let next = <u32>cell & mask;
    while (
      load<u64>(table + (next << 3)) !== 0 ||
      (!isAlone && atomic.cmpxchg<u64>(table + (next << 3), 0, cell) !== 0)
    )
      next = (next + 1) & mask;
    if (isAlone) store<u64>(table + (next << 3), cell);
  }
}

export function endGrowth(): void {
  release(oldTable, (oldMask + 1) << 3);
}
