import { defineProtocol, type NodeId, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../options.js';
import { type Command, commands, multicastHistory, reliableMulticast } from '../multicast.js';
import {
  acknowledgedMulticastOptions,
  type Input,
  type Message,
  machine,
  type Options,
  type SilentMessage,
  silentMachine,
} from './acknowledged-multicast.js';
import { announcements, rules } from './rules.js';

export type { Command, Options };

/** By when members send on: the messages per multicast and other member. */
const costs: Readonly<
  Record<Input['relay'], readonly [formula: string, messages: (n: number) => number]>
> = {
  first: ['n(n−1)', (n) => n * (n - 1)],
  silence: ['3(n−1)', (n) => 3 * (n - 1)],
  never: ['2(n−1)', (n) => 2 * (n - 1)],
};

/**
 * C4: reliable multicast to a known group, acknowledged by every member.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example acknowledgedMulticast({ timeout: 200, retransmissions: 10 })
 */
export function acknowledgedMulticast(given: Options = {}): Protocol<Command> {
  const {
    relay = 'first',
    timeout = 300,
    retransmissions = 5,
    patience = 1000,
  } = validOptions('acknowledgedMulticast', acknowledgedMulticastOptions, given);
  const options = { relay, timeout, retransmissions, patience };
  const [formula, count] = costs[relay];
  const definition = {
    id: 'C4',
    name: 'acknowledged-multicast',
    title: 'Reliable multicast with acknowledgements',
    problem: 'reliable-multicast',
    citation:
      'V. Hadzilacos, S. Toueg: A Modular Approach to Fault-Tolerant Broadcasts and Related Problems. Technical Report 94-1425, Cornell University, 1994',
    topology: needs.complete,
    channels: {
      order: 'any',
      loss: true,
      losses: retransmissions,
      duplication: true,
      time: { kind: 'exact', delay: [100, 100] },
    },
    options,
    times: timers({ timeout, patience }),
    commands,
    history: multicastHistory,
    cost: {
      per: 'multicast',
      command: 'multicast',
      formula,
      messages: (n: number) => ({ least: count(n), most: count(n) }),
    },
  } as const;
  const input = (self: NodeId, { nodes }: Topology) => ({
    self,
    others: nodes.filter((id) => id !== self),
    ...options,
  });
  const stored = {
    stable: ['sequence', 'delivered', 'kept'],
    counters: ['sequence', 'delivered.*', 'kept.*.sequence', 'kept.*.left'],
  };
  const messages = {
    data: {
      fields: ['origin', 'sequence', 'data'],
      counters: ['sequence'],
      meaning: 'message number `sequence` of `origin`; the sender has it',
    },
    ack: {
      fields: ['origin', 'sequence'],
      counters: ['sequence'],
      meaning: 'the sender has this message',
    },
  } as const;
  if (relay !== 'silence')
    return defineProtocol<Message, Command>({
      ...definition,
      roles: { member: { machine, input, ...stored } },
      messages,
      properties: [...reliableMulticast, ...rules],
    });
  return defineProtocol<SilentMessage, Command>({
    ...definition,
    roles: { member: { machine: silentMachine, input, ...stored } },
    messages: {
      ...messages,
      stable: {
        fields: ['origin', 'sequence'],
        counters: ['sequence'],
        meaning: 'all members have this message',
      },
    },
    properties: [...reliableMulticast, ...rules, ...announcements],
  });
}
