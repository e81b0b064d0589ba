import { defineProtocol, type Protocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../options.js';
import {
  type Command,
  causalOrder,
  commands,
  multicastHistory,
  reliableMulticast,
} from '../multicast.js';
import type { Message } from './causal-multicast.js';
import { fifoMachine, machine } from './causal-multicast.js';
import { causalMulticastOptions, type Options } from './options.js';
import { vectorRules } from './properties.js';

export type { Command, Options };

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
          'a multicast; `vector`: by member, how many multicasts are in its past, itself included',
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
