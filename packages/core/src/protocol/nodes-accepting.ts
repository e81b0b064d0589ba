import type { AnyStateMachine } from 'xstate';
import type { Topology } from '../topology/topology.js';
import { matches } from './handles.js';
import type { NodeId } from './node.js';
import { type Protocol, roleOf } from './protocol.js';
import { stateNodes } from './state-nodes.js';

/**
 * The nodes whose role takes the command `type` in some state: a coordinator that only serves
 * others never requests entry.
 *
 * @example nodesAccepting(raymond(), chain(3), 'acquire') // ['a', 'b', 'c']
 */
export function nodesAccepting(
  protocol: Protocol,
  topology: Topology,
  type: string,
): readonly NodeId[] {
  const byRole = new Map<string, boolean>();
  return topology.nodes.filter((id) => {
    const name = protocol.roleOf(id, topology);
    const accepts =
      byRole.get(name) ?? acceptsAnywhere(roleOf(protocol, id, topology).machine, type);
    byRole.set(name, accepts);
    return accepts;
  });
}

const acceptsAnywhere = (machine: AnyStateMachine, type: string): boolean =>
  stateNodes(machine).some(({ transitions }) =>
    [...transitions.keys()].some((descriptor) => matches(descriptor, type)),
  );
