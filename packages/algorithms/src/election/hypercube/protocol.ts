import { defineProtocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands, decision, largestLeads } from '../election.js';
import { cost } from './cost.js';
import { type Message, machine } from './hypercube.js';
import { hypercubeProperties } from './properties.js';

export type { Command };

/** B8: election in an oriented hypercube. */
export const hypercubeElection = defineProtocol<Message, Command>({
  id: 'B8',
  name: 'hypercube',
  title: 'Election in a hypercube',
  problem: 'election',
  citation:
    'P. Flocchini, B. Mans: Optimal Elections in Labeled Hypercubes. J. Parallel and Distributed Computing 33:1, 1996, 76–83; N. Santoro: Design and Analysis of Distributed Algorithms. Wiley, 2007, section 3.5',
  topology: needs.hypercube,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: {
      machine,
      input: (self, topology) => ({
        self,
        neighbours: topology
          .successors(self)
          .map((_id, port) => topology.at(self, `${port}`) ?? self),
      }),
    },
  },
  messages: {
    match: {
      fields: ['id', 'stage', 'source', 'dest'],
      counters: ['stage', 'source.*', 'dest.*'],
      meaning: '`id` is your opponent in this stage, or that of a node behind you',
    },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...decision, largestLeads, ...hypercubeProperties],
  cost: { per: 'election', formula: 'at most 7n − (log₂ n)² − 3 log₂ n − 7', messages: cost },
});
