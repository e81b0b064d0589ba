/**
 * Blocks of the linear memory. Freed blocks are used again, by the pages of worlds at the latest: a
 * memory never shrinks.
 */
import { full } from './host';

const unit: usize = 64;
const mostFree = 256;
const wasmPage: usize = 65_536;
/**
 * A memory grows by at least so many pages, since JavaScript has to renew its views each time; a
 * page takes no memory before its first use.
 */
const leastGrowth: usize = 64;

/** Free blocks: address, bytes. */
const free = memory.data(8 * mostFree);
let freeCount = 0;
let top: usize = (__heap_base + unit - 1) & ~(unit - 1);
let released: usize = 0;

/** The bytes in use. */
export function bytes(): usize {
  return top - released;
}

/** A block of zeros. */
export function allocate(wanted: usize): usize {
  const block = attempt(wanted, 0xffff_ffff);
  if (block === 0) full();
  return block;
}

/** A block of zeros; 0 if the memory would take more than `most` bytes, or cannot grow. */
export function attempt(wanted: usize, most: usize): usize {
  const size = (wanted + unit - 1) & ~(unit - 1);
  let best = -1;
  let least: usize = usize.MAX_VALUE;
  for (let index = 0; index < freeCount; index++) {
    const length = load<usize>(free + (index << 3), 4);
    if (length >= size && length < least) {
      best = index;
      least = length;
    }
  }
  if (best < 0) return extend(size, most);
  const entry = free + (best << 3);
  const block = load<usize>(entry);
  if (least > size) {
    store<usize>(entry, block + size);
    store<usize>(entry, least - size, 4);
  } else {
    freeCount--;
    store<u64>(entry, load<u64>(free + (freeCount << 3)));
  }
  released -= size;
  memory.fill(block, 0, size);
  return block;
}

/** Frees a block that was allocated with `wanted` bytes. */
export function release(block: usize, wanted: usize): void {
  if (freeCount === mostFree) return; // lost; so many are never free at once
  const size = (wanted + unit - 1) & ~(unit - 1);
  store<usize>(free + (freeCount << 3), block);
  store<usize>(free + (freeCount << 3), size, 4);
  freeCount++;
  released += size;
}

/** A block behind all others. */
function extend(size: usize, most: usize): usize {
  const block = top;
  if (<u64>block + size > <u64>most) return 0;
  // 65,536 pages wrap to 0, and so does the difference
  const room: usize = <usize>memory.size() * wasmPage - top;
  if (size > room) {
    const missing = (size - room + wasmPage - 1) / wasmPage;
    if (memory.grow(<i32>max(missing, leastGrowth)) < 0 && memory.grow(<i32>missing) < 0) return 0;
  }
  top += size;
  return block;
}
