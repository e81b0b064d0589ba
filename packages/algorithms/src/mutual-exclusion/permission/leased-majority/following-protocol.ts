/** The option `follow`, as a change of the protocol without it. */
import type { NodeId, ProtocolDefinition } from '@conclave/core/protocol';
import { complete, type Topology } from '@conclave/core/topology';
import { type Command, isIdle } from '../../mutual-exclusion.js';
import { followerMachine } from './following.js';
import { followRules, isServer } from './following-properties.js';
import { machineOf } from './machines.js';
import type { Following, Message, PlainMessage } from './node.js';
import type { settingsOf } from './settings.js';

/** The same, where the last nodes only follow. Rules EF1–EF7. */
export function withFollowers(
  definition: ProtocolDefinition<PlainMessage, Command> | ProtocolDefinition<Message, Command>,
  settings: ReturnType<typeof settingsOf>,
  servers: number,
): ProtocolDefinition<PlainMessage | Following, Command> {
  const { options, topology, roles, messages, commands } = definition;
  const input = (self: NodeId, { nodes }: Topology) =>
    Object(roles.node?.input(self, complete(nodes.slice(0, servers)))); // it is an object
  return {
    ...definition,
    options: { ...options, servers, follow: true },
    topology: {
      ...topology,
      refuses: (network) =>
        topology.refuses(network) ??
        (network.nodes.length < servers ? `it has less than ${servers} nodes` : undefined),
      example: (n) => complete(Math.max(n, servers)),
    },
    roles: {
      server: {
        machine: machineOf('server', settings),
        input,
        stable: ['ballot', 'floor', 'vote'],
        counters: ['ballot', 'floor', 'vote'],
      },
      client: {
        machine: followerMachine,
        input: (...of) => ({ ...input(...of), validity: settings.shown }),
      },
    },
    roleOf: (node, { nodes }) => (nodes.indexOf(node) < servers ? 'server' : 'client'),
    messages: {
      ...messages,
      follow: {
        fields: ['asked'],
        counters: ['asked'],
        meaning: 'who leads? This is my question number `asked`',
      },
      leads: {
        fields: ['ballot', 'asked'],
        counters: ['ballot', 'asked'],
        meaning: 'I lead with `ballot`; a majority voted for it after your question number `asked`',
      },
      ended: {
        fields: ['ballot'],
        counters: ['ballot'],
        meaning: 'I lead with `ballot` no longer',
      },
    },
    commands: {
      ...commands,
      acquire: { ...commands.acquire, when: (node) => isIdle(node) && isServer(node) },
    },
    cost: {
      per: 'entry',
      formula: `3·${servers - 1} … ∞`,
      messages: () => ({ least: 3 * (servers - 1), most: Infinity }),
    },
    properties: [...definition.properties, ...followRules],
    clients: { servedBy: 'server', messages: ['follow'] },
  };
}
