/**
 * The worlds that a round finds, before they have numbers: proposals. Threads enter them into the
 * table of worlds without locks.
 */
import { end, records } from './pending';
import { cancelRound, noteWide } from './round-data';
import {
  actionAt,
  copy,
  isSame,
  kindAt,
  mask,
  narrowBytes,
  proposed,
  recordBytes,
  sourceAt,
  table,
  touch,
  wideBytes,
  worldAt,
} from './worlds';

/** A proposal: the first step that leads to it, its cell, and once it is settled its number; whether it has large numbers, the world. */
export const cellAt: usize = 8;
export const wideAt: usize = 12;
export const targetAt: usize = 16;
/** A candidate: a proposal, and a step that may be the first one: source, its place there, action. */
export const candidateBytes: usize = 16;
export const fromAt: usize = 4;
export const placeAt: usize = 8;
export const takenAt: usize = 12;

/** The proposals of this thread, and its candidates. */
export let lastProposal: usize = 0;
let mostProposals: usize = 0;
export let lastCandidate: usize = 0;
let mostCandidates: usize = 0;
/** The edges of this thread, if they are kept: the target, as a cell names it, and the action. */
export const edgeBytes: usize = 8;
export let lastEdge: usize = 0;
let mostEdges: usize = 0;
/** How many further proposals the table of worlds has room for. */
let room: i32 = 0;

/** `length`: how many edges have room at `list`; 0 if none are kept. */
export function useEdges(list: usize, length: usize): void {
  lastEdge = list;
  mostEdges = list + length * edgeBytes;
}

export function useRoom(from: usize, bytes: usize, list: usize, length: usize, most: u32): void {
  lastProposal = from;
  mostProposals = from + bytes;
  lastCandidate = list;
  mostCandidates = list + length * candidateBytes;
  room = most;
}

/** The bytes of a proposal. */
function bytesOf(isWide: boolean): usize {
  return targetAt + (((isWide ? wideBytes : narrowBytes) + 7) & ~7);
}

/** Proposes the targets of all pending records. */
export function proposeAll(): void {
  const count = (end - records) / recordBytes;
  if (
    lastProposal + count * bytesOf(true) > mostProposals ||
    lastCandidate + count * candidateBytes > mostCandidates ||
    room < <i32>count ||
    (mostEdges !== 0 && lastEdge + count * edgeBytes > mostEdges)
  ) {
    cancelRound();
    return;
  }
  touch(records, end);
  let source: u32 = 0xffff_ffff;
  let place: u32 = 0;
  for (let record = records; record < end; record += recordBytes) {
    const next = load<u32>(record, sourceAt);
    place = next === source ? place + 1 : 0;
    source = next;
    const target = propose(record, ((<u64>source) << 32) | place);
    if (mostEdges === 0) continue;
    store<u32>(lastEdge, target);
    store<u32>(lastEdge, load<u32>(record, actionAt), 4);
    lastEdge += edgeBytes;
  }
}

/** What the cell of the target names: a number plus one, or a proposal. */
function propose(record: usize, step: u64): u32 {
  const hash = load<u32>(record);
  let place = (hash - 1) & mask;
  while (true) {
    place = (place + 1) & mask;
    const cell = table + (place << 3);
    let found = atomic.load<u64>(cell);
    if (found === 0) {
      write(record, place, step);
      found = atomic.cmpxchg<u64>(
        cell,
        0,
        <u64>hash | ((<u64>((<u32>lastProposal >> 3) | proposed)) << 32),
      );
      if (found === 0) {
        const own = lastProposal;
        lastProposal += bytesOf(load<u32>(own, wideAt) !== 0);
        room--;
        nominate(own, record, step);
        return (<u32>own >> 3) | proposed;
      }
    }
    if (<u32>found !== hash) continue;
    const next = <u32>(found >> 32);
    if ((next & proposed) === 0) {
      if (isSame(next - 1, record)) return next;
    } else if (isSameProposal((<usize>next) << 3, record)) {
      lower((<usize>next) << 3, record, step);
      return next;
    }
  }
}

function write(record: usize, place: u32, step: u64): void {
  const kind = load<u32>(record, kindAt);
  store<u64>(lastProposal, step);
  store<u32>(lastProposal, place, cellAt);
  store<u32>(lastProposal, kind, wideAt);
  copy(lastProposal + targetAt, record + worldAt, kind !== 0 ? wideBytes : narrowBytes);
  if (kind !== 0) noteWide();
}

function isSameProposal(proposal: usize, record: usize): boolean {
  const kind = load<u32>(record, kindAt);
  if (load<u32>(proposal, wideAt) !== kind) return false;
  const length = kind !== 0 ? wideBytes : narrowBytes;
  for (let at: usize = 0; at < length; at += 4)
    if (load<u32>(proposal + at, targetAt) !== load<u32>(record + at, worldAt)) return false;
  return true;
}

/** The first step to a proposal is the least of all. */
function lower(proposal: usize, record: usize, step: u64): void {
  let known = atomic.load<u64>(proposal);
  while (step < known) {
    const seen = atomic.cmpxchg<u64>(proposal, known, step);
    if (seen === known) {
      nominate(proposal, record, step);
      return;
    }
    known = seen;
  }
}

function nominate(proposal: usize, record: usize, step: u64): void {
  const candidate = lastCandidate;
  store<usize>(candidate, proposal);
  store<u32>(candidate, <u32>(step >> 32), fromAt);
  store<u32>(candidate, <u32>step, placeAt);
  store<u32>(candidate, load<u32>(record, actionAt), takenAt);
  lastCandidate += candidateBytes;
}

/** The number of the target of an edge, once all proposals are settled. */
export function targetOf(edge: usize): u32 {
  const target = load<u32>(edge);
  return target & proposed ? load<u32>((<usize>target) << 3, cellAt) : target - 1;
}

/** Whether the step of a candidate is the first one to its proposal. */
export function isFirst(candidate: usize): boolean {
  const step = ((<u64>load<u32>(candidate, fromAt)) << 32) | load<u32>(candidate, placeAt);
  return load<u64>(load<usize>(candidate)) === step;
}

/** Empties the cells of all proposals of a thread: then the table is as it was before the round. */
export function withdraw(from: usize, last: usize): void {
  for (let proposal = from; proposal < last; ) {
    store<u64>(table + (load<usize>(proposal, cellAt) << 3), 0);
    proposal += bytesOf(load<u32>(proposal, wideAt) !== 0);
  }
}
