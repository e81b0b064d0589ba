/**
 * How threads divide a phase of a round: they claim its chunks one by one, and wait for each other
 * at its end.
 */
import { lost } from './host';

/** So often a thread looks before it sleeps: waking takes longer than most waits. */
const looks = 2000;
const second: i64 = 1_000_000_000;
/** So many seconds without a word from the others are taken for their end. */
const mostSeconds = 60;

/** The phase, how many chunks it has, and the next one: of 24, 20 and 20 bits. */
const next = memory.data(8, 64);
const chunkBits: u64 = 20;
const mostChunks: u32 = (1 << 20) - 1;
/** How many chunks are done; those that wait for that sleep here. */
const done = memory.data(4, 64);
/** The phase; those that wait for the next one sleep here, and how many they are. */
const gate = memory.data(4, 64);
const sleepers = memory.data(4);
/** The search that threads help: they end with another one. How many help, and whether one failed. */
const era = memory.data(4, 64);
const helpers = memory.data(4);
const failure = memory.data(4);

/** The last phase that this thread knows: its last two bits are its kind. */
export let phase: u32 = 0;

/** A chunk to do; −1: all are claimed. */
export function claim(): i32 {
  const word = atomic.add<u64>(next, 1);
  phase = <u32>(word >> (2 * chunkBits));
  const chunk = <u32>word & mostChunks;
  return chunk < (<u32>(word >> chunkBits) & mostChunks) ? chunk : -1;
}

/** After a chunk: the last one wakes the first thread. */
export function complete(): void {
  const chunks = <u32>(atomic.load<u64>(next) >> chunkBits) & mostChunks;
  if (atomic.add<u32>(done, 1) + 1 === chunks) atomic.notify(done, -1);
}

/** The first thread: a new phase. */
export function open(kind: u32, chunks: u32): void {
  const number = (((phase & ~3) + 4) & 0xff_ffff) | kind;
  phase = number;
  atomic.store<u32>(done, 0);
  atomic.store<u64>(next, ((<u64>number) << (2 * chunkBits)) | ((<u64>chunks) << chunkBits));
  openGate(number);
}

function openGate(value: u32): void {
  atomic.store<u32>(gate, value);
  if (atomic.load<u32>(sleepers) > 0) atomic.notify(gate, -1);
}

/** The first thread: waits until all chunks are done. */
export function awaitAll(chunks: u32): void {
  let looked = 0;
  let seconds = 0;
  while (true) {
    if (atomic.load<u32>(failure) !== 0) lost();
    const count = atomic.load<u32>(done);
    if (count >= chunks) return;
    if (looked++ < looks) continue;
    if (atomic.wait<u32>(done, count, second) === AtomicWaitResult.TIMED_OUT) {
      if (++seconds === mostSeconds) lost();
    } else seconds = 0;
  }
}

/** Another thread: waits for the next phase. */
export function rest(): void {
  for (let looked = 0; looked < looks; looked++) if (atomic.load<u32>(gate) !== phase) return;
  atomic.add<u32>(sleepers, 1);
  atomic.wait<u32>(gate, phase, second);
  atomic.sub<u32>(sleepers, 1);
}

/** Another thread: whether the search that it came to help still goes on. */
export function helps(search: u32): boolean {
  return atomic.load<u32>(era) === search;
}

export function join(): void {
  atomic.add<u32>(helpers, 1);
  atomic.notify(helpers, -1);
}

export function part(): void {
  if (atomic.sub<u32>(helpers, 1) === 1) atomic.notify(helpers, -1);
}

/** Another thread: it cannot go on. */
export function fail(): void {
  atomic.store<u32>(failure, 1);
  atomic.notify(done, -1);
  part();
}

/** How many threads help. */
export function helping(): u32 {
  return atomic.load<u32>(helpers);
}

/** The first thread: waits until so many help, for tests. */
export function awaitHelp(count: u32): void {
  for (let seconds = 0; seconds < mostSeconds; ) {
    const now = atomic.load<u32>(helpers);
    if (now >= count) return;
    if (atomic.wait<u32>(helpers, now, second) === AtomicWaitResult.TIMED_OUT) seconds++;
  }
  lost();
}

/** The number of the search, for those that help from now on. */
export function search(): u32 {
  return atomic.load<u32>(era);
}

/** The first thread: nobody helps any longer. False if somebody does not answer. */
export function dismiss(): boolean {
  atomic.add<u32>(era, 1);
  open(0, 0);
  for (let seconds = 0; seconds < 10; ) {
    const count = atomic.load<u32>(helpers);
    if (count === 0 || atomic.load<u32>(failure) !== 0) break;
    if (atomic.wait<u32>(helpers, count, second) === AtomicWaitResult.TIMED_OUT) seconds++;
  }
  return atomic.load<u32>(helpers) === 0 && atomic.load<u32>(failure) === 0;
}
