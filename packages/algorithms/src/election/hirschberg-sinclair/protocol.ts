import { defineProtocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands, largestLeads, properties } from '../election.js';
import { sidesOf } from '../sides.js';
import { type Message, machine } from './hirschberg-sinclair.js';
import { ownProperties } from './properties.js';

export type { Command };

/** B6: Hirschberg–Sinclair. */
export const hirschbergSinclair = defineProtocol<Message, Command>({
  id: 'B6',
  name: 'hirschberg-sinclair',
  title: 'Hirschberg–Sinclair',
  problem: 'election',
  citation:
    'D. S. Hirschberg, J. B. Sinclair: Decentralized Extrema-Finding in Circular Configurations of Processors. CACM 23:11, 1980, 627–628',
  topology: needs.twoWayRing,
  channels: { order: 'any', loss: false, duplication: false },
  roles: { node: { machine, input: sidesOf } },
  messages: {
    election: {
      fields: ['id', 'phase', 'hops'],
      counters: ['phase', 'hops'],
      meaning: '`id` is a candidate, `hops` links away; it goes 2^`phase` links far',
    },
    reply: {
      fields: ['id', 'phase'],
      counters: ['phase'],
      meaning: 'on this side `id` is larger than its 2^`phase` next nodes',
    },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...properties, largestLeads, ...ownProperties],
  cost: {
    per: 'election',
    formula: 'at most 8n(⌈log₂ n⌉ + 1) + n',
    messages: (n) => {
      const phases = Math.ceil(Math.log2(n));
      return { least: 4 * (2 ** phases - 1) + 2 * n + 1, most: 8 * n * (phases + 1) + n };
    },
  },
});
