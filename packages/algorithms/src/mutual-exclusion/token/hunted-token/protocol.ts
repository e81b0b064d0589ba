import { defineProtocol, type FencedProtocol } from '@conclave/core/protocol';
import { ringWith } from '../../../named-node.js';
import { validOptions } from '../../../options.js';
import {
  type Command,
  commands,
  previousNode,
  properties,
  tokensGrow,
} from '../../mutual-exclusion.js';
import { bunchesPerVisit, greedyOptions, type Options } from '../building-blocks/greedy.js';
import { entriesSoFar, oneToken } from '../building-blocks/one-token.js';
import { countsEntries, nothingTwice, onlyToNext } from '../building-blocks/token-steps.js';
import { greedyMachine, type Message, machine } from './hunted-token.js';
import { huntRules } from './properties.js';

export type { Command, Options };

/**
 * A10: a token that rests where it is, and is hunted round a one-way ring by the nodes that request
 * it.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example huntedToken({ greedy: 10 })
 */
export function huntedToken(options: Options = {}): FencedProtocol<Command> {
  const { greedy = 0, holder } = validOptions('huntedToken', greedyOptions, options);
  return defineProtocol<Message, Command>({
    id: 'A10',
    name: 'hunted-token',
    title: 'Hunted token on a one-way ring',
    problem: 'mutual-exclusion',
    citation:
      'F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000, on the ring as a special case of token algorithms: a sketch',
    options: { ...(greedy > 0 && { greedy }), ...(holder === undefined ? {} : { holder }) },
    topology: ringWith('holder', holder),
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine: greedy > 0 ? greedyMachine : machine,
        input: (self, topology) => ({
          self,
          next: topology.at(self, 'next') ?? self,
          first: self === (holder ?? topology.nodes[0]),
          ...(greedy > 0 && { greedy }),
        }),
      },
    },
    messages: {
      hunt: {
        fields: ['hop'],
        counters: ['hop'],
        meaning:
          'the sender, or a node behind it, requests the token, whose hop count was `hop` when it was at the sender last',
      },
      token: {
        fields: ['hop', 'end', 'entries'],
        counters: ['hop', 'entries'],
        meaning:
          'the receiver may enter; its hop count, the node at which it stops, and the number of entries so far',
      },
    },
    commands,
    properties: [
      ...properties,
      oneToken,
      tokensGrow(entriesSoFar),
      countsEntries(entriesSoFar),
      nothingTwice,
      onlyToNext,
      ...huntRules,
      ...(greedy > 0 ? bunchesPerVisit(greedy, ({ id, context: { end } }) => end !== id) : []),
    ],
    fence: entriesSoFar,
    waitsFor: previousNode,
    cost: {
      per: 'entry',
      formula: 'at most 2(n−1)',
      messages: (n) => ({ least: 0, most: 2 * (n - 1) }),
    },
  });
}
