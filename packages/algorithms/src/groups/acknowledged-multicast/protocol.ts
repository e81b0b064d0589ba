import { defineProtocol, type NodeId, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { checked, type OptionSchemas, oneOf, time, timers, whole } from '../../options.js';
import { type Command, commands, multicastHistory, reliableMulticast } from '../multicast.js';
import { machine } from './acknowledged-multicast.js';
import type { Input, Message, SilentMessage } from './member.js';
import { announced, rules } from './rules.js';
import { silentMachine } from './silent-multicast.js';

type AcknowledgedMulticastOptions = {
  /**
   * When a member sends on what it got: at the `first` receipt; at the `silence` of the origin, which says when all have it; or `never`: then
   * agreement does not survive the crash of the origin. Default `first`.
   */
  readonly relay?: Input['relay'];
  /** How long a member waits for answers before it retransmits, in milliseconds; in real time at least 10. Default 300. */
  readonly timeout?: number;
  /** How often it retransmits a message before it gives up. Default 5. */
  readonly retransmissions?: number;
  /** With `relay: 'silence'`: how long a member waits for its origin before it sends a message on, in milliseconds; the same. Default 1000. */
  readonly patience?: number;
};

/** By when members send on: the messages per multicast and other member. */
const costs: Readonly<Record<Input['relay'], readonly [formula: string, messages: (n: number) => number]>> = {
  first: ['n(n−1)', (n) => n * (n - 1)],
  silence: ['3(n−1)', (n) => 3 * (n - 1)],
  never: ['2(n−1)', (n) => 2 * (n - 1)],
};

export const acknowledgedMulticastOptions: OptionSchemas<AcknowledgedMulticastOptions> = {
  relay: oneOf(Object.keys(costs), 'when a member sends on what it gets: first (receipt), silence (of the origin), or never'),
  timeout: time('how long a member waits for answers before it sends again'),
  retransmissions: whole(0, 'how often a member sends again before it gives up'),
  patience: time('with relay silence: how long a member waits for the origin'),
};

/**
 * C4: reliable multicast to a known group, acknowledged by every member.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example acknowledgedMulticast({ timeout: 200, retransmissions: 10 })
 */
export function acknowledgedMulticast(
  given: AcknowledgedMulticastOptions = {},
): Protocol<Message, Command> | Protocol<SilentMessage, Command> {
  const {
    relay = 'first',
    timeout = 300,
    retransmissions = 5,
    patience = 1000,
  } = checked('acknowledgedMulticast', acknowledgedMulticastOptions, given);
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
    channels: { order: 'any', loss: true, duplication: true, time: { kind: 'exact', delay: [100, 100] } },
    options,
    times: timers({ timeout, patience }),
    commands,
    history: multicastHistory,
    cost: { per: 'multicast', command: 'multicast', formula, messages: (n: number) => ({ least: count(n), most: count(n) }) },
  } as const;
  const input = (self: NodeId, { nodes }: Topology) => ({ self, others: nodes.filter((id) => id !== self), ...options });
  const stable = ['sequence', 'delivered', 'kept'];
  const messages = {
    data: { fields: ['origin', 'sequence', 'data'], meaning: 'message number `sequence` of `origin`; the sender has it' },
    ack: { fields: ['origin', 'sequence'], meaning: 'the sender has this message' },
  } as const;
  if (relay !== 'silence')
    return defineProtocol<Message, Command>({
      ...definition,
      roles: { member: { machine, input, stable } },
      messages,
      properties: [...reliableMulticast, ...rules],
    });
  return defineProtocol<SilentMessage, Command>({
    ...definition,
    roles: { member: { machine: silentMachine, input, stable } },
    messages: { ...messages, stable: { fields: ['origin', 'sequence'], meaning: 'all members have this message' } },
    properties: [...reliableMulticast, ...rules, ...announced],
  });
}
