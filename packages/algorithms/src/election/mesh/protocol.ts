import { defineProtocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands, decision } from '../election.js';
import { cost } from './cost.js';
import { type Message, machine } from './mesh.js';
import { meshProperties } from './properties.js';

export type { Command };

/** B7: election in a mesh. */
export const mesh = defineProtocol<Message, Command>({
  id: 'B7',
  name: 'mesh',
  title: 'Election in a mesh',
  problem: 'election',
  citation: 'N. Santoro: Design and Analysis of Distributed Algorithms. Wiley, 2007, section 3.4',
  topology: needs.mesh,
  channels: { order: 'fifo', loss: false, duplication: false },
  roles: {
    node: { machine, input: (self, topology) => ({ self, neighbours: topology.successors(self) }) },
  },
  messages: {
    'wake-up': { fields: ['neighbours'], meaning: 'an election has begun; `neighbours` are mine' },
    candidate: { fields: ['id'], meaning: 'node `id` is a corner' },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...decision, ...meshProperties],
  cost: {
    per: 'election',
    formula: 'at most 7n + 2 max(a, b) − 9',
    remark: 'on a × b nodes',
    messages: cost,
  },
});
