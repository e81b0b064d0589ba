import {
  always,
  defineProtocol,
  everyStep,
  type NodeId,
  type Property,
  type Protocol,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { connectedWith, timers, validOptions } from '../../options.js';
import { receiversIn, senderIn, stepsOf } from '../../steps.js';
import { type Command, commands, properties, withReceivers } from '../termination.js';
import {
  type Context,
  dijkstraScholtenOptions,
  type Input,
  initiator as initiatorMachine,
  type Message,
  machine,
  type Options,
} from './dijkstra-scholten.js';

export type { Command, Options };

const { contextOf } = stepsOf<Message, Context>();

const ofSignals: readonly Property[] = [
  everyStep('a node answers work at once, except the work that made it take part', (step) => {
    const [from] = senderIn(step, 'work');
    const { parent } = contextOf(step.before);
    const joins = from !== undefined && step.before.role === 'node' && parent === null;
    const after = contextOf(step.after);
    const leaves = parent !== null && after.parent === null;
    const due = leaves ? [parent] : from !== undefined && !joins ? [from] : [];
    return (
      receiversIn(step, 'signal').join() === due.join() &&
      after.parent === (joins ? from : leaves ? null : parent)
    );
  }),
  everyStep('a node leaves as soon as it is passive and all its work is answered', (step) => {
    const { parent, unanswered } = contextOf(step.after);
    return parent === null || unanswered > 0 || step.after.tags.has('active');
  }),
  everyStep(
    'the initiator announces termination in the step after which it has nothing to wait for',
    ({ before, after, notified }) => {
      const isDone = !after.tags.has('active') && contextOf(after).unanswered === 0;
      const isDue = after.role === 'initiator' && isDone && !before.tags.has('announced');
      return notified.length === (isDue ? 1 : 0) && (!isDue || after.tags.has('announced'));
    },
  ),
  always('an unanswered message is work on its way, a signal on its way, or a child', (system) =>
    system.nodes.every((node) => {
      const { unanswered } = contextOf(node);
      const onTheWay =
        system.inFlight('work').filter(({ from }) => from === node.id).length +
        system.inFlight('signal').filter(({ to }) => to === node.id).length;
      const children = system.nodes.filter((other) => contextOf(other).parent === node.id);
      return unanswered === onTheWay + children.length;
    }),
  ),
];

/**
 * E2: termination detection of Dijkstra and Scholten.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example dijkstraScholten({ initiator: 'b' })
 */
export function dijkstraScholten(options: Options = {}): Protocol<Command> {
  const { work = 20, initiator } = validOptions(
    'dijkstraScholten',
    dijkstraScholtenOptions,
    options,
  );
  const input = (self: NodeId, topology: Topology) =>
    ({ neighbours: topology.successors(self), work }) satisfies Input;
  return defineProtocol<Message, Command>({
    id: 'E2',
    name: 'dijkstra-scholten',
    title: 'Termination detection of Dijkstra and Scholten',
    problem: 'termination-detection',
    citation:
      'E. W. Dijkstra, C. S. Scholten: Termination Detection for Diffusing Computations. Information Processing Letters 11:1, 1980, 1–4',
    options: { work, ...(initiator !== undefined && { initiator }) },
    times: timers({ work }),
    topology: withReceivers(connectedWith('initiator', initiator)),
    channels: { order: 'any', loss: false, duplication: false },
    roles: { initiator: { machine: initiatorMachine, input }, node: { machine, input } },
    roleOf: (id, { nodes }) => (id === (initiator ?? nodes[0]) ? 'initiator' : 'node'),
    messages: {
      work: { meaning: 'work of the computation' },
      signal: { meaning: 'a message of work, and all work that it caused, is done' },
    },
    commands,
    waiting: false,
    properties: [...properties, ...ofSignals],
    cost: {
      per: 'run',
      of: ['signal'],
      formula: '0 … ∞',
      messages: () => ({ least: 0, most: Infinity }),
      remark: 'as many as messages of work',
    },
  });
}
