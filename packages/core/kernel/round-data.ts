/**
 * A round: the worlds from `first` on are expanded by all threads. What they find is numbered at its
 * end, in the order in which one thread finds it: by source, then by the order of its steps.
 */
import { allocate } from './memory';

/** The most worlds of a round; those of a chunk, and those that are looked up together. */
export const mostSources: u32 = 8192;
export const chunkBits: u32 = 7;
export const batchBits: u32 = 4;

/** What is to be done with a world of a round at its end: an entry was missing; it has no step, or one that fails. */
export const isBehind: u8 = 1;
export const isTold: u8 = 2;
/** It was expanded behind the others. */
export const isCaughtUp: u8 = 4;

/** The worlds of the round: from `first` to `end`, and the number of the first one it finds. */
export let first: u32 = 0;
export let end: u32 = 0;
export let firstFound: u32 = 0;
/** By source, from `first` on: what is to be done with it, how many steps it has; see {@link found}. */
let flags: usize = 0;
let degrees: usize = 0;
let founds: usize = 0;
/** By batch: how many worlds there are behind it, and how many steps it has. */
let sizes: usize = 0;
let steps: usize = 0;
/** By chunk: see {@link chunkOf}. */
let chunks: usize = 0;
/** By world that was found: 1 if JavaScript may have to look at it. */
export let shown: usize = 0;

const common = memory.data(40);
/** Not 0: a world that was found has large numbers. The round has to be repeated by one thread. */
const wideness = memory.data(4);
const cancelled = memory.data(4);

/** Makes room for the rounds of a search. */
export function prepareRounds(mostFound: u32): void {
  if (flags !== 0) return;
  flags = allocate(mostSources);
  degrees = allocate(mostSources << 2);
  founds = allocate(mostSources << 2);
  sizes = allocate(((mostSources >> batchBits) << 2) + 8);
  steps = allocate(((mostSources >> batchBits) << 2) + 8);
  chunks = allocate(((mostSources >> chunkBits) + 2) * chunkBytes);
  shown = allocate(mostFound);
}

export function beginRound(from: u32, to: u32, size: u32): void {
  first = from;
  end = to;
  firstFound = size;
  store<u32>(wideness, 0);
  store<u32>(cancelled, 0);
  memory.fill(flags, 0, mostSources);
}

export function shareRound(): void {
  store<u32>(common, first);
  store<u32>(common, end, 4);
  store<u32>(common, firstFound, 8);
  store<usize>(common, flags, 12);
  store<usize>(common, degrees, 16);
  store<usize>(common, founds, 20);
  store<usize>(common, sizes, 24);
  store<usize>(common, steps, 28);
  store<usize>(common, chunks, 32);
  store<usize>(common, shown, 36);
}

export function adoptRound(): void {
  first = load<u32>(common);
  end = load<u32>(common, 4);
  firstFound = load<u32>(common, 8);
  flags = load<usize>(common, 12);
  degrees = load<usize>(common, 16);
  founds = load<usize>(common, 20);
  sizes = load<usize>(common, 24);
  steps = load<usize>(common, 28);
  chunks = load<usize>(common, 32);
  shown = load<usize>(common, 36);
}

export function cancelRound(): void {
  atomic.store<u32>(cancelled, 1);
}

export function isCancelled(): boolean {
  return atomic.load<u32>(cancelled) !== 0;
}

export function noteWide(): void {
  atomic.store<u32>(wideness, 1);
}

export function isWideRound(): boolean {
  return load<u32>(wideness) !== 0;
}

export function flag(source: u32): u8 {
  return load<u8>(flags + (source - first));
}

export function setFlag(source: u32, value: u8): void {
  store<u8>(flags + (source - first), value);
}

export function degree(source: u32): u32 {
  return load<u32>(degrees + ((source - first) << 2));
}

/** World `source` is expanded. */
export function setDegree(source: u32, value: u32): void {
  store<u32>(degrees + ((source - first) << 2), value);
  setFoundBy(source, 0);
}

/** How many worlds a source finds first; then the number of the next one of these. */
export function foundBy(source: u32): u32 {
  return load<u32>(founds + ((source - first) << 2));
}

export function setFoundBy(source: u32, value: u32): void {
  store<u32>(founds + ((source - first) << 2), value);
}

export function batchOf(source: u32): u32 {
  return (source >> batchBits) - (first >> batchBits);
}

export function sizeAfter(batch: u32): u32 {
  return load<u32>(sizes + (batch << 2));
}

export function stepsOf(batch: u32): u32 {
  return load<u32>(steps + (batch << 2));
}

export function endBatch(batch: u32, size: u32, count: u32): void {
  store<u32>(sizes + (batch << 2), size);
  store<u32>(steps + (batch << 2), count);
}

/**
 * A chunk: its candidates from and to, twice: those of the thread that expanded it, and those of the
 * worlds left behind; how many worlds it finds, the number of the first one; where its edges begin,
 * those of the thread and those of the worlds left behind.
 */
export const chunkBytes: usize = 32;
export const edgesAt: usize = 24;
export const foundAt: usize = 16;
export const baseAt: usize = 20;

export function chunkOf(chunk: usize): usize {
  return chunks + chunk * chunkBytes;
}

export function chunkCount(): u32 {
  return ((end - 1) >> chunkBits) - (first >> chunkBits) + 1;
}

/** The first source of a chunk; the one behind the last is the first of the next. */
export function chunkStart(chunk: u32): u32 {
  return min(max(((first >> chunkBits) + chunk) << chunkBits, first), end);
}
