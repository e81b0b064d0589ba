import { badInput } from '../../base/error.js';
import { systemViewOf, viewOfNode } from '../../protocol/check-properties.js';
import { unlabelled } from '../../protocol/history.js';
import type { NodeId } from '../../protocol/node.js';
import type { NodeView, SystemView } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { LocalState } from '../../protocol/step.js';
import type { Topology } from '../../topology/topology.js';
import type { World } from './world.js';

/** A node as properties see it. */
export const nodeViewOf = (
  protocol: Protocol,
  topology: Topology,
  id: NodeId,
  state: Pick<LocalState, 'value' | 'context' | 'tags' | 'recorded'>,
  crashed: boolean,
): NodeView =>
  viewOfNode(protocol, id, protocol.roleOf(id, topology), state, state.recorded, crashed);

/** A world as properties see it. */
export function viewOf(protocol: Protocol, topology: Topology, world: World): SystemView {
  const nodes: readonly NodeView[] = topology.nodes.map((id) => {
    const state = world.nodes[id];
    if (!state) throw badInput(`The world has no node '${id}'`);
    return nodeViewOf(protocol, topology, id, state, world.crashed.includes(id));
  });
  const messages = () =>
    topology.links.flatMap(({ from, to }) =>
      (world.channels[`${from}→${to}`] ?? []).map((message) => ({
        from,
        to,
        message: unlabelled(message),
      })),
    );
  return systemViewOf(protocol, nodes, messages);
}
