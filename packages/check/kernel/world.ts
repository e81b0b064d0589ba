/**
 * The world that is expanded, and the one that is made of it: one number per node, one per channel,
 * one for the environment.
 */

import * as allowed from '../src/search/kernel/format/allowed';
import { environment } from '../src/search/kernel/format/tables';
import { allocate } from './memory';
import { at, one } from './tables';
import { copy } from './worlds';

export let nodes = 0;
export let channels = 0;
/** The slot of the environment. */
export let last = 0;
/** The world to expand, and where its successors are made: 32 bits a number. */
export let state: usize = 0;
export let into: usize = 0;
/** What the environment allows in the current world, and its list; 0 if it allows nothing. */
export let may = 0;
export let list = 0;

export function prepareWorld(nodeCount: i32, channelCount: i32): void {
  nodes = nodeCount;
  channels = channelCount;
  last = nodes + channels;
  state = allocate((last + 2) << 2);
  into = allocate((last + 2) << 2);
}

/** Begins with a world in which the environment does nothing. */
export function beginState(): void {
  copy(into, state, (last + 1) << 2);
  may = 0;
  list = 0;
}

/** Reads what the environment of the world allows. */
export function readEnvironment(): void {
  const rest = get(last);
  if (rest === 0) return;
  list = one(environment, 0, rest);
  may = at(list + 1);
}

export function get(slot: i32): i32 {
  return load<i32>(state + (slot << 2));
}

/** A number of the world that is made. */
export function made(slot: i32): i32 {
  return load<i32>(into + (slot << 2));
}

export function set(slot: i32, value: i32): void {
  store<i32>(into + (slot << 2), value);
}

export function restore(slot: i32): void {
  set(slot, get(slot));
}

/** Whether the environment cuts the channel of a slot. */
export function isCut(slot: i32): boolean {
  return (may & allowed.cut) !== 0 && at(list + 2 + slot - nodes) === 1;
}
