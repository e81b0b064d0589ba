/** The steps that are not yet looked up, one record after the other. */
import { fails, wide } from '../src/search/kernel/format/record';
import { allocate, release } from './memory';
import { actionAt, hashAt, kindAt, recordBytes, sourceAt, worldAt } from './worlds';

export let records: usize = 0;
export let end: usize = 0;
let room: usize = 0;
/** Two numbers of a world make a word. */
let words = 0;
/** The world that is expanded. */
export let source = -1;

export function preparePending(width: i32): void {
  if (room > 0) release(records, room);
  words = (width + 1) >> 1;
  room = 64 * recordBytes;
  records = allocate(room);
  end = records;
  source = -1;
}

export function setSource(world: i32): void {
  source = world;
}

export function clear(): void {
  end = records;
}

/**
 * The hash of the worlds is like Murmur: fast and good enough for hash tables; it does not replace
 * a comparison.
 */
export function push(action: i32, world: usize): void {
  if (end + recordBytes > records + room) grow();
  const record = end;
  end += recordBytes;
  let bits: u64 = 0;
  let hash: u32 = 0;
  for (let word = 0; word < words; word++) {
    const two = load<u64>(world + (word << 3));
    bits |= two;
    const packed = <u32>two | ((<u32>(two >>> 32)) << 16);
    store<u32>(record + (word << 2), packed, worldAt);
    hash = mix(hash, packed);
  }
  const isWide = (bits & 0xffff_0000_ffff_0000) !== 0;
  if (isWide) {
    hash = 0;
    for (let number = 0; number < 2 * words; number++) {
      const value = load<u32>(world + (number << 2));
      store<u32>(record + (number << 2), value, worldAt);
      hash = mix(hash, value);
    }
  }
  hash ^= hash >>> 16;
  hash *= 0x85ebca6b;
  hash ^= hash >>> 13;
  hash *= 0xc2b2ae35;
  store<u32>(record, hash ^ (hash >>> 16), hashAt);
  store<i32>(record, action, actionAt);
  store<i32>(record, source, sourceAt);
  store<u32>(record, isWide ? wide : 0, kindAt);
}

/** A step that fails: it has no target, but a number, which is in the place of its source. */
export function pushFault(action: i32, step: i32): void {
  if (end + recordBytes > records + room) grow();
  store<i32>(end, action, actionAt);
  store<i32>(end, step, sourceAt);
  store<u32>(end, fails, kindAt);
  end += recordBytes;
}

function mix(hash: u32, word: u32): u32 {
  const scrambled = rotl<u32>(word * 0xcc9e2d51, 15) * 0x1b873593;
  return rotl<u32>(hash ^ scrambled, 13) * 5 + 0xe6546b64;
}

function grow(): void {
  const wider = allocate(2 * room);
  memory.copy(wider, records, room);
  release(records, room);
  end = wider + (end - records);
  records = wider;
  room *= 2;
}
