import {
  always,
  defineProtocol,
  eventually,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  sometimes,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../options.js';
import { sentIn } from '../../steps.js';
import { type Command, commands, decision } from '../election.js';
import {
  extinctionOptions,
  type Message,
  machine,
  type Options,
  terminatingMachine,
} from './extinction.js';

export type { Command, Options };

// as the machines' own types say
const maxOf = ({ context }: NodeView): NodeId | null => context.max as NodeId | null;
const neighboursOf = ({ context }: NodeView) => context.neighbours as readonly NodeId[]; // the same

/** The messages of this type that the step sends, as text. */
const textsIn = (step: NodeStep, type: string): string =>
  sentIn(step, type)
    .map(({ to, message }) => `${to} ${message.id}`)
    .join();

const to = (receivers: readonly NodeId[], id: NodeId | null): string =>
  receivers.map((receiver) => `${receiver} ${id}`).join();

/** A node takes part for a larger candidate than before, or for the first. */
const changesIn = ({ before, after }: NodeStep): boolean => maxOf(after) !== maxOf(before);

const othersIn = ({ before, cause }: NodeStep): readonly NodeId[] =>
  neighboursOf(before).filter((id) => cause.kind !== 'message' || id !== cause.from);

/** What holds of both forms: extinction. */
const extinguishes: readonly Property[] = [
  everyStep(
    'the largest known id of a node only grows, to an id that the node hears of',
    ({ before, after, cause }) => {
      const heard =
        cause.kind === 'message' && cause.message.type === 'explorer' && 'id' in cause.message
          ? String(cause.message.id)
          : null;
      const known = maxOf(before);
      if (cause.kind === 'command') return maxOf(after) === (known ?? after.id);
      return maxOf(after) === (heard !== null && (known === null || heard > known) ? heard : known);
    },
  ),
  everyStep(
    'a node that learns of a larger candidate tells all neighbours but the one that told it, and no node tells anything else',
    (step) =>
      textsIn(step, 'explorer') === (changesIn(step) ? to(othersIn(step), maxOf(step.after)) : ''),
  ),
];

const ofFlooding: readonly Property[] = [
  always('a node is a candidate while it knows no larger id', (system) =>
    system.nodes.every(
      (node) => node.crashed || node.tags.has('candidate') === (maxOf(node) === node.id),
    ),
  ),
  eventually(
    'one candidate is left, every live node knows it, and no message is on its way',
    (system) =>
      system.count('candidate') === 1 &&
      system.count('reached') === system.live &&
      system.distinct('reached', 'max').length === 1 &&
      system.inFlight().length === 0,
  ),
  sometimes('one candidate is left', (system) => system.count('candidate') === 1),
  ...extinguishes,
];

const partOf = ({ context }: NodeView) =>
  context as unknown as {
    readonly parent: NodeId | null;
    readonly pending: readonly NodeId[];
    readonly children: readonly NodeId[];
  }; // as the machine's own type says

/** Whether the node has heard from all neighbours in the wave that it takes part in. */
const isComplete = (node: NodeView): boolean =>
  maxOf(node) !== null && partOf(node).pending.length === 0;

const ofWaves: readonly Property[] = [
  always(
    'the leader is the largest of the nodes that started, and all take part in its wave',
    (system) =>
      system
        .tagged('leader')
        .every(({ id }) => system.nodes.every((node) => node.crashed || maxOf(node) === id)),
  ),
  ...extinguishes,
  everyStep(
    'a node that has heard from all neighbours sends an echo to its parent, once in each wave',
    (step) => {
      const { parent } = partOf(step.after);
      const isDue =
        isComplete(step.after) && (!isComplete(step.before) || changesIn(step)) && parent !== null;
      return textsIn(step, 'echo') === (isDue ? to([parent], maxOf(step.after)) : '');
    },
  ),
  everyStep(
    'a node that learns the leader tells its children, and no node tells anything else',
    (step) => {
      const learns = step.after.tags.has('decided') && !step.before.tags.has('decided');
      return (
        textsIn(step, 'elected') ===
        (learns ? to(partOf(step.after).children, maxOf(step.after)) : '')
      );
    },
  ),
];

/** Of e edges, in a network of n nodes that has the most, or of `topology`. */
const edgesOf = (n: number, topology?: { readonly links: readonly unknown[] }) =>
  topology ? topology.links.length / 2 : (n * (n - 1)) / 2;
const fewest = (n: number, topology?: { readonly links: readonly unknown[] }) =>
  topology ? topology.links.length / 2 : n - 1;

/**
 * B12: election by extinction of messages. Without `terminating` no node learns that the election
 * is over: see README.md.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example extinction({ terminating: true })
 */
export function extinction(options: Options = {}): Protocol<Command> {
  const { terminating = false } = validOptions('extinction', extinctionOptions, options);
  return defineProtocol<Extract<Message, { type: 'explorer' }>, Command>({
    id: 'B12',
    name: 'extinction',
    title: 'Extinction by flooding',
    problem: 'election',
    citation:
      'F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000, election with message extinction; G. Tel: Introduction to Distributed Algorithms. Cambridge University Press, 2nd edition, 2000, section 7.3',
    options: terminating ? { terminating } : {},
    topology: needs.connected,
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine: terminating ? terminatingMachine : machine,
        input: (self, topology) => ({ self, neighbours: topology.successors(self) }),
      },
    },
    messages: {
      explorer: { fields: ['id'], meaning: 'node `id` is a candidate' },
      ...(terminating && {
        echo: {
          fields: ['id'],
          meaning: 'all nodes behind the sender have been reached by candidate `id`',
        },
        elected: { fields: ['id'], meaning: 'node `id` is the leader' },
      }),
    },
    commands,
    properties: terminating ? [...decision, ...ofWaves] : ofFlooding,
    ...(terminating ? {} : { waiting: false as const }),
    cost: terminating
      ? {
          per: 'election',
          formula: 'at most 2ke + n − 1',
          remark: 'where k nodes start',
          messages: (n, topology) => ({
            least: 2 * fewest(n, topology) + n - 1,
            most: 2 * n * edgesOf(n, topology) + n - 1,
          }),
        }
      : {
          per: 'election',
          formula: 'at most k(2e − n + 1)',
          remark: 'where k nodes start',
          messages: (n, topology) => ({
            least: 2 * fewest(n, topology) - n + 1,
            most: n * (2 * edgesOf(n, topology) - n + 1),
          }),
        },
  });
}
