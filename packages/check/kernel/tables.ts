/** The tables of a system: see format/tables.ts. */

import { contentClass, kinds, nodeClass } from '../src/search/kernel/format/classes';
import { lookup } from './host';
import { allocate, release } from './memory';

/** A table: the address of its cells, its length or mask, the number of its entries. */
const descriptor: usize = 16;
/** By kind: the address of its first table. */
const bases = memory.data(4 * kinds);
let nodes = 0;

/** Steps and lists, as JavaScript writes them. */
export let code: usize = 0;
let codeLength: usize = 0;

export function prepareTables(nodeCount: i32, channelCount: i32): void {
  nodes = nodeCount;
  const most: usize = max(max(nodeCount, channelCount), 1);
  for (let kind = 0; kind < kinds; kind++)
    store<usize>(bases + (kind << 2), allocate(most * descriptor));
}

/** Makes room for so many numbers of code; the address of all. */
export function reserveCode(length: usize): usize {
  if (length > codeLength) {
    const wider = allocate(length << 3);
    memory.copy(wider, code, codeLength << 2);
    if (code !== 0) release(code, codeLength << 2);
    code = wider;
    codeLength = length << 1;
  }
  return code;
}

/** The number at `offset` of the code. */
export function at(offset: i32): i32 {
  return load<i32>(code + (offset << 2));
}

function tableOf(kind: i32, owner: usize): usize {
  return load<usize>(bases + (kind << 2)) + owner * descriptor;
}

/** The entry of a table with one key. */
export function one(kind: i32, owner: i32, key: i32): i32 {
  const table = tableOf(kind, owner);
  if (<u32>key < load<u32>(table, 4)) {
    const value = load<i32>(load<usize>(table) + (key << 2));
    if (value !== 0) return value - 1;
  }
  return askOne(kind, owner, key);
}

/** The entry of a table with one key; −1 if it is missing. */
export function known(kind: i32, owner: i32, key: i32): i32 {
  const table = tableOf(kind, owner);
  return <u32>key < load<u32>(table, 4) ? load<i32>(load<usize>(table) + (key << 2)) - 1 : -1;
}

function askOne(kind: i32, owner: i32, key: i32): i32 {
  const value = lookup(kind, owner, key, 0);
  const table = tableOf(kind, owner);
  const length = load<u32>(table, 4);
  if (<u32>key >= length) {
    let wider: u32 = max(length, 64);
    while (<u32>key >= wider) wider <<= 1;
    const cells = allocate(wider << 2);
    if (length > 0) {
      memory.copy(cells, load<usize>(table), length << 2);
      release(load<usize>(table), length << 2);
    }
    store<usize>(table, cells);
    store<u32>(table, wider, 4);
  }
  store<i32>(load<usize>(table) + (key << 2), value + 1);
  return value;
}

/** A cell: both keys, the first plus one, then the value. */
const cell: usize = 12;

function cellOf(cells: usize, place: usize): usize {
  return cells + place * cell;
}

/** The entry of a table with two keys. */
export function two(kind: i32, owner: i32, first: i32, second: i32): i32 {
  const table = tableOf(kind, owner);
  const cells = load<usize>(table);
  if (cells !== 0) {
    const mask = load<u32>(table, 4);
    const key = keyOf(first, second);
    for (let place = mix(first, second) & mask; ; place = (place + 1) & mask) {
      const address = cellOf(cells, place);
      const found = load<u64>(address);
      if (found === key) return load<i32>(address, 8);
      if (found === 0) break;
    }
  }
  return askTwo(kind, owner, first, second);
}

function askTwo(kind: i32, owner: i32, first: i32, second: i32): i32 {
  const value = lookup(kind, owner, first, second);
  const table = tableOf(kind, owner);
  const size = load<u32>(table, 8) + 1;
  if (load<usize>(table) === 0 || size << 1 > load<u32>(table, 4)) growPairs(table);
  store<u32>(table, size, 8);
  enter(load<usize>(table), load<u32>(table, 4), keyOf(first, second), value);
  return value;
}

function keyOf(first: i32, second: i32): u64 {
  return <u64>(first + 1) | ((<u64>(<u32>second)) << 32);
}

function mix(first: i32, second: i32): u32 {
  const hash = (<u32>first * 0x9e3779b1) ^ (<u32>second * 0x85ebca6b);
  return hash ^ (hash >>> 15);
}

function enter(cells: usize, mask: u32, key: u64, value: i32): void {
  let place = mix(<i32>key - 1, <i32>(key >> 32)) & mask;
  while (load<u64>(cellOf(cells, place)) !== 0) place = (place + 1) & mask;
  store<u64>(cellOf(cells, place), key);
  store<i32>(cellOf(cells, place), value, 8);
}

function growPairs(table: usize): void {
  const old = load<usize>(table);
  const oldMask = load<u32>(table, 4);
  const mask: u32 = old === 0 ? 63 : 2 * oldMask + 1;
  const cells = allocate(cellOf(0, mask + 1));
  if (old !== 0) {
    for (let place: u32 = 0; place <= oldMask; place++) {
      const key = load<u64>(cellOf(old, place));
      if (key !== 0) enter(cells, mask, key, load<i32>(cellOf(old, place), 8));
    }
    release(old, cellOf(0, oldMask + 1));
  }
  store<usize>(table, cells);
  store<u32>(table, mask, 4);
}

/** Forgets the classes of configurations and contents. */
export function forgetClassTables(): void {
  for (let node = 0; node < nodes; node++) clear(tableOf(nodeClass, node));
  clear(tableOf(contentClass, 0));
}

function clear(table: usize): void {
  const length = load<u32>(table, 4);
  if (length > 0) memory.fill(load<usize>(table), 0, length << 2);
}
