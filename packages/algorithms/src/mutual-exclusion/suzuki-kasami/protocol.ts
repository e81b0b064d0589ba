import { defineProtocol, type NodeId, type Protocol } from '@conclave/core/protocol';
import { completeWith, oneToken } from '../building-blocks/one-token.js';
import { cyclicallyAfter, noCounts } from '../building-blocks/token-knowledge.js';
import { type Command, commands, properties } from '../mutual-exclusion.js';
import { type Message, machine } from './suzuki-kasami.js';

export type SuzukiKasamiOptions = {
  /** Where the token is at first. Default the network's first node. */
  readonly holder?: NodeId;
};

/**
 * A4b: Suzuki and Kasami's token, sought by broadcast, with the queue in it.
 *
 * @example suzukiKasami({ holder: 'b' })
 */
export function suzukiKasami({ holder }: SuzukiKasamiOptions = {}): Protocol<Message, Command> {
  return defineProtocol<Message, Command>({
    id: 'A4b',
    name: 'suzuki-kasami',
    title: 'Suzuki–Kasami',
    problem: 'mutual-exclusion',
    citation: 'I. Suzuki, T. Kasami: A Distributed Mutual Exclusion Algorithm. ACM TOCS 3:4, 1985',
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
          token: self === (holder ?? nodes[0]) ? { served: noCounts(nodes), queue: [] } : null,
        }),
      },
    },
    messages: {
      request: { fields: ['k'], meaning: 'I want to enter, with my k-th wish; whoever has the token, remember' },
      token: {
        fields: ['served', 'queue'],
        meaning: 'whoever has it may enter; `served`: the number of the last wish with which each node has; `queue`: who gets it next',
      },
    },
    commands,
    properties: [...properties, oneToken],
    cost: { per: 'entry', formula: 'n, or 0 where the token is', messages: (n) => ({ least: 0, most: n }) },
  });
}
