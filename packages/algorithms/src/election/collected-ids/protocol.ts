import { defineProtocol, type NodeId, type ProtocolDefinition } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../options.js';
import { type Command, commands, decision, largestLeads, termination } from '../election.js';
import { acknowledgedMachine } from './acknowledged.js';
import {
  type Acknowledgement,
  acknowledgedOptions,
  type Message,
  machine,
  type Options,
} from './collected-ids.js';
import { acknowledgements, amongLive, rounds } from './properties.js';

export type { Command, Options };

/** The ring is in the order of the nodes. */
function inputOf(self: NodeId, { nodes }: Topology) {
  const place = nodes.indexOf(self);
  return { self, ring: [...nodes.slice(place + 1), ...nodes.slice(0, place)], timeout: null };
}

const definition: ProtocolDefinition<Message, Command> = {
  id: 'B2',
  name: 'collected-ids',
  title: 'Ring election with collected ids',
  problem: 'election',
  citation:
    'A. S. Tanenbaum: Distributed Operating Systems. Prentice Hall, 1995, section 3.3; after E. Chang, R. Roberts: An Improved Algorithm for Decentralized Extrema-Finding in Circular Configurations of Processes. CACM 22:5, 1979',
  topology: needs.complete,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: {
      machine,
      input: (self, topology) => inputOf(self, topology),
    },
  },
  messages: {
    election: { fields: ['list'], meaning: 'the nodes in `list` take part' },
    coordinator: {
      fields: ['list', 'informed'],
      meaning: 'the largest of `list` is the leader; the nodes in `informed` know it',
    },
  },
  commands,
  properties: [...decision, ...termination, largestLeads, ...rounds],
  cost: {
    per: 'initiator',
    command: 'elect',
    formula: '2n',
    messages: (n) => ({ least: 2 * n, most: 2 * n }),
  },
};

/** B2: ring election with collected ids, plain. */
export const collectedIds = defineProtocol(definition);

/** Properties of the problem that do not hold if nodes crash. */
const onlyWithoutCrash = [
  'all nodes that know a leader know the same one',
  'every live node knows the one leader',
  'a node that knows the leader does not forget it',
  'the node that announces the leader terminates',
];

/**
 * B2 with the option `acknowledged`: a node that does not acknowledge a message in time counts as
 * crashed, and is left out of the ring.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example collectedIdsAcknowledged({ timeout: 500 })
 */
export function collectedIdsAcknowledged(options: Options = {}) {
  const { timeout = 1000 } = validOptions('collectedIdsAcknowledged', acknowledgedOptions, options);
  return defineProtocol<Message | Acknowledgement, Command>({
    ...definition,
    options: { acknowledged: true, timeout },
    times: timers({ timeout }),
    channels: {
      ...definition.channels,
      order: 'fifo',
      time: { kind: 'exact', delay: [0, timeout / 4] },
    },
    roles: {
      node: {
        machine: acknowledgedMachine,
        input: (self, topology) => ({ ...inputOf(self, topology), timeout }),
      },
    },
    messages: {
      ...definition.messages,
      ack: {
        fields: ['of', 'starter'],
        meaning: 'I have the message `of` this type in the round of `starter`',
      },
    },
    properties: [
      ...[...decision, ...termination].filter(({ name }) => !onlyWithoutCrash.includes(name)),
      ...amongLive,
      ...rounds,
      ...acknowledgements,
    ],
    cost: {
      per: 'initiator',
      command: 'elect',
      formula: '4n',
      remark: 'if no node crashes',
      messages: (n) => ({ least: 4 * n, most: 4 * n }),
    },
  });
}
