/** The option `servers`, as a change of the protocol without it. */
import type { NodeId, ProtocolDefinition, Shape } from '@conclave/core/protocol';
import { complete, type Topology } from '@conclave/core/topology';
import type { Command } from '../../mutual-exclusion.js';
import { machineOf } from './machines.js';
import { type Message, type PlainMessage, shapeWith, type Try } from './node.js';
import { inquires, sweeps, tries } from './properties.js';
import type { settingsOf } from './settings.js';

/** The same, where only the first nodes vote. Rules LQ18–LQ22. */
export function withServers(
  definition: ProtocolDefinition<PlainMessage, Command> | ProtocolDefinition<Message, Command>,
  settings: ReturnType<typeof settingsOf>,
  servers: number,
): ProtocolDefinition<PlainMessage | Try, Command> {
  const { options, topology, roles, succession, messages } = definition;
  const input = (self: NodeId, { nodes }: Topology) =>
    Object(roles.node?.input(self, complete(nodes.slice(0, servers)))); // it is an object
  return {
    ...definition,
    options: { ...options, servers },
    topology: {
      ...topology,
      refuses: (network) =>
        topology.refuses(network) ??
        (network.nodes.length < servers ? `it has less than ${servers} nodes` : undefined),
      example: (n) => complete(Math.max(n, servers)),
    },
    roles: {
      voter: {
        machine: machineOf('voter', settings),
        input: (...of) => ({ ...input(...of), floor: 1, client: '', ahead: 0 }),
        stable: ['ballot', 'floor', 'vote', 'client', 'ahead'],
        counters: ['ballot', 'floor', 'vote', 'ahead'],
      },
      client: { machine: machineOf('client', settings), input },
    },
    roleOf: (node, { nodes }) => (nodes.indexOf(node) < servers ? 'voter' : 'client'),
    ...(succession && {
      succession: {
        ...succession,
        fields: (kept) => ({ ...succession.fields(kept), client: '' }),
      },
    }),
    messages: {
      ...messages,
      try: {
        ...messages.request,
        meaning: 'I request your vote for `ballot`, if you are free',
      },
      vote: withTicket(messages.vote),
      inquire: withTicket(messages.inquire),
      refused: withTicket(messages.refused),
      ...('revoked' in messages && { revoked: withTicket(messages.revoked) }),
    },
    cost: {
      per: 'entry',
      formula: settings.keeps ? '0 … ∞' : `3·${servers} … ∞`,
      messages: () => ({ least: settings.keeps ? 0 : 3 * (servers - 1), most: Infinity }),
    },
    properties: [...definition.properties, tries, inquires, ...sweeps],
    clients: { servedBy: 'voter', messages: ['request', 'try', 'released'] },
  };
}

const withTicket = <F extends string>(shape: Shape<F>) =>
  shapeWith(shape, ['ticket'], '`ticket` is a ballot for a client', ['ticket']);
