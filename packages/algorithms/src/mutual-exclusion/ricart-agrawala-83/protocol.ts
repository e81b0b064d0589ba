import { defineProtocol, type NodeId, type Protocol } from '@conclave/core/protocol';
import { completeWith, oneToken } from '../building-blocks/one-token.js';
import { cyclicallyAfter, noCounts } from '../building-blocks/token-knowledge.js';
import { type Command, commands, properties } from '../mutual-exclusion.js';
import { type Message, machine } from './ricart-agrawala-83.js';

export type RicartAgrawala83Options = {
  /** Where the token is at first. Default the network's first node. */
  readonly holder?: NodeId;
};

/**
 * A4: Ricart and Agrawala's token, sought by broadcast.
 *
 * @example ricartAgrawala83({ holder: 'b' })
 */
export function ricartAgrawala83({ holder }: RicartAgrawala83Options = {}): Protocol<Message, Command> {
  return defineProtocol<Message, Command>({
    id: 'A4',
    name: 'ricart-agrawala-83',
    title: 'Ricart–Agrawala 1983',
    problem: 'mutual-exclusion',
    citation:
      "G. Ricart, A. K. Agrawala: Authors' Response to 'On Mutual Exclusion in Computer Networks' by O. S. F. Carvalho and G. Roucairol. CACM 26:2, 1983",
    options: holder === undefined ? {} : { holder },
    topology: completeWith(holder),
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine,
        input: (self, { nodes }) => ({
          self,
          peers: cyclicallyAfter(self, nodes),
          wished: noCounts(nodes),
          served: self === (holder ?? nodes[0]) ? noCounts(nodes) : null,
        }),
      },
    },
    messages: {
      request: { fields: ['k'], meaning: 'I want to enter, with my k-th wish; whoever has the token, remember' },
      token: { fields: ['served'], meaning: 'whoever has it may enter; `served` is the number of the last wish with which each node has' },
    },
    commands,
    properties: [...properties, oneToken],
    cost: { per: 'entry', formula: 'n, or 0 where the token is', messages: (n) => ({ least: 0, most: n }) },
  });
}
