import {
  alwaysEventually,
  defineProtocol,
  type Property,
  type Protocol,
  sometimes,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../options.js';
import { type Command, commands, multicastHistory, reliableMulticast } from '../multicast.js';
import { nothing } from './knowledge.js';
import {
  type Message,
  machine,
  negativeMulticastOptions,
  type Options,
} from './negative-multicast.js';
import { rules } from './rules.js';

export type { Command, Options };

/** How long messages take, in milliseconds. */
const delay = [0, 100] as const;

/** Bounded memory, and quiescence: a member that keeps nothing and lacks nothing has no timer. */
const stability: Property = alwaysEventually(
  'eventually no member keeps a message, or a member is crashed',
  (system) =>
    system.live < system.nodes.length ||
    system.nodes.every(({ context }) => [context.buffer].flat().length === 0),
);

/**
 * C4b: reliable multicast with negative acknowledgements.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example negativeMulticast({ period: 1000, patience: 1500 })
 */
export function negativeMulticast(given: Options = {}): Protocol<Command> {
  const {
    period = 500,
    patience = 900,
    retry = 300,
  } = validOptions('negativeMulticast', negativeMulticastOptions, given);
  const options = { period, patience, retry };
  return defineProtocol<Message, Command>({
    id: 'C4b',
    name: 'negative-multicast',
    title: 'Reliable multicast with negative acknowledgements',
    problem: 'reliable-multicast',
    citation:
      'S. Floyd, V. Jacobson, C. Liu, S. McCanne, L. Zhang: A Reliable Multicast Framework for Light-weight Sessions and Application Level Framing. IEEE/ACM Transactions on Networking 5:6, 1997',
    topology: needs.complete,
    channels: { order: 'any', loss: true, duplication: true, time: { kind: 'exact', delay } },
    roles: {
      node: {
        machine,
        input: (self, { nodes }) => {
          const known = Object.fromEntries(nodes.map((id) => [id, nothing(nodes)]));
          return { self, others: nodes.filter((id) => id !== self), known, buffer: [], ...options };
        },
        stable: ['known', 'buffer'],
        counters: ['known.*.*', 'buffer.*.sequence'],
      },
    },
    options,
    times: timers(options),
    messages: {
      data: {
        fields: ['origin', 'sequence', 'data'],
        counters: ['sequence'],
        meaning: 'message number `sequence` of `origin`',
      },
      nack: {
        fields: ['missing'],
        counters: ['missing.*.sequence'],
        meaning: 'the sender lacks these messages, and asks for them',
      },
      summary: {
        fields: ['delivered', 'stable'],
        counters: ['delivered.*', 'stable.*'],
        meaning:
          'up to which messages the sender has delivered them, and knows all to have delivered them; asks for an answer',
      },
      report: {
        fields: ['delivered', 'stable'],
        counters: ['delivered.*', 'stable.*'],
        meaning: 'the same, and needs no answer',
      },
    },
    commands,
    history: multicastHistory,
    properties: [
      ...reliableMulticast,
      stability,
      ...rules,
      sometimes('a summary is on its way', (system) => system.inFlight('summary').length > 0),
    ],
    cost: {
      per: 'multicast',
      command: 'multicast',
      formula: '4(n−1)',
      remark: 'if it is the only one of its sender in a period; k of them cost (k+3)(n−1)',
      messages: (n) => ({ least: 4 * (n - 1), most: 4 * (n - 1) }),
    },
  });
}
