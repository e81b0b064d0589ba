/** Tells JavaScript what a round has found, batch by batch, as a search by one thread does. */

import { edge } from './edges';
import { expand } from './expand';
import { ended, found } from './host';
import { bySignature, endSearch, isGoing, noteBatch } from './look-up';
import { alone, replays, setMode } from './mode';
import { clear, setSource } from './pending';
import { edgeBytes, targetOf } from './proposals';
import {
  batchBits,
  batchOf,
  chunkBits,
  chunkOf,
  degree,
  edgesAt,
  end,
  first,
  firstFound,
  flag,
  isCaughtUp,
  isTold,
  shown,
  sizeAfter,
  stepsOf,
} from './round-data';
import { isNewSignature, renewals } from './signatures';
import { isEnd } from './steps';
import { state } from './world';
import { read, setSize } from './worlds';

/** The world that is told. */
export let told: u32 = 0;

/**
 * Returns the source behind which the search ends, by the listener or because there are more than
 * `mostStates` worlds; 0 if it goes on.
 */
export function replay(mostStates: u32, keepsEdges: boolean): u32 {
  setMode(replays);
  const renewed = renewals;
  let size = firstFound;
  let batchEnd = first;
  while (batchEnd < end) {
    const from = batchEnd;
    batchEnd = min(((from >> batchBits) + 1) << batchBits, end);
    const last = tellEvents(from, batchEnd);
    if (!isGoing) return cut(size, last);
    const batch = batchOf(from);
    const next = sizeAfter(batch);
    for (let world = size; world < next; world++)
      if (isShown(world, renewed) && !found(world)) endSearch();
    if (keepsEdges) noteEdges(from, batchEnd);
    size = next;
    noteBatch(stepsOf(batch), size, batchEnd);
    if (!isGoing || (size > mostStates && batchEnd < end)) return cut(size, batchEnd);
  }
  setMode(alone);
  return 0;
}

/** The search ends: what follows does not count. */
function cut(worlds: u32, source: u32): u32 {
  setSize(worlds);
  setMode(alone);
  return source;
}

function noteEdges(from: u32, to: u32): void {
  for (let source = from; source < to; source++) noteEdgesOf(source);
}

/** The edges of a source: where they are follows from those before. */
function noteEdgesOf(source: u32): void {
  const at =
    chunkOf((source >> chunkBits) - (first >> chunkBits)) +
    (flag(source) & isCaughtUp ? edgesAt + 4 : edgesAt);
  let next = load<usize>(at);
  for (const last = next + <usize>degree(source) * edgeBytes; next < last; next += edgeBytes)
    edge(source, targetOf(next), load<i32>(next, 4));
  store<usize>(at, next);
}

/** Tells which worlds have no action, or one that fails; where it ends. */
function tellEvents(from: u32, to: u32): u32 {
  for (told = from; told < to && isGoing; told++) {
    if ((flag(told) & isTold) === 0) continue;
    setSource(told);
    read(told, state);
    expand();
    clear();
    if (isEnd && !ended(told)) endSearch();
  }
  return told;
}

function isShown(world: u32, renewed: u32): boolean {
  if (!bySignature) return true;
  if (renewals === renewed && load<u8>(shown + (world - firstFound)) === 0) return false;
  read(world, state);
  return isNewSignature(state, true);
}
