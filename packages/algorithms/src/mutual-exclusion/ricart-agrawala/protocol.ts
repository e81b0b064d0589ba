import { defineProtocol } from '@conclave/core/protocol';
import { needs } from '@conclave/core/topology';
import { type Command, commands, properties } from '../mutual-exclusion.js';
import { type Message, machine } from './ricart-agrawala.js';

/** A3: Ricart–Agrawala, plain. */
export const ricartAgrawala = defineProtocol<Message, Command>({
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
  properties,
  cost: { per: 'entry', formula: '2(n−1)', messages: (n) => ({ least: 2 * (n - 1), most: 2 * (n - 1) }) },
});
