import { defineProtocol, type NodeView } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands, nodesIn, properties, tokensGrow } from '../../mutual-exclusion.js';
import { numberOf } from '../building-blocks/requests.js';
import { echoRules } from './properties.js';
import { type Message, machine } from './ricart-agrawala-echo.js';

export type { Command };

/** A3c: Ricart–Agrawala by echo waves. */
export const ricartAgrawalaEcho = defineProtocol<Message, Command>({
  id: 'A3c',
  name: 'ricart-agrawala-echo',
  title: 'Ricart–Agrawala by echo waves',
  problem: 'mutual-exclusion',
  citation:
    'G. Ricart, A. K. Agrawala: An Optimal Algorithm for Mutual Exclusion in Computer Networks. CACM 24:1, 1981; E. J. H. Chang: Echo Algorithms. IEEE TSE 8:4, 1982; F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000',
  topology: needs.connected,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: {
      machine,
      input: (self, topology) => ({
        self,
        neighbours: topology.successors(self),
        nodes: topology.nodes,
      }),
    },
  },
  messages: {
    request: {
      fields: ['ts', 'id'],
      counters: ['ts'],
      meaning: 'node `id` requests entry, with the time stamp `ts`',
    },
    echo: {
      fields: ['id'],
      meaning: 'the sender and all nodes behind it permit the entry of node `id`',
    },
  },
  commands,
  properties: [...properties, tokensGrow(fence), ...echoRules],
  fence,
  waitsFor: nodesIn('pending'),
  cost: {
    per: 'entry',
    formula: '2e',
    messages: (n, topology) =>
      topology
        ? { least: topology.links.length, most: topology.links.length }
        : { least: 2 * (n - 1), most: n * (n - 1) },
  },
});

/** Entries are in the order of requests. */
function fence({ id, context }: NodeView): number {
  return numberOf({ ts: Number(context.requestedAt), id }, [context.nodes].flat().map(String));
}
