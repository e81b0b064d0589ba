import {
  defineProtocol,
  everyStep,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { ofNode } from '../../by-node.js';

import type { VectorClock } from '../../clocks/clock.js';
import { validOptions } from '../../options.js';
import {
  type Command,
  causalOrder,
  commands,
  multicastHistory,
  reliableMulticast,
} from '../multicast.js';
import {
  causalMulticastOptions,
  fifoMachine,
  type Message,
  machine,
  type Options,
} from './causal-multicast.js';

export type { Command, Options };

// as the machine's own types say
const vectorOf = ({ context }: NodeView): VectorClock => context.vector as VectorClock;

/** How many more multicasts of each member have been delivered after the step. */
const deliveriesIn = ({ before, after }: NodeStep): VectorClock => {
  const earlier = vectorOf(before);
  return Object.fromEntries(
    Object.entries(vectorOf(after)).map(([id, count]) => [id, count - (ofNode(earlier, id) ?? 0)]),
  );
};

/** The rules, step by step. */
const vectorRules: readonly Property[] = [
  everyStep(
    'a member sends only multicasts: each to each other member once, with its vector',
    ({ before, after, cause, sent }) => {
      if (cause.kind !== 'command') return sent.length === 0;
      const vector = JSON.stringify(vectorOf(after));
      const peers = Object.keys(vectorOf(before)).filter((id) => id !== before.id);
      const isStamped = sent.every(
        ({ message }) => 'vector' in message && JSON.stringify(message.vector) === vector,
      );
      return (
        isStamped &&
        sent
          .map(({ to }) => to)
          .sort()
          .join() === peers.sort().join()
      );
    },
  ),
  everyStep('the vector of a member counts its deliveries', (step) => {
    const counts = deliveriesIn(step);
    const told = step.notified.flatMap((one) => ('from' in one ? [String(one.from)] : []));
    const isCounted = Object.entries(counts).every(
      ([id, count]) => told.filter((from) => from === id).length === count,
    );
    return isCounted && told.every((from) => Object.hasOwn(counts, from));
  }),
  everyStep(
    'a member is delaying exactly while it delays messages',
    ({ after }) => after.tags.has('waiting') === [after.context.delayed].flat().length > 0,
  ),
];

const orders = {
  fifo: { machine: fifoMachine, properties: [] },
  causal: { machine, properties: [causalOrder] },
} as const;

/**
 * C4c: causally ordered multicast by vector clocks.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example causalMulticast({ order: 'fifo' })
 */
export function causalMulticast(options: Options = {}): Protocol<Command> {
  const { order = 'causal' } = validOptions('causalMulticast', causalMulticastOptions, options);
  const { machine, properties } = orders[order];
  return defineProtocol<Message, Command>({
    id: 'C4c',
    name: 'causal-multicast',
    title: 'Causally ordered multicast',
    problem: 'reliable-multicast',
    citation:
      'K. Birman, A. Schiper, P. Stephenson: Lightweight Causal and Atomic Group Multicast. ACM Transactions on Computer Systems 9:3, 1991, 272–314',
    options: { order },
    topology: needs.complete,
    channels: { order: 'any', loss: false, duplication: true },
    roles: {
      member: { machine, input: (self, topology) => ({ self, peers: topology.successors(self) }) },
    },
    messages: {
      message: {
        fields: ['vector', 'data'],
        counters: ['vector.*'],
        meaning:
          'a multicast; `vector` counts the multicasts in its past for each sender, itself included',
      },
    },
    commands: { multicast: { ...commands.multicast, when: () => true } },
    history: multicastHistory,
    properties: [...reliableMulticast, ...properties, ...vectorRules],
    cost: {
      per: 'multicast',
      command: 'multicast',
      formula: 'n−1',
      remark: 'each with a vector of n numbers',
      messages: (n) => ({ least: n - 1, most: n - 1 }),
    },
  });
}
