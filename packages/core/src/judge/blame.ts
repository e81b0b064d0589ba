import { ConclaveError } from '../base/error.js';
import { answerOf } from '../protocol/answer.js';
import { systemViewOf } from '../protocol/check-properties.js';
import type { NodeId } from '../protocol/node.js';
import type { PropertyOf, SystemView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Reason } from './tracker.js';

/**
 * At most so many sets of nodes are taken out: all sets of one and two nodes of a network of 20.
 */
const mostSets = 210;
const mostAtOnce = 3;

/** Why a predicate does not answer `wanted`: the nodes without which it would. */
export function withoutSome(
  property: PropertyOf<'always' | 'never' | 'alwaysEventually'>,
  protocol: Protocol,
  system: SystemView,
  wanted: boolean,
): Reason {
  const sets = blamed(property, protocol, system, wanted);
  const nodes = system.nodes
    .map(({ id }) => id)
    .filter((id) => sets.some((set) => set.includes(id)));
  if (sets.length === 0) return { reason: 'No single node is to blame.', nodes };
  const named = sets.map((set) => listed(set, 'and'));
  return { reason: `It would hold without ${listed(named, 'or without')}.`, nodes };
}

/**
 * The smallest sets of nodes without which a predicate would answer `wanted`: found by taking nodes
 * out of the view, with the messages in flight from and to them. Empty if there is none among the
 * smallest sets.
 */
function blamed(
  property: PropertyOf<'always' | 'never' | 'alwaysEventually'>,
  protocol: Protocol,
  system: SystemView,
  wanted: boolean,
): readonly (readonly NodeId[])[] {
  let left = mostSets;
  const wouldDo = (without: readonly NodeId[]): boolean => {
    const nodes = system.nodes.filter(({ id }) => !without.includes(id));
    const inFlight = () =>
      system.inFlight().filter(({ from, to }) => !without.includes(from) && !without.includes(to));
    try {
      return answerOf(property, property.holds, systemViewOf(protocol, nodes, inFlight)) === wanted;
    } catch (error) {
      if (error instanceof ConclaveError) return false; // it looks for a node that was taken out
      throw error;
    }
  };
  const ids = system.nodes.map(({ id }) => id);
  for (let size = 1; size <= mostAtOnce && size < ids.length; size++) {
    const sets = setsOf(ids, size);
    left -= sets.length;
    if (left < 0) return [];
    const found = sets.filter(wouldDo);
    if (found.length > 0) return found;
  }
  return [];
}

/** All sets of `size` of the items, in their order. */
const setsOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  size === 0
    ? [[]]
    : items.flatMap((item, index) =>
        setsOf(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]),
      );

/** `a`, `a and b`, `a, b and c`. */
export const listed = (items: readonly string[], last: string): string =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
