/** All that can happen in a world. */

import * as allowed from '../src/search/kernel/format/allowed';
import * as events from '../src/search/kernel/format/events';
import { changed, due, unchanged } from '../src/search/kernel/format/search';
import * as tables from '../src/search/kernel/format/tables';
import { allocate } from './memory';
import { clear, end, records } from './pending';
import {
  beginSteps,
  isInside,
  noEvent,
  setInside,
  take,
  takeOnChannel,
  takeOne,
  visit,
  visitAsIs,
} from './steps';
import { at, one, two } from './tables';
import {
  beginState,
  channels,
  get,
  into,
  isCut,
  last,
  list,
  may,
  nodes,
  prepareWorld,
  readEnvironment,
  restore,
  set,
  state,
} from './world';
import { copy } from './worlds';

/** The number of the action by which a tick passes; −1 in untimed runs. */
let tick = -1;
/** Whether crashes fall into steps as well. */
let mayCrashInside = false;
/** Whether a crash may also lose what the node sent before. */
let mayUnsend = false;
/** By channel: the node that sends on it. */
let senders: usize = 0;
/** How many channels are within one process, then the number of each, and of the one back. */
let inProcess: usize = 0;
/** By channel: the node that receives. */
let receivers: usize = 0;
/** By node: where the slots of the channels that end there begin and end. */
let incoming: usize = 0;
let slots: usize = 0;

/**
 * `ends`: by channel, the number of the node that receives; then, by channel, of the one that
 * sends; then how many channels are within one process, the number of each, and of the one back.
 */
export function prepareExpansion(
  nodeCount: i32,
  channelCount: i32,
  tickAction: i32,
  crashesInside: boolean,
  unsends: boolean,
  ends: usize,
): void {
  prepareWorld(nodeCount, channelCount);
  tick = tickAction;
  mayCrashInside = crashesInside;
  mayUnsend = unsends;
  receivers = ends;
  senders = ends + (channels << 2);
  inProcess = senders + (channels << 2);
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

/** Pushes each successor of `state`. */
export function expand(): void {
  begin(false);
  expandAll();
}

/**
 * For JavaScript: the steps of `state` as records, also those that fail; how many bytes they take.
 */
export function collect(): usize {
  begin(true);
  clear();
  expandAll();
  const length = end - records;
  clear();
  return length;
}

function begin(forJavaScript: boolean): void {
  beginState();
  beginSteps(forJavaScript);
}

function expandAll(): void {
  readEnvironment();
  if (may & allowed.choose) {
    answerChoice();
  } else if (!receiveInProcess()) {
    for (let node = 0; node < nodes; node++) expandNode(node);
    if (may & allowed.splitOrHeal) changeEnvironment();
    if (tick >= 0) passTime();
  }
  if (mayCrashInside && (may & allowed.crash) !== 0) crashInside();
}

/** The crashes in the middle of the steps of the current world, and of starts. */
function crashInside(): void {
  copy(into, state, (last + 1) << 2); // time has passed in it
  setInside(true);
  if (may & allowed.choose) answerChoice();
  else for (let node = 0; node < nodes; node++) expandNode(node);
  setInside(false);
  if (may & allowed.starting) crashInsideStarts();
}

/**
 * What can happen to messages within one process; false where nothing is in flight there. Those of a
 * node that is being stopped, and to it, may be lost.
 */
function receiveInProcess(): boolean {
  let isBusy = false;
  const count = load<i32>(inProcess);
  for (let index = 0; index < count; index++) {
    const channel = load<i32>(inProcess + (index << 3), 4);
    const back = load<i32>(inProcess + (index << 3), 8);
    const slot = nodes + channel;
    const content = get(slot);
    if (content === 0) continue;
    isBusy = true;
    const node = load<i32>(receivers + (channel << 2));
    const heads = one(tables.dequeues, 0, content);
    const end = heads + at(heads);
    const isLost = one(tables.stops, 0, content) & 2;
    const mayLose = isLost !== 0 || (one(tables.stops, 0, get(nodes + back)) & 1) !== 0;
    for (let entry = heads + 1; entry < end; entry += 2) {
      const message = at(entry);
      const rest = at(entry + 1);
      take(two(tables.delivery, channel, get(node), message), node, slot, rest, noEvent);
      if (mayLose) takeOnChannel(one(tables.drop, channel, message), slot, rest, noEvent);
    }
  }
  return isBusy;
}

function expandNode(node: i32): void {
  const place = get(node);
  const steps = one(tables.own, node, place);
  const end = steps + at(steps);
  for (let index = steps + 1; index <= end; index++) take(at(index), node, -1, 0, noEvent);
  const lastSlot = load<i32>(incoming + ((node + 1) << 2));
  for (let index = load<i32>(incoming + (node << 2)); index < lastSlot; index++) {
    const slot = load<i32>(slots + (index << 2));
    const content = get(slot);
    if (content !== 0) receive(node, place, slot, content);
  }
  if (may & (allowed.crash | allowed.restart)) crashOrRestart(node, place);
}

/** The deliveries from one channel: of its head, or without order of each message. */
function receive(node: i32, place: i32, slot: i32, content: i32): void {
  const heads = one(tables.dequeues, 0, content);
  const end = heads + at(heads);
  for (let entry = heads + 1; entry < end; entry += 2) {
    const message = at(entry);
    const rest = at(entry + 1);
    const isNow = tick < 0 || one(tables.isDue, 0, message) === 1;
    if (may !== 0) receiveOrLose(node, place, slot, content, message, rest, isNow);
    else if (isNow)
      take(two(tables.delivery, slot - nodes, place, message), node, slot, rest, noEvent);
  }
  if (mayUnsend && !isInside) loseUnsent(slot, content);
}

/** What the crash of its sender loses of one channel. */
function loseUnsent(slot: i32, content: i32): void {
  const sender = load<i32>(senders + ((slot - nodes) << 2));
  if (one(tables.crashed, sender, get(sender)) === 0) return;
  const lost = one(tables.unsent, slot - nodes, content);
  const end = lost + at(lost);
  for (let entry = lost + 1; entry < end; entry += 2)
    takeOnChannel(at(entry), slot, at(entry + 1), noEvent);
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
  const isDown = one(tables.crashed, node, place) === 1;
  if (!isApart && isNow)
    take(two(tables.delivery, channel, place, message), node, slot, rest, noEvent);
  if (isInside) return;
  const vanishes = isNow && (isApart || isDown); // nothing is there to receive it
  if (vanishes ? isApart : (may & allowed.lose) !== 0)
    takeOnChannel(
      one(tables.drop, channel, message),
      slot,
      rest,
      vanishes ? noEvent : events.losses,
    );
  if (isApart || may < allowed.otherFault) return;
  const others = two(tables.disturbances, channel, content, message);
  const end = others + at(others);
  for (let entry = others + 1; entry < end; entry += 4)
    if ((may & at(entry)) !== 0) takeOnChannel(at(entry + 1), slot, at(entry + 2), at(entry + 3));
}

function crashOrRestart(node: i32, place: i32): void {
  const isDown = one(tables.crashed, node, place) === 1;
  if ((may & (isDown ? allowed.restart : allowed.crash)) === 0) return;
  if (isDown) take(one(tables.restart, node, place), node, -1, 0, events.restarts);
  else if (!isInside && one(tables.mayCrash, node, place) === 1)
    takeOne(one(tables.crash, node, place), node, -1, 0, events.crashes, noEvent);
}

/** The answers to the first open choice; no other action is possible before. */
function answerChoice(): void {
  const end = list + at(list);
  const first = list + 2 + channels;
  const node = at(first);
  for (let index = first + 1; index <= end; index++)
    take(two(tables.answer, node, get(node), at(index)), node, -1, 0, events.answer);
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
    const then = slot < nodes ? one(tables.nodeLater, slot, now) : one(tables.contentLater, 0, now);
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
function crashInsideStarts(): void {
  const starts = one(tables.insideStarts, 0, get(last));
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
