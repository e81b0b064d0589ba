import {
  always,
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
  type Protocol,
  type SystemView,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { completeWith, timers, validOptions } from '../../options.js';
import { receivedIn, sentIn, stepsOf } from '../../steps.js';
import { type Command, commands, properties, withReceivers } from '../termination.js';
import {
  type Context,
  creditRecoveryOptions,
  type Input,
  initiator as initiatorMachine,
  type Message,
  machine,
  type Options,
} from './credit-recovery.js';

export type { Command, Options };

const { contextOf } = stepsOf<Message, Context>();

/** The credits that nodes and messages have, by their exponents. */
const creditsIn = (system: SystemView): readonly number[] => [
  ...system.nodes.flatMap((node) => contextOf(node).exponent ?? []),
  ...system.inFlight().map(({ message }) => Number(Object(message).exponent)),
];

const isEqualSum = (some: readonly number[], others: readonly number[]): boolean => {
  const most = Math.max(0, ...some, ...others);
  const sum = (exponents: readonly number[]) =>
    exponents.reduce((all, exponent) => all + (1n << BigInt(most - exponent)), 0n);
  return sum(some) === sum(others);
};

const debtOf = ({ nodes }: SystemView): readonly number[] =>
  nodes.flatMap((node) => contextOf(node).debt);

const isInitiator = ({ role }: NodeView): boolean => role === 'initiator';

const ofCredit: readonly Property[] = [
  always('the initiator knows the total credit of nodes and messages', (system) =>
    isEqualSum(debtOf(system), creditsIn(system)),
  ),
  everyStep('an active node has credit, and halves it with each message of work', (step) => {
    const [before, after] = [contextOf(step.before), contextOf(step.after)];
    const work = sentIn(step, 'work').map(({ message }) => message.exponent);
    if (!step.after.tags.has('active')) return after.exponent === null;
    if (!step.before.tags.has('active')) return after.exponent !== null;
    const halves = work.map((_, at) => (before.exponent ?? 0) + 1 + at);
    return after.exponent === (before.exponent ?? 0) + work.length && work.join() === halves.join();
  }),
  everyStep('a node returns at once the credit that it does not need', (step) => {
    const { before, after } = step;
    const back = sentIn(step, 'credit');
    const received = receivedIn(step, 'work');
    const isDone = before.tags.has('active') && !after.tags.has('active');
    const spare = isDone
      ? contextOf(before).exponent
      : before.tags.has('active') && received?.exponent;
    const due = isInitiator(before) || typeof spare !== 'number' ? [] : [spare];
    return (
      back.map(({ message }) => message.exponent).join() === due.join() &&
      back.every(({ to }) => to === contextOf(before).initiator)
    );
  }),
  everyStep(
    'the initiator announces termination in the step in which the last credit comes back',
    ({ before, after, notified }) => {
      const [had, has] = [before, after].map((node) => contextOf(node).debt.length > 0);
      const isDue = isInitiator(after) && had === true && has === false;
      return notified.length === (isDue ? 1 : 0) && (!isDue || after.tags.has('announced'));
    },
  ),
];

/**
 * E3b: termination detection by credit recovery.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example creditRecovery({ initiator: 'b' })
 */
export function creditRecovery(options: Options = {}): Protocol<Command> {
  const { work = 20, initiator } = validOptions('creditRecovery', creditRecoveryOptions, options);
  const first = ({ nodes }: Topology) => initiator ?? nodes[0] ?? '';
  const input = (self: NodeId, topology: Topology) =>
    ({
      peers: topology.nodes.filter((id) => id !== self),
      initiator: first(topology),
      work,
    }) satisfies Input;
  return defineProtocol<Message, Command>({
    id: 'E3b',
    name: 'credit-recovery',
    title: 'Termination detection by credit recovery',
    problem: 'termination-detection',
    citation:
      'F. Mattern: Global Quiescence Detection Based on Credit Distribution and Recovery. Information Processing Letters 30:4, 1989, 195–200; S.-T. Huang: Detecting Termination of Distributed Computations by External Agents. ICDCS 1989, 79–84',
    options: { work, ...(initiator !== undefined && { initiator }) },
    times: timers({ work }),
    topology: withReceivers(completeWith('initiator', initiator)),
    channels: { order: 'any', loss: false, duplication: false },
    roles: { initiator: { machine: initiatorMachine, input }, node: { machine, input } },
    roleOf: (id, topology) => (id === first(topology) ? 'initiator' : 'node'),
    messages: {
      work: {
        fields: ['exponent'],
        counters: ['exponent'],
        meaning: 'work of the computation, with a credit of 2^−`exponent`',
      },
      credit: {
        fields: ['exponent'],
        counters: ['exponent'],
        meaning: 'a credit of 2^−`exponent` comes back to the initiator',
      },
    },
    commands,
    waiting: false,
    properties: [...properties, ...ofCredit],
    cost: {
      per: 'run',
      of: ['credit'],
      formula: '0 … ∞',
      messages: () => ({ least: 0, most: Infinity }),
      remark: 'one for each message of work to another node than the initiator',
    },
  });
}
