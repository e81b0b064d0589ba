import { defineProtocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands, decision } from '../election.js';
import type { Message } from './actions.js';
import { machine } from './gallager-humblet-spira.js';
import { treeProperties } from './properties.js';
import { weightsOf } from './weights.js';

export type { Command };

/** B16: Gallager–Humblet–Spira. */
export const gallagerHumbletSpira = defineProtocol<Message, Command>({
  id: 'B16',
  name: 'gallager-humblet-spira',
  title: 'Gallager–Humblet–Spira',
  problem: 'election',
  citation:
    'R. G. Gallager, P. A. Humblet, P. M. Spira: A Distributed Algorithm for Minimum-Weight Spanning Trees. TOPLAS 5:1, 1983, 66–77',
  topology: needs.connected,
  channels: { order: 'fifo', loss: false, duplication: false },
  roles: {
    node: { machine, input: (self, topology) => ({ self, weights: weightsOf(topology, self) }) },
  },
  messages: {
    connect: {
      fields: ['level'],
      counters: ['level'],
      meaning:
        'a fragment of this level wants to combine over this edge, its smallest outgoing one',
    },
    initiate: {
      fields: ['level', 'fragment', 'state'],
      counters: ['level', 'fragment'],
      meaning:
        'you belong to this fragment now; in state `find`, look for its smallest outgoing edge',
    },
    test: {
      fields: ['level', 'fragment'],
      counters: ['level', 'fragment'],
      meaning: 'are you in another fragment than this one?',
    },
    accept: { meaning: 'yes, the edge is outgoing' },
    reject: { meaning: 'no, both ends are in the same fragment' },
    report: {
      fields: ['weight'],
      counters: ['weight?'],
      meaning: 'the smallest outgoing edge found on this side; `null`: there is none',
    },
    'change-root': { meaning: 'the smallest outgoing edge is on your side' },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...decision, ...treeProperties],
  cost: {
    per: 'election',
    formula: 'at most 2e + 5n⌊log₂ n⌋ + n − 2',
    messages: (n, topology) => {
      if (n === 1) return { least: 0, most: 0 };
      const fewest = topology ? topology.links.length / 2 : n - 1;
      const edges = topology ? topology.links.length / 2 : (n * (n - 1)) / 2;
      return {
        least: 2 * fewest + 2 * n,
        most: 2 * edges + 5 * n * Math.floor(Math.log2(n)) + n - 2,
      };
    },
  },
});
