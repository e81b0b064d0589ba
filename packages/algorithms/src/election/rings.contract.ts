/** The small rings on which elections are explored completely. */

import type { NodeId } from '@conclave/core/protocol';
import { ring, type Topology } from '@conclave/core/topology';
import type { AnyStateMachine } from 'xstate';
import { withState } from '../contract/mutant.js';
import type { SmallSystem } from '../contract/shared.contract.js';

/** Each network with each non-empty set of initiators. */
export const withAnyInitiators = (topologies: readonly Topology[]): readonly SmallSystem[] =>
  topologies.flatMap((topology) =>
    Array.from({ length: 2 ** topology.nodes.length - 1 }, (_, set) => ({
      topology,
      budget: { initiators: topology.nodes.filter((_, index) => ((set + 1) >> index) & 1) },
    })),
  );

/** The machine with a leader that has terminated before its announcement returns. */
export const withHastyLeader = (machine: AnyStateMachine, leader = 'leader'): AnyStateMachine =>
  withState(withState(machine, [leader], { initial: 'known' }), [leader, 'known'], {
    on: { elected: {} },
  });

type RingOptions = Parameters<typeof ring>[1];

/** The rings of n nodes in each order of their ids, up to rotation: (n − 1)! of them. */
export function rings(n: number, options?: RingOptions): readonly Topology[] {
  const [first = '', ...others] = ring(n).nodes;
  return permutations(others).map((order) => ring([first, ...order], options));
}

/** Each of these rings with each non-empty set of initiators. */
export const anyInitiators = (n: number, options?: RingOptions): readonly SmallSystem[] =>
  rings(n, options).flatMap((topology) =>
    subsets(topology.nodes).map((initiators) => ({ topology, budget: { initiators } })),
  );

/**
 * The ids, given from the smallest on, in an order around a ring in which as many as possible are
 * larger than both neighbours, again and again.
 */
export function mostRounds(ids: readonly NodeId[]): readonly NodeId[] {
  if (ids.length < 2) return ids;
  const small = ids.slice(0, Math.ceil(ids.length / 2));
  const between = mostRounds(ids.slice(small.length)).flatMap((large, i) => [
    small[i] ?? '',
    large,
  ]);
  return [...between, ...small.slice(Math.floor(ids.length / 2))];
}

const permutations = (ids: readonly NodeId[]): readonly (readonly NodeId[])[] =>
  ids.length === 0
    ? [[]]
    : ids.flatMap((id) =>
        permutations(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]),
      );

/** The non-empty sets. */
const subsets = (ids: readonly NodeId[]): readonly (readonly NodeId[])[] =>
  Array.from({ length: 2 ** ids.length - 1 }, (_, set) =>
    ids.filter((_, index) => ((set + 1) >> index) & 1),
  );
