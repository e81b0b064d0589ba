/**
 * The messages in flight of a world: for each channel a list, oldest first, and in exact time when
 * each may arrive. Under `fifo` order only the first may arrive next, under `any` order each. A
 * split of the network is the side that is cut off, without the first node.
 */

import { faults } from '@conclave/core/internal';
import type { InFlight, LocalState, Message, NodeId } from '@conclave/core/protocol';
import type { Link, Topology } from '@conclave/core/topology';
import { badInput } from '../base/bad-input.js';
import { sameData } from './canonical.js';
import type { Application } from './commands.js';
import type { Clocks, Due } from './time.js';
import type { World } from './world.js';

/** The part of a world that is in flight. */
interface Network {
  readonly channels: World['channels'];
  readonly clocks?: Clocks;
}

/** A message in flight and, in exact time, when it arrives. */
export interface Parcel extends InFlight {
  readonly due?: Due;
}

export function put<W extends Network>(world: W, { from, to, message, due }: Parcel): W {
  const key = `${from}→${to}`;
  return withChannel(
    world,
    key,
    [...(world.channels[key] ?? []), message],
    due && [...duesOf(world, key), due],
  );
}

/** @throws {ConclaveError} `bad-input` if there is no such message in flight. */
export function take<W extends Network>(world: W, sent: Parcel): W {
  const { key, waiting, index } = find(world, sent);
  return withChannel(
    world,
    key,
    waiting.toSpliced(index, 1),
    duesOf(world, key).toSpliced(index, 1),
  );
}

/** @param index the position of the message in its channel, the oldest first. */
export const takeAt = <W extends Network>(
  world: W,
  { from, to }: Pick<InFlight, 'from' | 'to'>,
  index: number,
): W => {
  const key = `${from}→${to}`;
  return withChannel(
    world,
    key,
    (world.channels[key] ?? []).toSpliced(index, 1),
    duesOf(world, key).toSpliced(index, 1),
  );
};

/** Without all messages of a channel. */
export const withoutMessages = <W extends Network>(
  world: W,
  { from, to }: Pick<InFlight, 'from' | 'to'>,
): W => withChannel(world, `${from}→${to}`, []);

/** How a channel of a crashed node loses messages. */
interface Unsent<M> {
  /** A crash notice is of the network, which loses none. */
  readonly isNotice: (message: M) => boolean;
  /** Whether the messages at two positions are the same. */
  readonly isSame: (one: number, other: number) => boolean;
  readonly order: 'fifo' | 'any';
}

/**
 * The positions of the messages that a crash of their sender may lose next: with `fifo` the newest
 * one, with `any` each different one.
 */
export function unsentOf<M>(
  messages: readonly M[],
  { isNotice, isSame, order }: Unsent<M>,
): readonly number[] {
  const sent = messages.flatMap((message, index) => (isNotice(message) ? [] : [index]));
  return order === 'fifo'
    ? sent.slice(-1)
    : sent.filter((one, index) => sent.findIndex((other) => isSame(one, other)) === index);
}

/**
 * With what a fault of channels leaves in place of `sent`, which arrives when that would.
 * @throws {ConclaveError} `bad-input` if there is no such message in flight.
 */
export function disturb<W extends Network>(world: W, fault: faults.ChannelFault, sent: Parcel): W {
  const { key, waiting, index } = find(world, sent);
  const dues = duesOf(world, key);
  const left = faults.channelFaults[fault].leaves(sent.message);
  return withChannel(
    world,
    key,
    waiting.toSpliced(index, 1, ...left),
    dues.toSpliced(index, 1, ...left.flatMap(() => dues.slice(index, index + 1))),
  );
}

/**
 * The messages of a channel with their times of arrival: only the oldest with `fifo`, each
 * different one with `any`.
 */
export function nextOf(
  world: Network,
  { from, to }: Pick<InFlight, 'from' | 'to'>,
  order: 'fifo' | 'any',
): readonly Parcel[] {
  const key = `${from}→${to}`;
  const waiting = world.channels[key] ?? [];
  const dues = duesOf(world, key);
  const parcels = waiting.map((message, index): Parcel => {
    const due = dues[index];
    return { from, to, message, ...(due && { due }) };
  });
  return order === 'fifo' || parcels.length < 2
    ? parcels.slice(0, 1)
    : parcels.filter(
        (parcel, index) => parcels.findIndex((other) => sameData(other, parcel)) === index,
      );
}

export const duesOf = ({ clocks }: Network, key: string): readonly Due[] => clocks?.dues[key] ?? [];

function withChannel<W extends Network>(
  world: W,
  key: string,
  messages: readonly Message[],
  dues: readonly Due[] = [],
): W {
  const channels = withEntry(world.channels, key, messages);
  return {
    ...world,
    channels,
    ...(world.clocks && {
      clocks: { ...world.clocks, dues: withEntry(world.clocks.dues, key, dues) },
    }),
  };
}

/** With an empty list the entry is left out. */
function withEntry<T>(
  record: Readonly<Record<string, readonly T[]>>,
  key: string,
  list: readonly T[],
): Readonly<Record<string, readonly T[]>> {
  const changed: Record<string, readonly T[]> = {};
  // spreading takes three times as long
  for (const name of Object.keys(record))
    if (name !== key || list.length > 0) changed[name] = record[name] ?? [];
  if (list.length > 0) changed[key] = list;
  return changed;
}

function find(world: Network, { from, to, message, due }: Parcel) {
  const key = `${from}→${to}`;
  const waiting = world.channels[key] ?? [];
  const dues = duesOf(world, key);
  const index = waiting.findIndex(
    (other, place) =>
      sameData(other, message) && (due === undefined || sameData(dues[place] ?? {}, due)),
  );
  if (index < 0) throw badInput(`No such '${message.type}' is in flight from ${from} to ${to}`);
  return { key, waiting, index };
}

// What a world says of one node or one message.

/** The local state of a node. @throws {ConclaveError} `bad-input` for an unknown one. */
export function localOf(world: World, id: NodeId): LocalState {
  const state = world.nodes[id];
  if (!state) throw badInput(`The world has no node '${id}'`);
  return state;
}

/** What the commands of a node have been so far. */
export const applicationOf = ({ remaining }: World, id: NodeId): Application => ({
  commands: remaining.commands[id] ?? [],
  fulfilled: remaining.fulfilled[id] ?? [],
});

/** Whether a message in flight may have arrived by now. */
export const isDue = ({ due }: Pick<Parcel, 'due'>): boolean =>
  due === undefined || due.least === 0;

/** Whether a message in flight on a channel can arrive now. */
export const canArrive = ({ crashed, cut }: World, channel: Link): boolean =>
  !crashed.includes(channel.to) && !crosses(cut, channel);

/** Whether a split of `side` from the other nodes cuts the channel `from`→`to`. */
export function crosses(
  side: readonly NodeId[],
  { from, to }: { readonly from: NodeId; readonly to: NodeId },
): boolean {
  return side.includes(from) !== side.includes(to);
}

/**
 * Every split of a network into two parts that cuts some channel: the part without its first node,
 * in the order of its nodes. With n nodes there are up to 2ⁿ⁻¹ − 1.
 */
export function sidesOf({ nodes, links }: Topology): readonly (readonly NodeId[])[] {
  let sides: readonly (readonly NodeId[])[] = [[]];
  for (const node of nodes.slice(1)) sides = [...sides, ...sides.map((side) => [...side, node])];
  return sides.filter((side) => links.some((link) => crosses(side, link)));
}

/**
 * The part without the first node of a split that cuts exactly these channels; undefined if none
 * does. Parts that no channel links are put together with the first node.
 */
export function sideOf(
  { nodes, links }: Topology,
  cut: readonly { readonly from: NodeId; readonly to: NodeId }[],
): readonly NodeId[] | undefined {
  const isCut = new Set(cut.map(({ from, to }) => `${from}→${to}`));
  const crossesCut = ({ from, to }: Link) => isCut.has(`${from}→${to}`);
  /** By node: whether it is on the other side than the first one of its part. */
  const apart = new Map<NodeId, boolean>();
  for (const first of nodes) {
    if (apart.has(first)) continue;
    apart.set(first, false);
    const open = [first];
    for (const at of open)
      for (const link of links.filter(({ from, to }) => from === at || to === at)) {
        const other = link.from === at ? link.to : link.from;
        if (apart.has(other)) continue;
        apart.set(other, apart.get(at) !== crossesCut(link));
        open.push(other);
      }
  }
  const side = nodes.filter((node) => apart.get(node));
  const isSplit =
    side.length > 0 && links.every((link) => crosses(side, link) === crossesCut(link));
  return isSplit ? side : undefined;
}
