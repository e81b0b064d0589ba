import { type FencedProtocol, overtaken, type ProtocolDefinition } from '@conclave/core/protocol';
import { ringWith, validOptions } from '../../../options.js';
import { type CancellableCommand, defineLock } from '../../cancel.js';
import {
  type Command,
  commands,
  previousNode,
  properties,
  tokensGrow,
} from '../../mutual-exclusion.js';
import {
  countsEntries,
  entriesSoFar,
  nothingTwice,
  oneToken,
  onlyToNext,
} from '../building-blocks/token.js';
import {
  cancellableMachine,
  type Message,
  machine,
  type Options,
  tokenRingOptions,
} from './token-ring.js';

export type { CancellableCommand, Command, Options };

/**
 * A11: Le Lann's token that goes round a one-way ring forever.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example tokenRing({ holder: 'c' })
 */
export function tokenRing(options: Options = {}): FencedProtocol<CancellableCommand> {
  const { holder, cancel = false } = validOptions('tokenRing', tokenRingOptions, options);
  const definition: ProtocolDefinition<Message, Command> = {
    id: 'A11',
    name: 'token-ring',
    title: 'Token ring',
    problem: 'mutual-exclusion',
    citation:
      'G. Le Lann: Distributed Systems, Towards a Formal Approach. IFIP Congress 1977, Toronto, pp. 155–160',
    options: holder === undefined ? {} : { holder },
    topology: ringWith('holder', holder),
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine,
        input: (self, topology) => ({
          next: topology.at(self, 'next') ?? self,
          first: self === (holder ?? topology.nodes[0]),
        }),
      },
    },
    messages: {
      token: {
        fields: ['entries'],
        counters: ['entries'],
        meaning: 'the receiver may enter, or passes the token on; `entries` so far',
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
      overtaken(1),
    ],
    fence: entriesSoFar,
    waitsFor: previousNode,
    cost: { per: 'entry', formula: '1 … ∞', messages: () => ({ least: 1, most: Infinity }) },
    perpetual: true,
  };
  return defineLock(definition, cancel, cancellableMachine);
}
