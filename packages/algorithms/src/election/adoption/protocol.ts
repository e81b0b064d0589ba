import { defineProtocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands, decision } from '../election.js';
import { type Message, machine } from './adoption.js';
import { adoptionProperties } from './properties.js';

export type { Command };

/** B11: election by adoption. */
export const adoption = defineProtocol<Message, Command>({
  id: 'B11',
  name: 'adoption',
  title: 'Adoption',
  problem: 'election',
  citation: 'F. Mattern: Verteilte Basisalgorithmen. Springer, 1989',
  topology: needs.connected,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: { machine, input: (self, topology) => ({ self, neighbours: topology.successors(self) }) },
  },
  messages: {
    explorer: { fields: ['id'], meaning: 'initiator `id` explores this edge' },
    echo: { meaning: 'all that is behind this edge is explored' },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...decision, ...adoptionProperties],
  cost: {
    per: 'election',
    formula: 'at most (k + 1)e + n − 1',
    remark: 'for k initiators',
    messages: (n, topology) => {
      const fewest = topology ? topology.links.length / 2 : n - 1;
      const edges = topology ? topology.links.length / 2 : (n * (n - 1)) / 2;
      return { least: 2 * fewest + n - 1, most: (n + 1) * edges + n - 1 };
    },
  },
});
