import { always, type NodeId, type NodeView, type Property, type Protocol } from '@conclave/core/protocol';
import { chain, complete, needs, ring, type Topology } from '@conclave/core/topology';

/** Of a protocol with states tagged `token` and messages of these types that carry the token. */
export const oneTokenIn = (...types: readonly string[]): Property =>
  always(
    'there is exactly one token, in a node or on its way',
    (system) => types.reduce((sum, type) => sum + system.inFlight(type).length, system.count('token')) === 1,
  );

export const oneToken: Property = oneTokenIn('token');

/** The fencing token where the token counts entries: the count, in the context of the node that has the token. */
export const entriesSoFar = ({ context }: NodeView): number => Number(context.entries);

/** A complete network; one with the node `holder`, if that is given: the node that has the token at first. */
export const completeWith = (holder: NodeId | undefined): Protocol['topology'] => withHolder(needs.complete, holder, complete);

/** The same for a one-way ring. */
export const ringWith = (holder: NodeId | undefined): Protocol['topology'] => withHolder(needs.oneWayRing, holder, (ids) => ring(ids));

/** The same for a connected network. */
export const connectedWith = (holder: NodeId | undefined): Protocol['topology'] => withHolder(needs.connected, holder, chain);

/** The same for a tree. */
export const treeWith = (holder: NodeId | undefined): Protocol['topology'] => withHolder(needs.tree, holder, chain);

function withHolder(
  need: Protocol['topology'],
  holder: NodeId | undefined,
  of: (ids: readonly NodeId[]) => Topology,
): Protocol['topology'] {
  if (holder === undefined) return need;
  return {
    ...need,
    refuses: (topology) => need.refuses(topology) ?? (topology.has(holder) ? undefined : `there is no node '${holder}' to hold the token`),
    example: (n) => of([holder, ...need.example(n).nodes.filter((id) => id !== holder)].slice(0, n)),
  };
}
