import {
  defineProtocol,
  type NodeId,
  type NodeView,
  type Protocol,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { partProperty } from '../../composition/part.js';
import { lelannChangRoberts } from '../../election/lelann-chang-roberts/protocol.js';
import { completeWith } from '../../named-node.js';
import { validOptions } from '../../options.js';
import {
  type Command,
  causalOrder,
  commands,
  multicastHistory,
  reliableMulticast,
  totalOrder,
} from '../multicast.js';
import { oneSequencer, sequencerRules } from './properties.js';
import {
  electingMachine,
  type Input,
  type Message,
  machine,
  type Options,
  type OrderMessage,
  totalMulticastOptions,
} from './total-multicast.js';

export type { Command, Options };

/** For a multicast of its own, or one with a smaller number. */
const isWaiting = ({ context, id }: NodeView): boolean => {
  const { sequence, delivered, delayed } = Object(context);
  return delayed.length > 0 || sequence > delivered[id];
};

const inputOf =
  (sequencer: NodeId | null) =>
  (self: NodeId, topology: Topology): Input => ({
    self,
    peers: topology.successors(self),
    sequencer,
  });

const definition: Omit<ProtocolDefinition<OrderMessage, Command>, 'topology' | 'roles'> = {
  id: 'C4t',
  name: 'total-multicast',
  title: 'Totally ordered multicast',
  problem: 'reliable-multicast',
  citation:
    'M. F. Kaashoek, A. S. Tanenbaum, S. Flynn Hummel, H. E. Bal: An Efficient Reliable Broadcast Protocol. ACM Operating Systems Review 23:4, 1989, 5–19',
  channels: { order: 'any', loss: false, duplication: false },
  messages: {
    request: {
      fields: ['sequence', 'data'],
      counters: ['sequence'],
      meaning: 'asks the sequencer for a number for a multicast of the sender',
    },
    numbered: {
      fields: ['number', 'sender', 'sequence', 'data'],
      counters: ['number', 'sequence'],
      meaning: 'a multicast of `sender` and its number',
    },
  },
  commands: { multicast: { ...commands.multicast, when: () => true } },
  history: multicastHistory,
  properties: [...reliableMulticast, totalOrder, causalOrder, ...sequencerRules],
  waiting: isWaiting,
  cost: {
    per: 'multicast',
    command: 'multicast',
    of: ['request', 'numbered'],
    formula: 'n',
    remark: 'n−1 for those of the sequencer',
    messages: (n) => ({ least: n - 1, most: n }),
  },
};

/**
 * C4t: multicasts in one order for all members, by a sequencer.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example totalMulticast({ sequencer: 'a' })
 */
export function totalMulticast(options: Options = {}): Protocol<Command> {
  const { sequencer } = validOptions('totalMulticast', totalMulticastOptions, options);
  if (sequencer !== undefined)
    return defineProtocol<OrderMessage, Command>({
      ...definition,
      options: { sequencer },
      channels: { ...definition.channels, duplication: true },
      topology: completeWith('sequencer', sequencer),
      roles: { member: { machine, input: inputOf(sequencer) } },
    });
  const { properties } = lelannChangRoberts;
  return defineProtocol<Message, Command>({
    ...definition,
    topology: needs.complete,
    roles: {
      member: {
        machine: electingMachine,
        input: (self, topology) => {
          const { nodes } = topology;
          const next = nodes[(nodes.indexOf(self) + 1) % nodes.length] ?? self;
          return { ...inputOf(null)(self, topology), election: { self, next } };
        },
      },
    },
    messages: {
      ...definition.messages,
      'election-election': { fields: ['id'], meaning: 'of the election: node `id` is a candidate' },
      'election-elected': { fields: ['id'], meaning: 'of the election: node `id` is the leader' },
    },
    properties: [
      ...definition.properties,
      oneSequencer,
      ...properties.map((property) => partProperty('election', property)),
    ],
    waiting: (node) => isWaiting(node) || node.tags.has('election:waiting'),
  });
}
