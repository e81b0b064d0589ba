/** The state of a whole system of live nodes. */
import type { Command, Message } from '../../../protocol/node.js';
import { type Local, type Told, textOf } from './live-node.contract.js';

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
