/** Tells JavaScript what a round has found, batch by batch, as a search by one thread does. */

import { expand } from './expand';
import { ended, found } from './host';
import { bySignature, endSearch, isGoing, noteBatch } from './look-up';
import { alone, replays, setMode } from './mode';
import { clear, setSource } from './pending';
import {
  batchBits,
  batchOf,
  end,
  first,
  firstFound,
  flag,
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
export function replay(mostStates: u32): u32 {
  setMode(replays);
  const renewed = renewals;
  let size = firstFound;
  let batchEnd = first;
  while (batchEnd < end) {
    const from = batchEnd;
    batchEnd = min(((from >> batchBits) + 1) << batchBits, end);
    for (told = from; told < batchEnd; told++) {
      if (flag(told) === isTold) tellEvents();
      if (!isGoing) return cut(size, told + 1);
    }
    const batch = batchOf(from);
    const next = sizeAfter(batch);
    for (let world = size; world < next; world++)
      if (isShown(world, renewed) && !found(world)) endSearch();
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

/** A world that has no action, or one that fails. */
function tellEvents(): void {
  setSource(told);
  read(told, state);
  expand();
  clear();
  if (isEnd && !ended(told)) endSearch();
}

function isShown(world: u32, renewed: u32): boolean {
  if (!bySignature) return true;
  if (renewals === renewed && load<u8>(shown + (world - firstFound)) === 0) return false;
  read(world, state);
  return isNewSignature(state, true);
}
