import { ConclaveError, defineProtocol, type NodeView, type ProtocolDefinition } from '@conclave/core/protocol';
import { needs } from '@conclave/core/topology';
import { type Command, commands, fenced, nodesIn, properties } from '../../mutual-exclusion.js';
import { permissionRules } from '../building-blocks/permission-rules.js';
import { fenceOf } from '../building-blocks/requests.js';
import { acknowledgements } from './properties.js';
import { type AcknowledgedMessage, acknowledgedMachine, type Message, machine } from './ricart-agrawala.js';

/** Entries are in the order of requests. */
const fence = (node: NodeView): number => fenceOf(node.context.requestedAt, node);

const definition: ProtocolDefinition<Message, Command> = {
  id: 'A3',
  name: 'ricart-agrawala',
  title: 'Ricart–Agrawala',
  problem: 'mutual-exclusion',
  citation: 'G. Ricart, A. K. Agrawala: An Optimal Algorithm for Mutual Exclusion in Computer Networks. CACM 24:1, 1981',
  topology: needs.complete,
  channels: { order: 'any', loss: false, duplication: false },
  roles: { node: { machine, input: (self, topology) => ({ self, peers: topology.successors(self) }) } },
  messages: {
    request: { fields: ['ts'], meaning: 'I want to enter; `ts` was my clock when the wish arose' },
    reply: { meaning: 'as far as I am concerned you may enter' },
  },
  commands,
  properties: [...properties, fenced(fence), ...permissionRules()],
  fence,
  waitsFor: nodesIn('awaiting'),
  cost: { per: 'entry', formula: '2(n−1)', messages: (n) => ({ least: 2 * (n - 1), most: 2 * (n - 1) }) },
};

/** A3: Ricart–Agrawala, plain. */
export const ricartAgrawala = defineProtocol(definition);

export type AcknowledgedOptions = {
  /** How long a node may take to acknowledge a request, in milliseconds; more than the longest round trip. Default 1000. */
  readonly patience?: number;
};

/**
 * A3 with the option `acknowledged`: a node that does not acknowledge a request in time is taken for crashed, and not waited for.
 *
 * @throws {ConclaveError} `bad-input` for a patience that is no time.
 * @example ricartAgrawalaAcknowledged({ patience: 500 })
 */
export function ricartAgrawalaAcknowledged({ patience = 1000 }: AcknowledgedOptions = {}) {
  if (!(patience > 0 && patience < Infinity))
    throw new ConclaveError('bad-input', `ricart-agrawala: patience ${patience} is no time`, 'Give milliseconds, more than 0.');
  return defineProtocol<AcknowledgedMessage, Command>({
    ...definition,
    options: { acknowledged: true, patience },
    channels: { ...definition.channels, time: 'bounded' },
    roles: {
      node: { machine: acknowledgedMachine, input: (self, topology) => ({ self, peers: topology.successors(self), patience }) },
    },
    messages: {
      request: { fields: ['ts'], meaning: 'I want to enter; `ts` was my clock when the wish arose' },
      ack: { fields: ['ts'], meaning: 'I am here, and know of your request' },
      reply: { fields: ['ts'], meaning: 'as far as I am concerned you may enter' },
      inquire: { fields: ['ts'], meaning: 'are you still there, and is it still not my turn?' },
    },
    properties: [...properties, fenced(fence), ...permissionRules({ stamped: true }), ...acknowledgements],
    cost: {
      per: 'entry',
      formula: '3(n−1), 2 more for each `patience` that a node keeps one waiting',
      messages: (n) => ({ least: 3 * (n - 1), most: Infinity }),
    },
  });
}
