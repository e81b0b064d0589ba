import type { Json } from '@conclave/core/protocol';

/** What `prove` proves of an algorithm with these options: for-every-n.test.ts proves each again. */
export interface ForEveryN {
  readonly options: Readonly<Record<string, Json>>;
  /** How many nodes a view has. */
  readonly views: number;
  /** Such as `star:n`. */
  readonly networks: string;
  /** Whether the names may stand in any order around a ring. */
  readonly anyOrder?: true;
  /** Whether the network may be any tree whose nodes have so many neighbours at most. */
  readonly anyTree?: number;
  readonly properties: readonly string[];
  /** The first of the assumptions that `prove` prints. */
  readonly assumed: string;
}

const exclusion = 'at most one node is in the critical section';
const oneToken = 'there is exactly one token, in a node or on its way';
const handled = 'every message is handled or explicitly ignored';
const noStepFails = 'no step fails';

const upTo = (nodes: number): string =>
  `a node of a network of more than ${nodes} nodes does nothing new`;

const tokenOnRing: ForEveryN = {
  options: {},
  views: 2,
  networks: 'ring:n',
  properties: [exclusion, oneToken, handled, noStepFails],
  assumed: upTo(9),
};

const electionOnRing: ForEveryN = {
  options: {},
  views: 2,
  networks: 'ring:n',
  anyOrder: true,
  properties: [
    'at most one node is the leader',
    'a node that is the leader knows itself as the leader',
    'the leader has the largest id',
    noStepFails,
  ],
  assumed: upTo(9),
};

/** By the id; none for an algorithm of which nothing is proved. */
export const forEveryN: Readonly<Record<string, readonly ForEveryN[]>> = {
  A1: [{}, { cancel: true }, { acknowledge: true }].map((options) => ({
    options,
    views: 2,
    networks: 'star:n',
    properties: [exclusion, handled, noStepFails],
    assumed: upTo(10),
  })),
  A3: [{}, { cancel: true }].map((options) => ({
    options,
    views: 2,
    networks: 'complete:n',
    properties: [exclusion, handled, noStepFails],
    assumed: upTo(6),
  })),
  A7: [{}, { cancel: true }, { piggyback: true }, { greedy: 1 }].map((options) => ({
    ...tokenOnRing,
    options,
    networks: 'tree:2:n',
    anyTree: 3,
    assumed: upTo(24),
  })),
  A10: [{}, { greedy: 1 }].map((options) => ({ ...tokenOnRing, options })),
  A11: [{}, { cancel: true }].map((options) => ({ ...tokenOnRing, options })),
  B3: [electionOnRing],
  B4: [electionOnRing],
};
