import {
  always,
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
  type Protocol,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { connectedWith, validOptions } from '../../options.js';
import { receiversIn, sameIds } from '../../steps.js';
import { type Command, commands, dealt, history, inTransitTo, snapshots } from '../bank.js';
import {
  chandyLamportOptions,
  initiator as initiatorMachine,
  type Message,
  machine,
  type Options,
} from './chandy-lamport.js';

export type { Command, Options };

// as the machines' own types say
const listIn = ({ context }: NodeView, field: string) => context[field] as readonly NodeId[];

const recordedIn = (node: NodeView) => ({
  coins: Number(node.context.recorded),
  inTransit: listIn(node, 'channels').length,
});

const steps: readonly Property[] = [
  always('a node waits from its record until the record is complete', ({ nodes }) =>
    nodes.every(
      ({ tags }) => tags.has('waiting') === (tags.has('recorded') && !tags.has('completed')),
    ),
  ),
  everyStep('a node sends its markers exactly in the step in which it records', (step) =>
    sameIds(
      receiversIn(step, 'marker'),
      step.after.tags.has('recorded') && !step.before.tags.has('recorded')
        ? listIn(step.after, 'neighbours')
        : [],
    ),
  ),
  always(
    'a node records as on their way the coins sent before the record of the sender and received after its own',
    ({ nodes }) => nodes.every((node) => sameIds(inTransitTo(node), listIn(node, 'channels'))),
  ),
  everyStep(
    'a node tells its application what it has recorded, once, when it is complete',
    (step) => {
      const { before, after, notified } = step;
      const isDue = after.tags.has('completed') && !before.tags.has('completed');
      return notified.length === (isDue ? 1 : 0);
    },
  ),
];

/**
 * E1: the snapshot of Chandy and Lamport, of a bank.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example chandyLamport({ coins: 3 })
 */
export function chandyLamport(options: Options = {}): Protocol<Command> {
  const { initiator, coins = 2 } = validOptions('chandyLamport', chandyLamportOptions, options);
  const input = (self: NodeId, topology: Topology) => ({
    neighbours: topology.successors(self),
    coins: dealt(self, topology, coins),
  });
  return defineProtocol<Message, Command>({
    id: 'E1',
    name: 'chandy-lamport',
    title: 'Chandy–Lamport snapshot',
    problem: 'snapshot',
    citation:
      'K. M. Chandy, L. Lamport: Distributed Snapshots: Determining Global States of Distributed Systems. ACM TOCS 3:1, 1985, 63–75',
    options: { coins, ...(initiator === undefined ? {} : { initiator }) },
    topology: connectedWith('initiator', initiator),
    channels: { order: 'fifo', loss: false, duplication: false },
    roles: { initiator: { machine: initiatorMachine, input }, node: { machine, input } },
    roleOf: (id, { nodes }) => (id === (initiator ?? nodes[0]) ? 'initiator' : 'node'),
    messages: {
      coin: { meaning: 'a coin of the bank' },
      marker: { meaning: 'I have recorded my state; all that I sent before has arrived' },
    },
    commands,
    properties: [...snapshots(recordedIn), ...steps],
    history,
    cost: {
      per: 'snapshot',
      command: 'snapshot',
      of: ['marker'],
      formula: '2e',
      messages: (n, topology) =>
        topology
          ? { least: topology.links.length, most: topology.links.length }
          : { least: 2 * (n - 1), most: n * (n - 1) },
    },
  });
}
