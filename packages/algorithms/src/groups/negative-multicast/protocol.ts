import { alwaysEventually, defineProtocol, type Property, type Protocol, sometimes } from '@conclave/core/protocol';
import { needs } from '@conclave/core/topology';
import { nothing } from './knowledge.js';
import { type Command, type Message, machine } from './negative-multicast.js';
import { rules } from './rules.js';

type NegativeMulticastOptions = {
  readonly period?: number;
  readonly patience?: number;
  readonly retry?: number;
};

/** Bounded memory, and quiescence: while a member keeps nothing and lacks nothing, none of its timers runs. */
const stability: Property = alwaysEventually(
  'no member keeps a message, or a member is crashed',
  (system) => system.live < system.nodes.length || system.nodes.every(({ context }) => [context.buffer].flat().length === 0),
);

export function negativeMulticast({
  period = 300,
  patience = 700,
  retry = 300,
}: NegativeMulticastOptions = {}): Protocol<Message, Command> {
  return defineProtocol<Message, Command>({
    id: 'C4b',
    name: 'negative-multicast',
    title: 'Reliable multicast with negative acknowledgements',
    problem: 'multicast',
    citation:
      'S. Floyd, V. Jacobson, C. Liu, S. McCanne, L. Zhang: A Reliable Multicast Framework for Light-weight Sessions and Application Level Framing. IEEE/ACM Transactions on Networking 5:6, 1997',
    topology: needs.complete,
    channels: { order: 'any', loss: true, duplication: true, time: { kind: 'exact', delay: [0, 100] } },
    roles: {
      node: {
        machine,
        input: (self, { nodes }) => ({
          self,
          others: nodes.filter((id) => id !== self),
          known: Object.fromEntries(nodes.map((id) => [id, nothing(nodes)])),
          buffer: [],
          period,
          patience,
          retry,
        }),
        stable: ['known', 'buffer'],
      },
    },
    options: { period, patience, retry },
    messages: {
      data: { fields: ['origin', 'sequence', 'data'], meaning: 'message number `sequence` of `origin`' },
      nack: { fields: ['missing'], meaning: 'the sender lacks these messages and asks for them' },
      summary: {
        fields: ['delivered', 'stable'],
        meaning: 'by sender, what the sender of the summary has delivered, and what it knows all to have',
      },
      report: { fields: ['delivered', 'stable'], meaning: 'the same, and needs no answer' },
    },
    commands: {
      multicast: { kind: 'optional', fields: ['data'], meaning: 'sends `data` to the group', when: () => true, examples: [{ data: 'x' }] },
    },
    properties: [...rules, stability, sometimes('a message is on its way', (system) => system.inFlight('data').length > 0)],
  });
}
