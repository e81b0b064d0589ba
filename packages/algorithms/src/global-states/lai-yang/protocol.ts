import {
  always,
  defineProtocol,
  everyStep,
  type NodeId,
  type Property,
  type Protocol,
  type SystemView,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { connectedWith, validOptions } from '../../options.js';
import { receiversIn, sameIds, sentIn } from '../../steps.js';
import { type Command, commands, dealt, history, inTransitTo, snapshots } from '../bank.js';
import {
  initiator as initiatorMachine,
  laiYangOptions,
  type Message,
  machine,
  type Options,
} from './lai-yang.js';

export type { Command, Options };

const recordedIn = ({ context }: SystemView['nodes'][number]) => ({
  coins: Number(context.recorded),
  inTransit: Number(context.sent) - Number(context.received),
});

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const steps: readonly Property[] = [
  everyStep(
    'a node tells all neighbours, and its application, when it records its state',
    (step) => {
      const { before, after, notified } = step;
      const isDue = after.tags.has('recorded') && !before.tags.has('recorded');
      return (
        sameIds(receiversIn(step, 'red'), isDue ? after.context.neighbours : []) &&
        notified.length === (isDue ? 1 : 0)
      );
    },
  ),
  everyStep('coins have the colour of their sender', (step) =>
    sentIn(step, 'coin').every(({ message }) => message.red === step.before.tags.has('recorded')),
  ),
  always('the counts of all records tell the number of coins on their way', (system) => {
    if (system.count('recorded') < system.nodes.length) return true;
    const late = system.inFlight('coin').filter(({ message }) => 'red' in message && !message.red);
    const arrived = system.nodes.map((node) => inTransitTo(node).length);
    return (
      sum(system.nodes.map((node) => recordedIn(node).inTransit)) === sum(arrived) + late.length
    );
  }),
];

/**
 * E1b: the snapshot of Lai and Yang, of a bank.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example laiYang({ coins: 3 })
 */
export function laiYang(options: Options = {}): Protocol<Command> {
  const { initiator, coins = 2 } = validOptions('laiYang', laiYangOptions, options);
  const input = (self: NodeId, topology: Topology) => ({
    neighbours: topology.successors(self),
    coins: dealt(self, topology, coins),
  });
  return defineProtocol<Message, Command>({
    id: 'E1b',
    name: 'lai-yang',
    title: 'Lai–Yang snapshot',
    problem: 'snapshot',
    citation:
      'T. H. Lai, T. H. Yang: On Distributed Snapshots. Information Processing Letters 25:3, 1987, 153–158',
    options: { coins, ...(initiator === undefined ? {} : { initiator }) },
    topology: connectedWith('initiator', initiator),
    channels: { order: 'any', loss: false, duplication: false },
    roles: { initiator: { machine: initiatorMachine, input }, node: { machine, input } },
    roleOf: (id, { nodes }) => (id === (initiator ?? nodes[0]) ? 'initiator' : 'node'),
    messages: {
      coin: {
        fields: ['red'],
        meaning: 'a coin of the bank; `red`: I had recorded my state when I sent it',
      },
      red: { meaning: 'I have recorded my state' },
    },
    commands,
    waiting: false,
    properties: [...snapshots(recordedIn), ...steps],
    history,
    cost: {
      per: 'snapshot',
      command: 'snapshot',
      of: ['red'],
      formula: '2e',
      messages: (n, topology) =>
        topology
          ? { least: topology.links.length, most: topology.links.length }
          : { least: 2 * (n - 1), most: n * (n - 1) },
    },
  });
}
