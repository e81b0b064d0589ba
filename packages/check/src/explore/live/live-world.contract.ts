/** The state of a whole system of live nodes. */

import type { Command, ExactTime, Message, NodeId } from '@conclave/core/protocol';
import type { Send } from '../../../../core/src/protocol/effects.js';
import { type LiveNode, type Local, type Told, textOf } from './live-node.contract.js';

/** A message in flight. */
export interface Letter {
  readonly message: Message;
  /** In ticks since it was sent. */
  readonly age: number;
}

/** A node, and the ages of its clocks: none runs where it is down. */
export interface Place {
  readonly local: Local;
  /** By armed timer: the ticks since then. */
  readonly armed: readonly number[];
  /** By tag with a bounded stay: the ticks in it; −1: the node has not got the tag. */
  readonly stayed: readonly number[];
  /** By optional command: how many are left. */
  readonly commands: readonly number[];
  /** The obligatory commands that it has got since they became due. */
  readonly given: readonly string[];
}

/** By position: nodes and links in the order of the topology. */
export interface LiveWorld {
  readonly places: readonly Place[];
  /** The oldest letter first; with `any` order sorted, since a channel is a bag. */
  readonly channels: readonly (readonly Letter[])[];
  readonly left: {
    readonly losses: number;
    readonly duplications: number;
    readonly crashes: number;
    readonly restarts: number;
  };
  /** The nodes that may still go down in the middle of their start. */
  readonly starting: readonly number[];
}

/** Two worlds are the same exactly if they share this text. */
export const keyOf = ({ places, channels, left, starting }: LiveWorld): string =>
  textOf([places.map(({ local, ...place }) => [local.text, place]), channels, left, starting]);

export type Order = 'fifo' | 'any';

/** A channel with these letters. */
export const channelOf = (letters: readonly Letter[], order: Order): readonly Letter[] =>
  order === 'fifo'
    ? letters
    : letters.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));

/** The letters that may be next: one with `fifo`, each different one with `any`. */
export const nextLetters = (letters: readonly Letter[], order: Order): readonly Letter[] =>
  order === 'fifo'
    ? letters.slice(0, 1)
    : [...new Map(letters.map((letter) => [textOf(letter), letter])).values()];

export const withoutLetter = (world: LiveWorld, link: number, letter: Letter): LiveWorld => {
  const letters = world.channels[link] ?? [];
  return {
    ...world,
    channels: world.channels.with(link, letters.toSpliced(letters.indexOf(letter), 1)),
  };
};

/** The node at a position. */
export const placeAt = ({ places }: LiveWorld, node: number): Place => places[node] as Place;

export const isDown = ({ places }: LiveWorld, node: number): boolean =>
  places[node]?.local.crashed ?? false;

/** What one action leads to. */
export interface Next {
  /** Undefined: the machine breaks the node contract there. */
  readonly world: LiveWorld | undefined;
  readonly isCrash: boolean;
}

/** What happens to one node, in the world without what it takes from it. */
export interface Move {
  readonly world: LiveWorld;
  readonly node: number;
  readonly told: Told;
  readonly command?: Command;
}

// Exact time as ages in whole ticks: how long ago a message was sent or a timer armed, how long a
// node has been in a state.

/** In ticks: from the youngest to the oldest age at which something happens. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

export interface Durations {
  message(from: NodeId, to: NodeId, message: Message): Range;
  timer(delay: number): Range;
  readonly stays: readonly { readonly tag: string; readonly range: Range }[];
}

/** Whether it may happen at this age. */
export const isRipe = ({ least }: Range, age: number): boolean => age >= least;

/** Whether it has to happen before it gets older. */
export const isOver = ({ most }: Range, age: number): boolean => age >= most;

/**
 * The age after a tick. What no longer makes a difference is not counted: beyond its bounds nothing
 * gets older.
 */
export const older = ({ least, most }: Range, age: number): number =>
  Math.min(age + 1, most === Infinity ? least : most);

const never: Range = { least: 0, most: Infinity };

/** Untimed: at any age, so that no age makes a difference. */
export const anyMoment: Durations = { message: () => never, timer: () => never, stays: [] };

/** @throws for a time that is no whole number of ticks. */
export function inTicks(time: ExactTime, tick: number): Durations {
  const { drift = 0 } = time;
  const ticks = (millionths: number): number => {
    const count = millionths / Math.round(tick * 1e6);
    if (!Number.isInteger(count) && count !== Infinity)
      throw new Error(`${millionths / 1e6} ms are no whole ticks of ${tick} ms`);
    return count;
  };
  const rangeOf = ([least, most]: ExactTime['delay']): Range => ({
    least: ticks(least * 1e6),
    most: ticks(most * 1e6),
  });
  const rangesOf = (intervals: Readonly<Record<string, ExactTime['delay']>> = {}) =>
    new Map(Object.entries(intervals).map(([name, interval]) => [name, rangeOf(interval)]));
  const byType = rangesOf(time.messages);
  const byLink = rangesOf(time.links);
  const otherwise = rangeOf(time.delay);
  const drifts = Math.round(drift * 1e6);
  return {
    message: (from, to, { type }) => byType.get(type) ?? byLink.get(`${from}→${to}`) ?? otherwise,
    timer: (delay) => ({
      least: ticks(delay * (1e6 - drifts)),
      most: ticks(delay * (1e6 + drifts)),
    }),
    stays: [...rangesOf(time.stays)].map(([tag, range]) => ({ tag, range })),
  };
}

// What a crash in the middle of a step leaves of what the step was sending, and what it leaves of
// the node.

/** Which of the sends of a step leave before the crash: each distinct part once. */
type Parts = (sends: readonly Send[], order: 'fifo' | 'any') => readonly (readonly Send[])[];

/** What happens to a node that goes down. */
export interface Crashes {
  readonly parts: Parts;
  readonly down: (node: LiveNode, local: Local) => Local;
}

/** Any part of the sends; on a `fifo` channel no message without those before it. */
const anyPart: Parts = (sends, order) => {
  const subsets = sends.reduce<readonly (readonly Send[])[]>(
    (known, sent) => known.flatMap((kept) => [[...kept, sent], kept]),
    [[]],
  );
  const keepsOrder = (kept: readonly Send[]) =>
    !sends.some(
      (lost, index) =>
        !kept.includes(lost) &&
        sends.slice(index).some((later) => later.to === lost.to && kept.includes(later)),
    );
  const possible = order === 'fifo' ? subsets.filter(keepsOrder) : subsets;
  return [...new Map(possible.map((kept) => [kept.map(textOf).sort().join(), kept])).values()];
};

/** A node goes down at any instant. What it has stored survives. */
export const anyInstant: Crashes = { parts: anyPart, down: (node, local) => node.down(local) };

/** Wrong: as if one channel waited for the other. */
export const oneAfterTheOther: Crashes = {
  ...anyInstant,
  parts: (sends) => [[], ...sends.map((_, index) => sends.slice(0, index + 1))],
};

/** Wrong: as if nothing were stored. */
export const forgetful: Crashes = { ...anyInstant, down: (node) => node.down(node.start().after) };

/** Wrong: as if a step stored its state only after it has sent. */
export const nothingInside: Crashes = { ...anyInstant, parts: (sends) => [sends] };
