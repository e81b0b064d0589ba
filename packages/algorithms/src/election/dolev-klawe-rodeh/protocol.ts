import { defineProtocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands, largestLeads, properties } from '../election.js';
import { type Message, machine } from './dolev-klawe-rodeh.js';

export type { Command };

/** B14: Dolev–Klawe–Rodeh. */
export const dolevKlaweRodeh = defineProtocol<Message, Command>({
  id: 'B14',
  name: 'dolev-klawe-rodeh',
  title: 'Dolev–Klawe–Rodeh',
  problem: 'election',
  citation:
    'D. Dolev, M. Klawe, M. Rodeh: An O(n log n) Unidirectional Distributed Algorithm for Extrema Finding in a Circle. Journal of Algorithms 3, 1982, 245–260; G. L. Peterson: An O(n log n) Unidirectional Algorithm for the Circular Extrema Problem. TOPLAS 4:4, 1982',
  topology: needs.oneWayRing,
  channels: { order: 'fifo', loss: false, duplication: false },
  roles: {
    node: {
      machine,
      input: (self, topology) => ({ self, next: topology.successors(self)[0] ?? self }),
    },
  },
  messages: {
    first: { fields: ['id'], meaning: 'the active node before you stands for `id`' },
    second: { fields: ['id'], meaning: 'the active node before that one stands for `id`' },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...properties, largestLeads],
  cost: {
    per: 'election',
    formula: 'at most 2n⌊log₂ n⌋ + 2n',
    messages: (n) => ({ least: 4 * n, most: 2 * n * Math.floor(Math.log2(n)) + 2 * n }),
  },
});
