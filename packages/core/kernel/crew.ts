/** The threads of a search, and the memory of each. */
import { mostThreads } from '../src/exploration/search/kernel/format/search';
import { adoptExpansion, shareExpansion } from './expand';
import { allocate } from './memory';
import { adoptPending, sharePending } from './pending';
import { edgeBytes, lastProposal, useEdges, useRoom, withdraw } from './proposals';
import { adoptRound, mostSources, shareRound } from './round-data';
import { adoptSignatures, shareSignatures } from './signatures';
import { adoptTables, shareTables } from './tables';
import { adoptWorld, channels, nodes, shareWorld } from './world';
import { adoptWorlds, shareWorlds, wideBytes } from './worlds';

/** The memory of a thread: see {@link reserveThread}. */
const entry: usize = 32;
/** The edges of a thread in a round, if they are kept. */
const edgeRoom: usize = 1 << 19;
let keepsEdges = false;
const members = memory.data(mostThreads * 32);
const common = memory.data(16);

/** How many threads there are, with the first one. */
export let threads: u32 = 0;
/** The bytes of the records and proposals of a thread, its candidates and proposals in a round. */
export const recordRoom: usize = 1 << 20;
let proposalRoom: usize = 0;
const candidateRoom: usize = 4 * mostSources;
let reserved: u32 = 0;

/** The most worlds that a round finds. */
export function mostFound(count: u32): u32 {
  return <u32>candidateRoom * count;
}

/** Prepares for so many threads, with the first one. */
export function reserveThreads(count: u32, edges: boolean): void {
  keepsEdges = edges;
  proposalRoom = min<usize>(candidateRoom * (24 + wideBytes), 1 << 23);
  const world: usize = (nodes + channels + 3) << 2;
  for (; reserved < count; reserved++) {
    const member = members + <usize>reserved * entry;
    store<usize>(member, allocate(world));
    store<usize>(member, allocate(world), 4);
    store<usize>(member, reserved > 0 ? allocate(recordRoom) : 0, 8);
    store<usize>(member, allocate(proposalRoom), 12);
    store<usize>(member, allocate(candidateRoom << 4), 16);
  }
  for (let index: u32 = 0; edges && index < count; index++) {
    const list = members + <usize>index * entry + 24;
    if (load<usize>(list) === 0) store<usize>(list, allocate(edgeRoom * edgeBytes));
  }
  threads = count;
}

/** How many bytes the rounds take in addition to the worlds. */
export function crewBytes(count: u32): usize {
  return <usize>count * (recordRoom + (1 << 23) + (candidateRoom << 4) + edgeRoom * edgeBytes);
}

/** What the other threads need to know of this round; `most`: proposals of each thread. */
export function share(most: u32): void {
  store<u32>(common, most);
  store<usize>(common, proposalRoom, 4);
  store<u32>(common, keepsEdges ? 1 : 0, 8);
  shareWorlds();
  shareWorld();
  sharePending();
  shareTables();
  shareExpansion();
  shareSignatures();
  shareRound();
}

export function adopt(thread: u32): void {
  const member = members + <usize>thread * entry;
  proposalRoom = load<usize>(common, 4);
  adoptWorlds();
  adoptWorld(load<usize>(member), load<usize>(member, 4));
  adoptPending(load<usize>(member, 8), recordRoom);
  adoptTables();
  adoptExpansion();
  adoptSignatures();
  adoptRound();
}

/** Before the first chunk of a round. */
export function beginMember(thread: u32): void {
  const member = members + <usize>thread * entry;
  useRoom(
    load<usize>(member, 12),
    proposalRoom,
    load<usize>(member, 16),
    candidateRoom,
    load<u32>(common),
  );
  if (load<u32>(common, 8) !== 0) useEdges(load<usize>(member, 24), edgeRoom);
  else useEdges(0, 0);
}

/** After a chunk: where the proposals of this thread end. */
export function noteProposals(thread: u32): void {
  store<usize>(members + <usize>thread * entry, lastProposal, 20);
}

/** The first thread, before a round. */
export function clearProposals(): void {
  for (let thread: u32 = 0; thread < threads; thread++)
    store<usize>(
      members + <usize>thread * entry,
      load<usize>(members + <usize>thread * entry, 12),
      20,
    );
}

export function withdrawAll(): void {
  for (let thread: u32 = 0; thread < threads; thread++) {
    const member = members + <usize>thread * entry;
    withdraw(load<usize>(member, 12), load<usize>(member, 20));
  }
}
