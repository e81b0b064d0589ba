/** The steps of a world, by table look-ups only. */

import * as allowed from '../src/search/kernel/format/allowed';
import * as events from '../src/search/kernel/format/events';
import * as part from '../src/search/kernel/format/step';
import { after, inside, pushed } from '../src/search/kernel/format/tables';
import { fault } from './host';
import { afterStep, endSearch } from './look-up';
import { push, pushFault } from './pending';
import { at, two } from './tables';
import { into, isCut, last, made, may, restore, set } from './world';

/** No event of the environment. */
export const noEvent = -1;

/** Whether the steps are for JavaScript, which collects them, failures included. */
let isCollecting = false;
/**
 * Whether only the crashes in the middle of steps are taken: after all other actions, so that a
 * shortest run has one only where it needs it.
 */
export let isInside = false;
/** Whether the current world has no action so far. */
export let isEnd = true;

/** Before the steps of a world. */
export function beginSteps(forJavaScript: boolean): void {
  isCollecting = forJavaScript;
  isInside = false;
  isEnd = true;
}

export function setInside(is: boolean): void {
  isInside = is;
}

export function visit(action: i32): void {
  // choices are answered in the middle of the starts
  if ((may & (allowed.starting | allowed.choose)) === allowed.starting) happen(events.begin);
  visitAsIs(action);
}

export function visitAsIs(action: i32): void {
  isEnd = false;
  push(action, into);
  if (!isCollecting) afterStep();
}

/**
 * One step of `node`, or the crashes in the middle of it. It leaves `rest` in the channel of
 * `slot`, if given; `happens` is its event of the environment, if any.
 */
export function take(step: i32, node: i32, slot: i32, rest: i32, happens: i32): void {
  const fails = at(step + part.rare) === part.fails;
  if (isInside) {
    if (!fails) takeInside(step, node, slot, rest, happens);
  } else if (fails) {
    isEnd = false;
    const action = at(step + part.action);
    if (isCollecting) pushFault(action, step);
    else if (!fault(action, step)) endSearch();
  } else {
    takeOne(step, node, slot, rest, happens, noEvent);
  }
}

function takeInside(step: i32, node: i32, slot: i32, rest: i32, happens: i32): void {
  const opens = at(step + part.rare) !== 0;
  const isAnswer = happens === events.answer;
  if (!opens && !isAnswer && at(step + part.end) === step + part.sends) return;
  const crashes = two(inside, node, step, 0);
  const end = crashes + at(crashes);
  // to lose nothing is then a crash after the answer
  const isLast = isAnswer && !opens && (may & allowed.chooseAgain) === 0;
  for (let index = isLast ? crashes + 2 : crashes + 1; index <= end; index++)
    takeOne(at(index), node, slot, rest, happens, events.crashes);
}

/** `follows`: what happens to the environment after that, if anything. */
export function takeOne(
  step: i32,
  node: i32,
  slot: i32,
  rest: i32,
  happens: i32,
  follows: i32,
): void {
  const rare = at(step + part.rare);
  set(node, at(step + part.place));
  if (slot >= 0) set(slot, rest);
  const end = at(step + part.end);
  for (let send = step + part.sends; send < end; send += 2) {
    const to = at(send);
    if (!isCut(to)) set(to, two(pushed, 0, made(to), at(send + 1)));
  }
  if (happens >= 0) happen(happens);
  if (follows >= 0) happen(follows);
  if (rare >= part.firstEvent) happen(rare - part.firstEvent);
  visit(at(step + part.action));
  restore(node);
  if (slot >= 0) restore(slot);
  for (let send = step + part.sends; send < end; send += 2) restore(at(send));
  restore(last);
}

/** An action of the environment on the channel of `slot`. */
export function takeOnChannel(action: i32, slot: i32, content: i32, happens: i32): void {
  if (happens >= 0) happen(happens);
  set(slot, content);
  visit(action);
  restore(slot);
  restore(last);
}

/** Lets an event happen to the environment of the world that is made. */
function happen(event: i32): void {
  set(last, two(after, 0, made(last), event));
}
