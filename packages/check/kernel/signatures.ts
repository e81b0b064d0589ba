/**
 * The signature of a world: what the properties can tell apart of it, a class number for each node,
 * and for each channel if they read messages.
 */
import { contentClass, nodeClass } from '../src/search/kernel/format/classes';
import { allocate, release } from './memory';
import { forgetClassTables, one } from './tables';
import { kindAt, worldAt } from './worlds';

let nodes = 0;
/** How many numbers a signature has; 0: worlds have none. */
let length = 0;
/** Known signatures, one after the other; the last one is that of the current world. */
let known: usize = 0;
let room = 0;
let count = 0;
/** Open addressing: number + 1 of a signature, 0 for a free cell. */
let table: usize = 0;
let mask: u32 = 0;

/** Forgets all signatures and classes; `channelCount`: 0 if they do not matter. */
export function prepareSignatures(nodeCount: i32, channelCount: i32): void {
  forgetClassTables();
  if (room > 0) {
    release(known, room * length * 4);
    release(table, (mask + 1) << 2);
  }
  nodes = nodeCount;
  length = nodeCount + channelCount;
  count = 0;
  room = 64;
  mask = 255;
  known = allocate(room * length * 4);
  table = allocate((mask + 1) << 2);
}

/** Enters the signature of the target of a record; false if it is known. */
export function isNewSignature(record: usize): boolean {
  const own = known + ((count * length) << 2);
  const isWide = load<u32>(record, kindAt) !== 0;
  for (let slot = 0; slot < length; slot++) {
    const value = isWide
      ? load<i32>(record + (slot << 2), worldAt)
      : <i32>load<u16>(record + (slot << 1), worldAt);
    store<i32>(
      own + (slot << 2),
      slot < nodes ? one(nodeClass, slot, value) : one(contentClass, 0, value),
    );
  }
  let place = hashOf(own) & mask;
  while (true) {
    const next = load<u32>(table + (place << 2));
    if (next === 0) break;
    if (isSame(known + (((next - 1) * length) << 2), own)) return false;
    place = (place + 1) & mask;
  }
  store<u32>(table + (place << 2), ++count);
  if (count === room) grow();
  return true;
}

function isSame(one: usize, other: usize): boolean {
  for (let slot = 0; slot < length; slot++)
    if (load<i32>(one + (slot << 2)) !== load<i32>(other + (slot << 2))) return false;
  return true;
}

function hashOf(signature: usize): u32 {
  let hash: u32 = 0;
  for (let slot = 0; slot < length; slot++)
    hash = rotl<u32>(hash ^ (load<u32>(signature + (slot << 2)) * 0x9e3779b1), 13) * 5 + 0xe6546b64;
  return hash ^ (hash >>> 15);
}

function grow(): void {
  const wider = allocate(2 * room * length * 4);
  memory.copy(wider, known, room * length * 4);
  release(known, room * length * 4);
  known = wider;
  room *= 2;
  release(table, (mask + 1) << 2);
  mask = 4 * room - 1;
  table = allocate((mask + 1) << 2);
  for (let index = 0; index < count; index++) {
    let place = hashOf(known + ((index * length) << 2)) & mask;
    while (load<u32>(table + (place << 2)) !== 0) place = (place + 1) & mask;
    store<u32>(table + (place << 2), index + 1);
  }
}
