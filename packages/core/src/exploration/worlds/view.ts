import { viewOfNode } from '../../protocol/check-properties.js';
import { badInput } from '../../protocol/error.js';
import { requireMessage, requireTag } from '../../protocol/names.js';
import type { NodeId } from '../../protocol/node.js';
import type { InFlight, NodeView, SystemView } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { LocalState } from '../../protocol/step.js';
import type { Topology } from '../../topology/topology.js';
import type { World } from './world.js';

/** A node as properties see it. */
export const nodeViewOf = (
  protocol: Protocol,
  topology: Topology,
  id: NodeId,
  state: Pick<LocalState, 'value' | 'context' | 'tags'>,
  crashed: boolean,
): NodeView => viewOfNode(protocol, id, protocol.roleOf(id, topology), state, crashed);

/** A world as properties see it. */
export function viewOf(protocol: Protocol, topology: Topology, world: World): SystemView {
  const nodes: readonly NodeView[] = topology.nodes.map((id) => {
    const state = world.nodes[id];
    if (!state) throw badInput(`The world has no node '${id}'`);
    return nodeViewOf(protocol, topology, id, state, world.crashed.includes(id));
  });
  const live = nodes.filter(({ crashed }) => !crashed).length;
  const tagged = (tag: string) => {
    requireTag(protocol, tag);
    return nodes.filter((node) => node.tags.has(tag));
  };
  return {
    nodes,
    node: (id: NodeId) => {
      const node = nodes.find((node) => node.id === id);
      if (!node) throw badInput(`The system has no node '${id}'`);
      return node;
    },
    live,
    tagged,
    distinct: (tag, field) => [...new Set(tagged(tag).map(({ context }) => context[field]))],
    count: (tag) => tagged(tag).length,
    inFlight: (type) => {
      requireMessage(protocol, type);
      return topology.links.flatMap(({ from, to }): InFlight[] =>
        (world.channels[`${from}→${to}`] ?? [])
          .filter((message) => type === undefined || message.type === type)
          .map((message) => ({ from, to, message })),
      );
    },
  };
}
