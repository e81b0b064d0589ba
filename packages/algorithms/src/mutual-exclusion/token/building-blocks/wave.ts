/** How a wish spreads over a network of which each node knows its neighbours only. */
import type { NodeId, Received } from '@conclave/core/protocol';
import { type Counts, countOf, noted } from './token-knowledge.js';

/** The `k`-th wish of `initiator`, on its way through the network. */
export interface Search {
  readonly type: 'search';
  readonly initiator: NodeId;
  readonly k: number;
}

/** The answer to it, where the wave comes back. */
export interface Echo {
  readonly type: 'echo';
  readonly initiator: NodeId;
  readonly k: number;
}

/** What a node has heard of wishes. */
export interface Heard {
  /** The latest wish of each node, its own included. */
  readonly requested: Counts;
  /** The neighbour on the way to each other node: from where its latest wish was heard of first. */
  readonly towards: Readonly<Record<NodeId, NodeId>>;
  /** Where the wave comes back: from how many neighbours the latest wish of each node has still to be heard of. */
  readonly awaited?: Counts;
}

export interface Hearer extends Heard {
  readonly self: NodeId;
  readonly neighbours: readonly NodeId[];
}

/** What a node knows after a step of a wave, as far as that is new, and what it sends. */
export interface Spread {
  readonly known: Partial<Heard>;
  readonly sent: readonly (readonly [to: NodeId, message: Search | Echo])[];
}

export interface Wave {
  /** The node has a wish, which is counted already. */
  readonly begun: (node: Hearer) => Spread;
  readonly heard: (node: Hearer, message: Received<Search | Echo>) => Spread;
  /** Whether there are echoes. */
  readonly comesBack: boolean;
}

const nothing: Spread = { known: {}, sent: [] };

/** Whoever hears of a wish tells its other neighbours, once. All come to know it, and from where; nobody comes to know that all do. */
export const flood: Wave = {
  begun: ({ self, neighbours, requested }) => ({
    known: {},
    sent: neighbours.map((id) => [id, { type: 'search', initiator: self, k: countOf(requested, self) }]),
  }),
  heard: ({ neighbours, requested, towards }, { initiator, k, from }) => {
    if (k <= countOf(requested, initiator)) return nothing;
    return {
      known: { requested: noted(requested, initiator, k), towards: { ...towards, [initiator]: from } },
      sent: neighbours.filter((id) => id !== from).map((id) => [id, { type: 'search', initiator, k }]),
    };
  },
  comesBack: false,
};
