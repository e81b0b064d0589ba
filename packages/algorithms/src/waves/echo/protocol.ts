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
import { receiversIn } from '../../steps.js';
import { type Command, commands, parentOf, properties } from '../wave.js';
import {
  echoOptions,
  type Input,
  initiator as initiatorMachine,
  type Message,
  node,
  type Options,
} from './echo.js';

export type { Command, Options };

// as the machines' own types say
const neighboursOf = ({ context }: NodeView) => context.neighbours as readonly NodeId[];
const childrenOf = ({ context }: NodeView) => context.children as readonly NodeId[]; // the same

const ofEcho: readonly Property[] = [
  always('when the initiator is done, each node knows its children', (system) => {
    if (system.count('done') === 0) return true;
    const { nodes } = system;
    return nodes.every((node) => {
      const children = nodes.filter((other) => parentOf(other) === node.id).map(({ id }) => id);
      return childrenOf(node).join() === children.sort().join();
    });
  }),
  always('the height of a node is its distance from the initiator in the tree', (system) => {
    const heights = new Map(system.nodes.map(({ id, context }) => [id, Number(context.height)]));
    return system.tagged('reached').every((node) => {
      const parent = parentOf(node);
      return (
        heights.get(node.id) === (parent === null ? 0 : (heights.get(parent) ?? Number.NaN) + 1)
      );
    });
  }),
  everyStep('a reached node explores all other edges, and explores no edge again', (step) => {
    const { before, after } = step;
    const due =
      after.tags.has('reached') && !before.tags.has('reached')
        ? neighboursOf(after).filter((id) => id !== parentOf(after))
        : [];
    return receiversIn(step, 'explorer').join() === due.join();
  }),
  everyStep(
    'a node sends one echo, to its parent, as soon as it waits for no other node',
    (step) => {
      const { before, after } = step;
      const isDue =
        after.tags.has('reached') &&
        !after.tags.has('waiting') &&
        (!before.tags.has('reached') || before.tags.has('waiting'));
      return receiversIn(step, 'echo').join() === (isDue ? (parentOf(after) ?? '') : '');
    },
  ),
];

const edges = (n: number) => (n * (n - 1)) / 2;

/**
 * C2: the echo algorithm.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example echo({ initiator: 'b' })
 */
export const echo = (options: Options = {}): Protocol<Command> => {
  const { initiator } = validOptions('echo', echoOptions, options);
  const input = (self: NodeId, topology: Topology) =>
    ({ neighbours: topology.successors(self) }) satisfies Input;
  return defineProtocol<Message, Command>({
    id: 'C2',
    name: 'echo',
    title: 'Echo algorithm',
    problem: 'wave',
    citation:
      'E. J. H. Chang: Echo Algorithms: Depth Parallel Operations on General Graphs. IEEE TSE 8:4, 1982, 391–401; A. Segall: Distributed Network Protocols. IEEE Transactions on Information Theory 29:1, 1983, 23–35',
    options: initiator === undefined ? {} : { initiator },
    topology: connectedWith('initiator', initiator),
    channels: { order: 'any', loss: false, duplication: false },
    roles: { initiator: { machine: initiatorMachine, input }, node: { machine: node, input } },
    roleOf: (id, { nodes }) => (id === (initiator ?? nodes[0]) ? 'initiator' : 'node'),
    messages: {
      explorer: {
        fields: ['height'],
        counters: ['height'],
        meaning:
          'the wave reaches the receiver; the sender is `height` edges away from the initiator',
      },
      echo: {
        meaning: 'the wave has reached all nodes behind the sender, whose parent is the receiver',
      },
    },
    commands,
    properties: [...properties, ...ofEcho],
    cost: {
      per: 'wave',
      command: 'start',
      formula: '2e',
      messages: (n, topology) =>
        topology
          ? { least: topology.links.length, most: topology.links.length }
          : { least: 2 * (n - 1), most: 2 * edges(n) },
    },
  });
};
