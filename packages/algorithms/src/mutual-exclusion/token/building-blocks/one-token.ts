import { always, type NodeId, type NodeView, type Property, type TopologyNeed } from '@conclave/core/protocol';
import { chain, complete, needs, nodeNames, ring, type Topology } from '@conclave/core/topology';

/** What every protocol with messages `types` that are a token and states tagged `token` promises: none is made, none goes astray. */
export const oneTokenIn = (...types: readonly string[]): Property =>
  always(
    'there is exactly one token, in a node or on its way',
    (system) => types.reduce((sum, type) => sum + system.inFlight(type).length, system.count('token')) === 1,
  );

export const oneToken: Property = oneTokenIn('token');

/** The fence of a token that counts the entries it has let in; the count is in the context of the node that has the token. */
export const entriesSoFar = ({ context }: NodeView): number => Number(context.entries);

/** A complete network; one that has the node `holder` in it, where it is said who has the token at first. */
export const completeWith = (holder: NodeId | undefined): TopologyNeed => withHolder(needs.complete, holder, complete);

/** A one-way ring, in the same way. */
export const ringWith = (holder: NodeId | undefined): TopologyNeed => withHolder(needs.oneWayRing, holder, (ids) => ring(ids));

/** A connected network, in the same way. */
export const connectedWith = (holder: NodeId | undefined): TopologyNeed => withHolder(needs.connected, holder, chain);

/** A tree, in the same way. */
export const treeWith = (holder: NodeId | undefined): TopologyNeed => withHolder(needs.tree, holder, chain);

function withHolder(need: TopologyNeed, holder: NodeId | undefined, of: (ids: readonly NodeId[]) => Topology): TopologyNeed {
  if (holder === undefined) return need;
  return {
    ...need,
    refuses: (topology) => need.refuses(topology) ?? (topology.has(holder) ? undefined : `there is no node '${holder}' to hold the token`),
    example: (n) => of([holder, ...nodeNames(n).filter((id) => id !== holder)].slice(0, n)),
  };
}
