/** The look-up of pending steps: new worlds are judged, and edges noted. */

import { edge } from './edges';
import { found } from './host';
import { clear, end, records } from './pending';
import { isNewSignature } from './signatures';
import { actionAt, add, recordBytes, size, sourceAt, touch } from './worlds';

/**
 * How many numbers are kept before a look-up in the middle of an expansion: a few wide worlds take
 * much memory.
 */
const mostPending = 1 << 20;

/** The bytes of the records from which on they are looked up. */
let mostBytes: usize = 0;
/** Which worlds `found` gets: the first of each signature, or each. */
let bySignature = false;
/** False: the listener has ended the search. */
export let isGoing = true;
/**
 * Whether some steps of the current world are already looked up: the others must follow before
 * another world's.
 */
export let isBegun = false;
/** How many worlds are expanded or being expanded, and the most that waited. */
let begun: u32 = 0;
export let mostWaiting: u32 = 0;
export let steps: f64 = 0;

/** Prepares for worlds of so many numbers. */
export function prepareLookUp(numbers: i32, signatures: boolean): void {
  bySignature = signatures;
  mostBytes = <usize>(mostPending / (numbers + 3)) * recordBytes;
  isGoing = true;
  isBegun = false;
  begun = 0;
  mostWaiting = 0;
  steps = 0;
}

export function endSearch(): void {
  isGoing = false;
}

/** The steps that led to the initial worlds do not count. */
export function forgetSteps(): void {
  steps = 0;
}

/** World number `world` is expanded next. */
export function beginWorld(world: u32): void {
  begun = world + 1;
}

/** After a step was pushed. */
export function afterStep(): void {
  if (end - records <= mostBytes) return;
  lookUp();
  isBegun = true;
}

/** After the last step of a world. */
export function afterWorld(): void {
  if (isBegun) lookUp();
  isBegun = false;
}

export function lookUp(): void {
  const last = end;
  if (last - records > recordBytes) touch(records, last);
  for (let record = records; record < last; record += recordBytes) {
    const before = size;
    const id = add(record);
    edge(load<i32>(record, sourceAt), id, load<i32>(record, actionAt));
    steps += 1;
    if (id !== before) continue;
    mostWaiting = max(mostWaiting, size - begun);
    if (bySignature && !isNewSignature(record)) continue;
    if (!found(id)) isGoing = false;
  }
  clear();
}
