/** The rounds of a search by several threads: what the first one of them does. */
import { awaitAll, helping, open } from './claims';
import {
  clearProposals,
  crewBytes,
  mostFound,
  noteProposals,
  recordRoom,
  reserveThreads,
  share,
  threads,
  withdrawAll,
} from './crew';
import {
  beginAsFirst,
  counting,
  doChunks,
  expanding,
  expandSource,
  moveBits,
  moving,
  propose,
  settling,
} from './member';
import { bytes } from './memory';
import { alone, catchesUp, expands, setMode } from './mode';
import { end as pendingEnd, records, reserveRecords } from './pending';
import { lastCandidate, lastEdge } from './proposals';
import {
  baseAt,
  beginRound,
  chunkCount,
  chunkOf,
  chunkStart,
  edgesAt,
  end,
  first,
  flag,
  foundAt,
  isBehind,
  isCancelled,
  isCaughtUp,
  isWideRound,
  mostSources,
  prepareRounds,
  setFlag,
} from './round-data';
import {
  beginGrowth,
  endGrowth,
  hasRoom,
  mask,
  needsCells,
  oldMask,
  reservePages,
  setSize,
  size,
} from './worlds';

/** Fewer worlds than these are not worth a round. */
let least: u32 = 0;
/** A round stays in the memory of the caches, and in that of the threads. */
const mostProposed: f64 = 16_384;
/** So many bytes are for what a round adds. */
const further: usize = 1 << 24;

/** The most worlds of a round now: half as many after one that found too many. */
let most: u32 = mostSources;
/** No round before this world. */
let notBefore: u32 = 0;
/** How many rounds were completed, how many cancelled, and the worlds that one thread caught up. */
export let rounds: u32 = 0;
export let cancellations: u32 = 0;
export let behind: u32 = 0;

/** Before a search, which several threads may join later. */
export function prepareTeam(): void {
  setMode(alone);
  reserveThreads(0, false);
  most = mostSources;
  notBefore = 0;
  rounds = 0;
  cancellations = 0;
  behind = 0;
}

/** From now on `count` threads search, with the first one; false if there is no memory for them. */
export function beginTeam(
  count: u32,
  mostBytes: usize,
  leastSources: u32,
  edges: boolean,
): boolean {
  least = leastSources;
  if (<u64>bytes() + crewBytes(count) + further > <u64>mostBytes) return false;
  reserveThreads(count, edges);
  prepareRounds(mostFound(count));
  reserveRecords(recordRoom);
  return true;
}

/** Begins a round with the worlds from `from` to `to` at most; false if there is none. */
export function startRound(from: u32, to: u32): boolean {
  if (threads === 0 || from < notBefore || pendingEnd !== records) return false;
  if (threads > 1 && helping() === 0) return false;
  const ratio = <f64>size / <f64>(from + 1);
  const sources = min(min(to - from, most), <u32>(mostProposed / ratio) & ~15);
  if (sources < least) return false;
  if (!hasRoom(further)) return false;
  while (needsCells(<u32>mostProposed, threads << 16)) if (!growTogether()) return false;
  beginRound(from, from + sources, size);
  clearProposals();
  share(((mask + 1) >> 2) / threads);
  beginAsFirst();
  open(expanding, chunkCount());
  return true;
}

/** All threads move the cells of the table to a larger one; false if the memory is full. */
function growTogether(): boolean {
  if (!beginGrowth()) return false;
  share(0);
  const chunks = (oldMask >> moveBits) + 1;
  open(moving, chunks);
  doChunks();
  awaitAll(chunks);
  endGrowth();
  return true;
}

/** A round; false if it is cancelled, as if there had been none. */
export function endRound(): boolean {
  setMode(expands);
  doChunks();
  awaitAll(chunkCount());
  if (!isCancelled()) catchUp();
  if (!isCancelled()) shareOut(counting);
  if (isCancelled() || !settleAll()) {
    withdrawAll();
    setMode(alone);
    cancellations++;
    most >>= 1;
    notBefore = end;
    return false;
  }
  rounds++;
  if ((rounds & 31) === 0) most = min(most << 1, mostSources);
  setMode(alone);
  return true;
}

/** All threads do a phase. */
function shareOut(kind: u32): void {
  const count = chunkCount();
  open(kind, count);
  doChunks();
  awaitAll(count);
}

/** Expands the worlds for which entries were missing, in their order. */
function catchUp(): void {
  setMode(catchesUp);
  const chunks = chunkCount();
  let count: u32 = 0;
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    const at = chunkOf(chunk);
    store<usize>(at, lastCandidate, 8);
    store<usize>(at, lastEdge, edgesAt + 4);
    const last = chunkStart(chunk + 1);
    for (let source = chunkStart(chunk); source < last; source++) {
      if (flag(source) !== isBehind) continue;
      expandSource(source);
      setFlag(source, flag(source) | isCaughtUp);
      propose();
      count++;
    }
    store<usize>(at, lastCandidate, 12);
  }
  noteProposals(0);
  behind += count;
  // while many entries are missing, one thread is faster
  if (count * 3 > end - first) notBefore = end + (end - first);
}

/** Numbers the worlds that were found; false if there is no memory for them. */
function settleAll(): boolean {
  const chunks = chunkCount();
  let next = size;
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    store<u32>(chunkOf(chunk), next, baseAt);
    next += load<u32>(chunkOf(chunk), foundAt);
  }
  if (next > size && !reservePages(next - size, isWideRound())) return false;
  shareOut(settling);
  setSize(next);
  return true;
}
