/** Breadth-first search: worlds are expanded in the order of their numbers. */

import { atDepth, atStates, goesOn, isDone, isEnded } from '../src/search/kernel/format/search';
import { prepareEdges } from './edges';
import { expand } from './expand';
import { ended } from './host';
import {
  afterWorld,
  beginWorld,
  endSearch,
  forgetSteps,
  isGoing,
  lookUp,
  prepareLookUp,
  steps,
} from './look-up';
import { preparePending, push, setSource } from './pending';
import { isEnd } from './steps';
import { into, state } from './world';
import { prepareWorlds, read, size } from './worlds';

/**
 * How many worlds are expanded before the found ones are looked up, and from which size of the
 * search on.
 */
const batch: u32 = 16;
const smallest: u32 = 4096;
/** JavaScript looks at the limits after so many expansions or steps. */
const slice: u32 = 4096;
const sliceSteps: f64 = 65_536;

let mostStates: u32 = 0;
let mostDepth = 0;
/** How many worlds are expanded, and whether JavaScript was asked before this one. */
let count: u32 = 0;
let isAsked = false;
let stepsAtSlice: f64 = 0;
/** The queue: the next world, the first one of the next layer, the depth of the current one. */
let next: u32 = 0;
let layer: u32 = 0;
let depthNow = -1;

/** How many worlds were expanded. */
export function expansions(): u32 {
  return count;
}

/** The world that is expanded. */
export function current(): i32 {
  return next - 1;
}

export function depth(): i32 {
  return max(depthNow, 0);
}

/**
 * Prepares a search for worlds of `numbers` numbers, and adds the initial one, which is in `into`.
 */
export function begin(
  numbers: i32,
  mostBytes: usize,
  statesLimit: u32,
  depthLimit: i32,
  signatures: boolean,
  graph: boolean,
): void {
  prepareWorlds(numbers, mostBytes);
  preparePending(numbers);
  prepareEdges(graph);
  prepareLookUp(numbers, signatures);
  mostStates = statesLimit;
  mostDepth = depthLimit;
  isAsked = false;
  count = 0;
  stepsAtSlice = 0;
  next = 0;
  layer = 0;
  depthNow = -1;
  setSource(-1);
  push(-1, into);
  lookUp();
  forgetSteps();
}

/** Continues the search until JavaScript has to look; returns why. */
export function run(): i32 {
  while (true) {
    const why = isAsked ? proceeds : beginNext();
    if (why !== proceeds) return why;
    isAsked = false;
    expandNext();
  }
}

/** Instead of how a search returns: it does not. */
const proceeds = -1;

/** Turns to the next world; how the search returns before it is expanded. */
function beginNext(): i32 {
  if (!isGoing) return isEnded;
  if (count % batch === 0 || size < smallest || next === layer || next === size) lookUp();
  if (!isGoing) return isEnded;
  if (next === size) return isDone;
  if (next === layer) {
    depthNow++;
    layer = size;
  }
  beginWorld(next++);
  if (depthNow > mostDepth) return atDepth;
  if (size > mostStates) return atStates;
  if (count % slice !== 0 && steps - stepsAtSlice <= sliceSteps) return proceeds;
  isAsked = true;
  stepsAtSlice = steps;
  return goesOn;
}

function expandNext(): void {
  const world = next - 1;
  setSource(world);
  read(world, state);
  expand();
  afterWorld();
  count++;
  if (isEnd && !ended(world)) endSearch();
}
