import { defineProtocol, everyStep, type Property } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands, largestLeads, properties } from '../election.js';
import { type Message, machine } from './lelann-chang-roberts.js';

export type { Command };

/** The extinction saves messages and lets the largest id win. */
const candidates: readonly Property[] = [
  everyStep('no node sends or passes on a candidate smaller than itself', ({ before, sent }) =>
    sent.every(
      ({ message }) =>
        message.type !== 'election' || ('id' in message && String(message.id) >= before.id),
    ),
  ),
  everyStep('a node sends one message at a time', ({ sent }) => sent.length <= 1),
];

/** B3: LeLann–Chang–Roberts. */
export const lelannChangRoberts = defineProtocol<Message, Command>({
  id: 'B3',
  name: 'lelann-chang-roberts',
  title: 'LeLann–Chang–Roberts',
  problem: 'election',
  citation:
    'G. Le Lann: Distributed Systems – Towards a Formal Approach. IFIP Congress, 1977; E. Chang, R. Roberts: An Improved Algorithm for Decentralized Extrema-Finding in Circular Configurations of Processes. CACM 22:5, 1979',
  topology: needs.oneWayRing,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: {
      machine,
      input: (self, topology) => ({ self, next: topology.successors(self)[0] ?? self }),
    },
  },
  messages: {
    election: { fields: ['id'], meaning: 'node `id` is a candidate' },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...properties, largestLeads, ...candidates],
  cost: {
    per: 'election',
    formula: 'n·H_n + n',
    remark: 'on average when all nodes start',
    messages: (n) => ({ least: 2 * n, most: (n * (n + 1)) / 2 + n }),
    average: (n) =>
      n +
      Array.from({ length: n }, (_, index) => n / (index + 1)).reduce((sum, term) => sum + term, 0),
  },
});
