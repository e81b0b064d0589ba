import { defineProtocol, type Protocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../options.js';
import { properties } from './properties.js';
import { machine as registry } from './registry.js';
import {
  type Command,
  type Message,
  machine,
  type Options,
  virtualTreeOptions,
} from './virtual-tree.js';

export type { Command, Options };

/**
 * B13: a virtual tree at system start. The first node is the registry; the others join and leave.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example virtualTree({ addresses: 3 })
 */
export function virtualTree(options: Options = {}): Protocol<Command> {
  const { addresses = 2 } = validOptions('virtualTree', virtualTreeOptions, options);
  return defineProtocol<Message, Command>({
    id: 'B13',
    name: 'virtual-tree',
    title: 'Virtual tree at system start',
    problem: 'spanning-tree',
    citation:
      'Folklore of peer-to-peer networks; the dissolution is a diffusing computation: E. W. Dijkstra, C. S. Scholten: Termination Detection for Diffusing Computations. Information Processing Letters 11:1, 1980, 1–4',
    ...(addresses === 2 ? {} : { options: { addresses } }),
    topology: needs.complete,
    channels: { order: 'fifo', loss: false, duplication: false },
    roles: {
      registry: { machine: registry, input: () => ({ addresses }) },
      node: { machine, input: (_self, { nodes }) => ({ registry: nodes[0] ?? '' }) },
    },
    roleOf: (node, { nodes }) => (node === nodes[0] ? 'registry' : 'node'),
    messages: {
      register: { meaning: 'I want to take part; tell me addresses' },
      addresses: { fields: ['ids'], meaning: 'connect to these nodes; none: you are the root' },
      'be-root': { meaning: 'the root has left; you are the root' },
      connect: { meaning: 'I am your neighbour; what is your level?' },
      level: {
        fields: ['level'],
        counters: ['level?'],
        meaning: 'my level is `level`; null: I have no place in the tree',
      },
      lost: {
        meaning: 'I have lost my place; answer when no node of your subtree has one through me',
      },
      noted: {
        fields: ['level'],
        counters: ['level?'],
        meaning:
          'I know that you have lost your place, and have none through you; my level is `level`',
      },
      closed: { meaning: 'I have left; the connection is closed' },
    },
    commands: {
      join: {
        kind: 'optional',
        meaning: 'the application starts this node',
        when: ({ value }) => value === 'absent',
      },
      leave: {
        kind: 'optional',
        meaning: 'this node ends; its connections are closed',
        when: ({ tags }) => tags.has('attached'),
      },
    },
    properties,
  });
}
