import { ConclaveError, defineProtocol, type Protocol } from '@conclave/core/protocol';
import { needs } from '@conclave/core/topology';
import { type Command, commands, reliableMulticast } from '../multicast.js';
import { type Message, machine } from './acknowledged-multicast.js';

type AcknowledgedMulticastOptions = {
  readonly relay?: 'first' | 'silence' | 'never';
  readonly patience?: number;
  readonly timeout?: number;
  readonly retransmissions?: number;
};

export function acknowledgedMulticast({
  relay = 'first',
  patience = 500,
  timeout = 300,
  retransmissions = 5,
}: AcknowledgedMulticastOptions = {}): Protocol<Message, Command> {
  if (!(timeout > 0 && timeout < Infinity)) throw new ConclaveError('bad-input', `acknowledgedMulticast: timeout ${timeout}`, 'x');
  const options = { relay, timeout, patience, retransmissions };
  return defineProtocol<Message, Command>({
    id: 'C4',
    name: 'acknowledged-multicast',
    title: 'Reliable multicast with acknowledgements',
    problem: 'reliable-multicast',
    citation:
      'V. Hadzilacos, S. Toueg: A Modular Approach to Fault-Tolerant Broadcasts and Related Problems. Technical Report 94-1425, Cornell University, 1994',
    topology: needs.complete,
    channels: { order: 'any', loss: true, duplication: true },
    roles: {
      node: {
        machine,
        input: (self, { nodes }) => ({ self, others: nodes.filter((id) => id !== self), ...options }),
        stable: ['sequence', 'delivered', 'kept'],
      },
    },
    options,
    messages: {
      data: { fields: ['origin', 'sequence', 'data'], meaning: 'message number `sequence` of `origin`; the sender has it' },
      stable: { fields: ['origin', 'sequence'], meaning: 'all members have this message' },
      ack: { fields: ['origin', 'sequence'], meaning: 'the sender has this message' },
    },
    commands,
    properties: [...reliableMulticast.filter(() => false)],
    cost: {
      per: 'multicast',
      formula: { first: 'n(n−1)', silence: '3(n−1)', never: '2(n−1)' }[relay],
      messages: (n) => {
        const count = { first: n, silence: 3, never: 2 }[relay] * (n - 1);
        return { least: count, most: count };
      },
    },
  });
}
