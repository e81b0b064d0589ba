import type { Topology } from '../topology/topology.js';
import { matches } from './handles.js';
import type { NodeId } from './node.js';
import { type Protocol, roleOf } from './protocol.js';
import { stateNodes } from './state-nodes.js';

/**
 * The nodes whose role takes the command `type` in some state: a coordinator that only serves others never requests entry.
 *
 * @example nodesAccepting(raymond(), chain(3), 'acquire') // ['a', 'b', 'c']
 */
export const nodesAccepting = (protocol: Protocol, topology: Topology, type: string): readonly NodeId[] =>
  topology.nodes.filter((id) =>
    stateNodes(roleOf(protocol, id, topology).machine).some(({ transitions }) =>
      [...transitions.keys()].some((descriptor) => matches(descriptor, type)),
    ),
  );
