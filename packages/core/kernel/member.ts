/** What each thread does in a round, chunk by chunk. */
import { claim, complete, fail, helps, join, part, phase, rest } from './claims';
import { adopt, beginMember, noteProposals } from './crew';
import { expand } from './expand';
import { mostStepsOf } from './look-up';
import { expands, forgetMissing, isMissing, setMode } from './mode';
import { clear, cutRecords, end, records, setSource } from './pending';
import {
  candidateBytes,
  cellAt,
  fromAt,
  isFirst,
  lastCandidate,
  lastEdge,
  proposeAll,
  takenAt,
  targetAt,
  wideAt,
} from './proposals';
import {
  baseAt,
  batchBits,
  batchOf,
  cancelRound,
  chunkOf,
  chunkStart,
  degree,
  edgesAt,
  endBatch,
  firstFound,
  foundAt,
  foundBy,
  isBehind,
  isCancelled,
  isTold,
  setDegree,
  setFlag,
  setFoundBy,
  shown,
} from './round-data';
import { isKnownSignature } from './signatures';
import { isEnd, isFaulty } from './steps';
import { into, last as lastSlot, state } from './world';
import { moveCells, read, recordBytes, settle, table } from './worlds';

/** The phases of a round, and before one. */
export const moving: u32 = 0;
export const expanding: u32 = 1;
export const counting: u32 = 2;
export const settling: u32 = 3;

/** How many cells make a chunk, as a power of two: each table has more. */
export const moveBits: u32 = 12;
const inBatch: u32 = (1 << batchBits) - 1;

let thread: u32 = 0;

/** The first thread, before a round. */
export function beginAsFirst(): void {
  thread = 0;
  beginMember(0);
}

/** Does chunks of the phase until none is left. */
export function doChunks(): void {
  for (let chunk = claim(); chunk >= 0; chunk = claim()) perform(chunk);
}

/** Another thread: helps a search until its end. */
export function serve(number: u32, search: u32): void {
  join();
  thread = number;
  setMode(expands);
  let known: u32 = phase;
  while (helps(search)) {
    const chunk = claim();
    if (chunk < 0) {
      rest();
      continue;
    }
    if (phase !== known) {
      adopt(thread);
      known = phase;
      if ((phase & 3) === expanding) beginMember(thread);
    }
    perform(chunk);
  }
  part();
}

function perform(chunk: u32): void {
  const kind = phase & 3;
  if (kind === moving) moveCells(chunk << moveBits, (chunk + 1) << moveBits, false);
  else if (kind === expanding) expandChunk(chunk);
  else if (kind === counting) countChunk(chunk);
  else settleChunk(chunk);
  complete();
}

export function broken(): void {
  fail();
}

function expandChunk(chunk: u32): void {
  const at = chunkOf(chunk);
  store<usize>(at, lastCandidate);
  store<usize>(at, lastEdge, edgesAt);
  const last = chunkStart(chunk + 1);
  for (let source = chunkStart(chunk); source < last && !isCancelled(); source++) {
    expandSource(source);
    if ((source & inBatch) === inBatch) propose();
  }
  propose();
  store<usize>(at, lastCandidate, 4);
  store<u64>(at, 0, 8);
  noteProposals(thread);
}

/** Expands a world of the round. */
export function expandSource(source: u32): void {
  const from = end;
  forgetMissing();
  setSource(source);
  read(source, state);
  expand();
  if (isMissing) {
    cutRecords(min(from, end)); // less if the round is cancelled
    setFlag(source, isBehind);
    return;
  }
  setDegree(source, <u32>((end - from) / recordBytes));
  setFlag(source, isEnd || isFaulty ? isTold : 0);
}

/** Proposes what is pending, unless the round is cancelled. */
export function propose(): void {
  if (end > records && !isCancelled()) proposeAll();
  clear();
}

/** Counts the worlds that the sources of a chunk find first. */
function countChunk(next: u32): void {
  const at = chunkOf(next);
  const found =
    countCandidates(load<usize>(at), load<usize>(at, 4)) +
    countCandidates(load<usize>(at, 8), load<usize>(at, 12));
  store<u32>(at, found, foundAt);
  let steps: u32 = 0;
  const last = chunkStart(next + 1);
  for (let by = chunkStart(next); by < last; by++) {
    if ((by & inBatch) === 0) steps = 0;
    steps += degree(by);
    // one thread looks up a part of so many: the search could end there
    if (steps > <u32>mostStepsOf(lastSlot + 1)) cancelRound();
  }
}

function countCandidates(from: usize, to: usize): u32 {
  let count: u32 = 0;
  for (let candidate = from; candidate < to; candidate += candidateBytes) {
    if (isFirst(candidate)) {
      const by = load<u32>(candidate, fromAt);
      setFoundBy(by, foundBy(by) + 1);
      count++;
    } else {
      store<usize>(candidate, 0);
    }
  }
  return count;
}

/** Gives the worlds that the sources of a chunk find first their numbers. */
function settleChunk(next: u32): void {
  const at = chunkOf(next);
  let id = load<u32>(at, baseAt);
  let steps: u32 = 0;
  const last = chunkStart(next + 1);
  for (let by = chunkStart(next); by < last; by++) {
    const count = foundBy(by);
    setFoundBy(by, id);
    id += count;
    steps += degree(by);
    if ((by & inBatch) !== inBatch && by + 1 < last) continue;
    endBatch(batchOf(by), id, steps);
    steps = 0;
  }
  settleCandidates(load<usize>(at), load<usize>(at, 4));
  settleCandidates(load<usize>(at, 8), load<usize>(at, 12));
}

function settleCandidates(from: usize, to: usize): void {
  for (let candidate = from; candidate < to; candidate += candidateBytes) {
    const proposal = load<usize>(candidate);
    if (proposal === 0) continue;
    const by = load<u32>(candidate, fromAt);
    const id = foundBy(by);
    setFoundBy(by, id + 1);
    const isWide = load<u32>(proposal, wideAt) !== 0;
    settle(id, proposal + targetAt, isWide, by, load<u32>(candidate, takenAt));
    store<u32>(table + (load<usize>(proposal, cellAt) << 3), id + 1, 4);
    store<u32>(proposal, id, cellAt);
    store<u8>(
      shown + (id - firstFound),
      isKnownSignature(proposal + targetAt, isWide, into) ? 0 : 1,
    );
  }
}
