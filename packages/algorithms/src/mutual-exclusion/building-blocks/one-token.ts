import { always, type NodeId, type Property, type TopologyNeed } from '@conclave/core/protocol';
import { needs, nodeNames } from '@conclave/core/topology';

/** What every protocol with a message `token` and states tagged `token` promises: none is made, none goes astray. */
export const oneToken: Property = always(
  'there is exactly one token, in a node or on its way',
  (system) => system.count('token') + system.inFlight('token').length === 1,
);

/** A complete network; one that has the node `holder` in it, where it is said who has the token at first. */
export const completeWith = (holder: NodeId | undefined): TopologyNeed =>
  holder === undefined
    ? needs.complete
    : {
        ...needs.complete,
        refuses: (topology) =>
          needs.complete.refuses(topology) ?? (topology.has(holder) ? undefined : `there is no node '${holder}' to hold the token`),
        example: (n) => needs.complete.example([holder, ...nodeNames(n).filter((id) => id !== holder)].slice(0, n)),
      };
