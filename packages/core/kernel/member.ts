/** What each thread does in a round, chunk by chunk. */
import { claim, complete, fail, helps, join, part, phase, rest } from './claims';
import { adopt, beginMember, noteProposals } from './crew';
import { expand } from './expand';
import { mostStepsOf } from './look-up';
import { expands, setMode } from './mode';
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
import { read, recordBytes, settle, table } from './worlds';

/** The phases of a round. */
export const expanding: u32 = 1;
export const counting: u32 = 2;
export const settling: u32 = 3;

const inBatch: u32 = (1 << batchBits) - 1;

/** The thread, the chunk that it expands, the next source in it and the last one; −1: none. */
let thread: u32 = 0;
let chunk = -1;
let source: u32 = 0;
let lastSource: u32 = 0;
/** Whether a world is being expanded, and where its records begin. */
let isExpanding = false;
let worldRecords: usize = 0;

/** The first thread, before a round. */
export function beginAsFirst(): void {
  thread = 0;
  chunk = -1;
  isExpanding = false;
  beginMember(0);
}

/**
 * Expands chunks until none is left. A world that misses an entry ends the call: the next one goes
 * on behind it.
 */
export function expandChunks(): void {
  setMode(expands);
  leaveBehind();
  while (true) {
    if (chunk < 0) {
      const next = claim();
      if (next < 0) return;
      beginChunk(next);
    }
    expandChunk();
  }
}

/** Another thread: helps a search until its end. It is left and called again like the one above. */
export function serve(number: u32, search: u32, isFresh: boolean): void {
  if (isFresh) {
    join();
    thread = number;
    setMode(expands);
  }
  leaveBehind();
  if (chunk >= 0) expandChunk();
  let known: u32 = phase;
  while (helps(search)) {
    const next = claim();
    if (next < 0) {
      rest();
      continue;
    }
    if (phase !== known) {
      adopt(thread);
      known = phase;
      if ((phase & 3) === expanding) beginMember(thread);
    }
    perform(next);
  }
  part();
}

/** A chunk of the phase. */
export function perform(next: u32): void {
  const kind = phase & 3;
  if (kind === expanding) {
    beginChunk(next);
    expandChunk();
    return;
  }
  if (kind === counting) countChunk(next);
  else settleChunk(next);
  complete();
}

export function broken(): void {
  fail();
}

function beginChunk(next: u32): void {
  chunk = next;
  source = chunkStart(next);
  lastSource = chunkStart(next + 1);
  clear();
  store<usize>(chunkOf(next), lastCandidate);
  store<usize>(chunkOf(next), lastEdge, edgesAt);
}

function leaveBehind(): void {
  if (!isExpanding) return;
  isExpanding = false;
  cutRecords(worldRecords);
  setFlag(source, isBehind);
  setDegree(source, 0);
  source++;
}

function expandChunk(): void {
  while (source < lastSource && !isCancelled()) {
    expandSource(source);
    source++;
    if ((source & inBatch) === 0) propose();
  }
  propose();
  store<usize>(chunkOf(chunk), lastCandidate, 4);
  store<u64>(chunkOf(chunk), 0, 8);
  noteProposals(thread);
  chunk = -1;
  complete();
}

/** Expands a world of the round. */
export function expandSource(world: u32): void {
  isExpanding = true;
  worldRecords = end;
  setSource(world);
  read(world, state);
  expand();
  isExpanding = false;
  setDegree(world, <u32>((end - worldRecords) / recordBytes));
  setFlag(world, isEnd || isFaulty ? isTold : 0);
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
