/**
 * The steps of a world, by table look-ups only. A world is one number per node, one per channel,
 * one for the environment.
 */

import {
  after,
  answer,
  changed,
  contentLater,
  crash,
  crashed,
  delivery,
  dequeues,
  drop,
  due,
  duplicate,
  duplicated,
  environment,
  inside,
  insideStarts,
  isDue,
  mayCrash,
  nodeLater,
  own,
  pushed,
  restart,
  unchanged,
  unsent,
} from '../src/exploration/search/kernel/layout';
import { fault } from './host';
import { afterStep, endSearch } from './look-up';
import { allocate } from './memory';
import { clear, end, push, pushFault, records } from './pending';
import { at, one, two } from './tables';
import { copy } from './worlds';

/**
 * What an environment allows, and its events: see `may` and `op` in
 * src/exploration/search/kernel/tables.ts.
 */
const choose = 1;
const lose = 2;
const duplicates = 4;
const crashes = 8;
const restarts = 16;
const cuts = 32;
const changes = 64;
const begins = 128;
const again = 256;
const loss = 0;
const duplication = 1;
const crashing = 2;
const restarting = 3;
const answering = 4;
const beginning = 5;
const nothing = -1;

let nodes = 0;
let channels = 0;
/** The slot of the environment. */
let last = 0;
/** The number of the action by which a tick passes; −1 in untimed runs. */
let tick = -1;
/** Whether crashes fall into steps as well. */
let mayCrashInside = false;
/** Whether a crash may also lose what the node sent before. */
let mayUnsend = false;
/** By channel: the node that sends on it. */
let senders: usize = 0;
/** By node: where the slots of the channels that end there begin and end. */
let incoming: usize = 0;
let slots: usize = 0;

/** The world to expand, and where its successors are made: 32 bits a number. */
export let state: usize = 0;
export let into: usize = 0;
/** What the environment allows in the current world, and its list; 0 if it allows nothing. */
let may = 0;
let list = 0;
/** Whether the steps are for JavaScript, which collects them, failures included. */
let isCollecting = false;
/**
 * Whether only the crashes in the middle of steps are taken: after all other actions, so that a
 * shortest run has one only where it needs it.
 */
let isInside = false;
/** Whether the current world has no action so far. */
export let isEnd = true;

/**
 * `ends`: by channel, the number of the node that receives; then, by channel, of the one that
 * sends.
 */
export function prepareExpansion(
  nodeCount: i32,
  channelCount: i32,
  tickAction: i32,
  crashesInside: boolean,
  unsends: boolean,
  ends: usize,
): void {
  nodes = nodeCount;
  channels = channelCount;
  last = nodes + channels;
  tick = tickAction;
  mayCrashInside = crashesInside;
  mayUnsend = unsends;
  senders = ends + (channels << 2);
  state = allocate((last + 2) << 2);
  into = allocate((last + 2) << 2);
  incoming = allocate((nodes + 1) << 2);
  slots = allocate((channels + 1) << 2);
  let count = 0;
  for (let node = 0; node < nodes; node++) {
    store<i32>(incoming + (node << 2), count);
    for (let channel = 0; channel < channels; channel++)
      if (load<i32>(ends + (channel << 2)) === node)
        store<i32>(slots + (count++ << 2), nodes + channel);
  }
  store<i32>(incoming + (nodes << 2), count);
}

function get(slot: i32): i32 {
  return load<i32>(state + (slot << 2));
}

function set(slot: i32, value: i32): void {
  store<i32>(into + (slot << 2), value);
}

function restore(slot: i32): void {
  store<i32>(into + (slot << 2), load<i32>(state + (slot << 2)));
}

function visit(action: i32): void {
  // choices are answered in the middle of the starts
  if ((may & (begins | choose)) === begins) applyToEnvironment(beginning);
  visitAsIs(action);
}

function visitAsIs(action: i32): void {
  isEnd = false;
  push(action, into);
  if (!isCollecting) afterStep();
}

/** Pushes each successor of `state`. */
export function expand(): void {
  isCollecting = false;
  expandAll();
}

/**
 * For JavaScript: the steps of `state` as records, also those that fail; how many bytes they take.
 * With a `node`: its steps only, in a world where the environment does nothing.
 */
export function collect(node: i32): usize {
  isCollecting = true;
  clear();
  if (node < 0) {
    expandAll();
  } else {
    begin();
    expandNode(node);
  }
  const length = end - records;
  clear();
  return length;
}

function expandAll(): void {
  begin();
  const rest = get(last);
  if (rest !== 0) {
    list = one(environment, 0, rest);
    may = at(list + 1);
  }
  if (may & choose) {
    answerChoice();
  } else {
    for (let node = 0; node < nodes; node++) expandNode(node);
    if (may & changes) changeEnvironment();
    if (tick >= 0) passTime();
  }
  if (mayCrashInside && (may & crashes) !== 0) crashInside(rest);
}

/** The crashes in the middle of the steps of the current world, and of starts. */
function crashInside(rest: i32): void {
  copy(into, state, (last + 1) << 2); // time has passed in it
  isInside = true;
  if (may & choose) answerChoice();
  else for (let node = 0; node < nodes; node++) expandNode(node);
  isInside = false;
  if (may & begins) crashInsideStarts(rest);
}

function begin(): void {
  copy(into, state, (last + 1) << 2);
  may = 0;
  list = 0;
  isEnd = true;
}

function expandNode(node: i32): void {
  const place = get(node);
  const steps = one(own, node, place);
  const end = steps + at(steps);
  for (let index = steps + 1; index <= end; index++) take(at(index), node, -1, 0, nothing);
  const lastSlot = load<i32>(incoming + ((node + 1) << 2));
  for (let index = load<i32>(incoming + (node << 2)); index < lastSlot; index++) {
    const slot = load<i32>(slots + (index << 2));
    const content = get(slot);
    if (content !== 0) receive(node, place, slot, content);
  }
  if (may & (crashes | restarts)) crashOrRestart(node, place);
}

/** The deliveries from one channel: of its head, or without order of each message. */
function receive(node: i32, place: i32, slot: i32, content: i32): void {
  const heads = one(dequeues, 0, content);
  const end = heads + at(heads);
  for (let entry = heads + 1; entry < end; entry += 2) {
    const message = at(entry);
    const rest = at(entry + 1);
    const isNow = tick < 0 || one(isDue, 0, message) === 1;
    if (may !== 0) receiveOrLose(node, place, slot, content, message, rest, isNow);
    else if (isNow) take(two(delivery, slot - nodes, place, message), node, slot, rest, nothing);
  }
  if (mayUnsend && !isInside) loseUnsent(slot, content);
}

/** What the crash of its sender loses of one channel. */
function loseUnsent(slot: i32, content: i32): void {
  const sender = load<i32>(senders + ((slot - nodes) << 2));
  if (one(crashed, sender, get(sender)) === 0) return;
  const lost = one(unsent, slot - nodes, content);
  const end = lost + at(lost);
  for (let entry = lost + 1; entry < end; entry += 2)
    takeOnChannel(at(entry), slot, at(entry + 1), nothing);
}

function receiveOrLose(
  node: i32,
  place: i32,
  slot: i32,
  content: i32,
  message: i32,
  rest: i32,
  isNow: boolean,
): void {
  const channel = slot - nodes;
  const isApart = isCut(slot);
  const isDown = one(crashed, node, place) === 1;
  if (!isApart && isNow) take(two(delivery, channel, place, message), node, slot, rest, nothing);
  if (isInside) return;
  const vanishes = isNow && (isApart || isDown); // nothing is there to receive it
  if (vanishes ? isApart : (may & lose) !== 0)
    takeOnChannel(one(drop, channel, message), slot, rest, vanishes ? nothing : loss);
  if (isApart || (may & duplicates) === 0) return;
  takeOnChannel(
    one(duplicate, channel, message),
    slot,
    two(duplicated, 0, content, message),
    duplication,
  );
}

function crashOrRestart(node: i32, place: i32): void {
  const isDown = one(crashed, node, place) === 1;
  if ((may & (isDown ? restarts : crashes)) === 0) return;
  if (isDown) take(one(restart, node, place), node, -1, 0, restarting);
  else if (!isInside && one(mayCrash, node, place) === 1)
    takeOne(one(crash, node, place), node, -1, 0, crashing, nothing);
}

/** The answers to the first open choice; no other action is possible before. */
function answerChoice(): void {
  const end = list + at(list);
  const first = list + 2 + channels;
  const node = at(first);
  for (let index = first + 1; index <= end; index++)
    take(two(answer, node, get(node), at(index)), node, -1, 0, answering);
}

/** One tick, unless something is due now, or time changes nothing. */
function passTime(): void {
  if (later() === changed) visit(tick);
}

/** Makes `state` one tick later, if time can pass in it. */
export function later(): i32 {
  let result = unchanged;
  for (let slot = 0; slot < last; slot++) {
    const now = get(slot);
    const then = slot < nodes ? one(nodeLater, slot, now) : one(contentLater, 0, now);
    if (then === 0) return due;
    set(slot, then - 1);
    if (then - 1 !== now) result = changed;
  }
  return result;
}

/**
 * The actions that change the environment only: its list ends with pairs of action and next
 * environment.
 */
function changeEnvironment(): void {
  const end = list + at(list);
  for (let index = list + 2 + channels; index < end; index += 2) {
    set(last, at(index + 1));
    visit(at(index));
  }
  restore(last);
}

/** The crashes in the middle of a start: each sets the numbers of its list. */
function crashInsideStarts(rest: i32): void {
  const starts = one(insideStarts, 0, rest);
  const end = starts + at(starts);
  for (let entry = starts + 1; entry <= end; ) {
    const first = entry + 2;
    const next = first + (at(entry + 1) << 1);
    for (let index = first; index < next; index += 2) set(at(index), at(index + 1));
    visitAsIs(at(entry));
    for (let index = first; index < next; index += 2) restore(at(index));
    entry = next;
  }
}

/**
 * One step of `node`, or the crashes in the middle of it. It leaves `rest` in the channel of
 * `slot`, if given; `happens` is its event of the environment, if any.
 */
function take(step: i32, node: i32, slot: i32, rest: i32, happens: i32): void {
  const rare = at(step + 3);
  if (isInside) {
    if (rare !== 1) takeInside(step, node, slot, rest, happens);
  } else if (rare === 1) {
    isEnd = false;
    if (isCollecting) pushFault(at(step), step);
    else if (!fault(at(step), step)) endSearch();
  } else {
    takeOne(step, node, slot, rest, happens, nothing);
  }
}

function takeInside(step: i32, node: i32, slot: i32, rest: i32, happens: i32): void {
  const opens = at(step + 3) !== 0;
  const isAnswer = happens === answering;
  if (!opens && !isAnswer && at(step + 2) === step + 4) return;
  const list = two(inside, node, step, 0);
  const end = list + at(list);
  // to lose nothing is then a crash after the answer
  const isLast = isAnswer && !opens && (may & again) === 0;
  for (let index = isLast ? list + 2 : list + 1; index <= end; index++)
    takeOne(at(index), node, slot, rest, happens, crashing);
}

/** `follows`: what happens to the environment after that, if anything. */
function takeOne(step: i32, node: i32, slot: i32, rest: i32, happens: i32, follows: i32): void {
  const rare = at(step + 3);
  set(node, at(step + 1));
  if (slot >= 0) set(slot, rest);
  const end = at(step + 2);
  for (let send = step + 4; send < end; send += 2) {
    const to = at(send);
    if (isCut(to)) continue;
    set(to, two(pushed, 0, load<i32>(into + (to << 2)), at(send + 1)));
  }
  if (happens >= 0) applyToEnvironment(happens);
  if (follows >= 0) applyToEnvironment(follows);
  if (rare >= 2) applyToEnvironment(rare - 2);
  visit(at(step));
  restore(node);
  if (slot >= 0) restore(slot);
  for (let send = step + 4; send < end; send += 2) restore(at(send));
  restore(last);
}

/** An action of the environment on the channel of `slot`. */
function takeOnChannel(action: i32, slot: i32, content: i32, happens: i32): void {
  if (happens >= 0) applyToEnvironment(happens);
  set(slot, content);
  visit(action);
  restore(slot);
  restore(last);
}

function applyToEnvironment(happens: i32): void {
  set(last, two(after, 0, load<i32>(into + (last << 2)), happens));
}

function isCut(slot: i32): boolean {
  return (may & cuts) !== 0 && at(list + 2 + slot - nodes) === 1;
}
