import {
  always,
  defineProtocol,
  everyStep,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  type SystemView,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../options.js';
import { senderIn, sendsNothingTwice } from '../../steps.js';
import { type Command, commands, decision } from '../election.js';
import {
  firewireOptions,
  type Message,
  machine,
  type Options,
  tieBreakingMachine,
} from './firewire.js';

export type { Command, Options };

// What the algorithm promises beyond a leader: parents and children, and where there may be
// contention.

const idsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * The neighbours of a node that are not its children: its parent, or the node that may become it.
 */
const leftOf = ({ context }: Pick<NodeView, 'context'>): readonly unknown[] =>
  idsOf(context.neighbours).filter((id) => !idsOf(context.children).includes(id));

const askedBy = (step: NodeStep) => senderIn(step, 'be-my-parent')[0];

/** The part of the contention in which a node is. */
const waitOf = ({ value }: NodeView) => (typeof value === 'object' ? value.contending : undefined);

/** The nodes that have asked each other: the edge between them sees contention. */
function mutual(system: SystemView): readonly NodeView[] {
  return system.tagged('asking').filter((node) => {
    const other = system.node(String(leftOf(node)[0]));
    return other.tags.has('asking') && leftOf(other)[0] === node.id;
  });
}

const ownProperties: readonly Property[] = [
  always('at most two nodes have asked each other', (system) => mutual(system).length <= 2),
  always(
    'no node is the leader while two nodes have asked each other',
    (system) => system.count('leader') === 0 || mutual(system).length === 0,
  ),
  everyStep(
    'a node that has asked goes on asking until it has a parent or is the leader',
    ({ before, after }) =>
      !before.tags.has('asking') ||
      ['asking', 'leader'].some((tag) => after.tags.has(tag)) ||
      after.value === 'child',
  ),
  everyStep('a node asks its last neighbour, and no other one', ({ after, sent }) =>
    sent.every(
      ({ to, message }) =>
        message.type !== 'be-my-parent' || (leftOf(after).length === 1 && leftOf(after)[0] === to),
    ),
  ),
  everyStep(
    'a node adopts each neighbour that asks it, unless it has asked that neighbour itself',
    (step) => {
      const { before, after } = step;
      const neighbour = askedBy(step);
      return (
        neighbour === undefined ||
        before.value === 'asking' ||
        idsOf(after.context.children).includes(neighbour)
      );
    },
  ),
  everyStep(
    'a node whose neighbours are all its children is the leader',
    ({ after }) => leftOf(after).length > 0 || after.tags.has('leader') || after.value === 'asleep',
  ),
  sendsNothingTwice('a node sends no neighbour the same message twice'),
];

/** How contention ends by chance. */
const byChance: Property = everyStep(
  'a node that has asked draws a wait when it is asked, and waits as drawn',
  (step) => {
    const { before, after, cause } = step;
    if (waitOf(before) === undefined && waitOf(after) !== undefined)
      return before.value === 'asking' && askedBy(step) !== undefined;
    return cause.kind !== 'choice' || waitOf(after) === cause.value;
  },
);

/** How contention ends by the ids. */
const byIds: Property = everyStep(
  'of two nodes that have asked each other, the one with the larger id is the leader',
  (step) => {
    const neighbour = askedBy(step);
    return (
      neighbour === undefined ||
      step.before.value !== 'asking' ||
      step.after.tags.has('leader') === step.after.id > neighbour
    );
  },
);

/**
 * B10: root election of FireWire.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example firewire({ tieBreak: 'id' })
 */
export const firewire = (options: Options = {}): Protocol<Command> => {
  const {
    tieBreak = 'random',
    pause = 10,
    short = 240,
    long = 570,
  } = validOptions('firewire', firewireOptions, options);
  const random = tieBreak === 'random';
  return defineProtocol<Message, Command>({
    id: 'B10',
    name: 'firewire',
    title: 'FireWire root election',
    problem: 'election',
    citation:
      'IEEE Standard for a High Performance Serial Bus, IEEE Std 1394-1995, tree identification; M. Devillers, W. Griffioen, J. Romijn, F. Vaandrager: Verification of a Leader Election Protocol: Formal Methods Applied to IEEE 1394. Formal Methods in System Design 16:3, 2000, 307–320',
    ...(Object.keys(options).length > 0 ? { options } : {}),
    times: timers({ pause, short, long }),
    topology: needs.tree,
    channels: { order: 'fifo', loss: false, duplication: false },
    roles: {
      node: {
        machine: random ? machine : tieBreakingMachine,
        input: (self, topology) => ({
          self,
          neighbours: topology.successors(self),
          pause,
          short,
          long,
        }),
      },
    },
    messages: {
      'bus-reset': { meaning: 'an election begins' },
      'be-my-parent': { meaning: 'all my other neighbours are my children' },
      'you-are-my-child': { meaning: 'I am your parent' },
      elected: { fields: ['id'], meaning: 'node `id` is the root' },
    },
    commands,
    ...(random && { rewards: { draws: ({ cause }) => (cause.kind === 'choice' ? 1 : 0) } }),
    // An adversary that answers each choice can let both nodes draw the same wait forever: no
    // property about all runs can say that the election ends.
    properties: [
      ...decision.filter(({ kind }) => !random || kind !== 'eventually'),
      ...ownProperties,
      random ? byChance : byIds,
    ],
    cost: {
      per: 'election',
      formula: random ? '4(n−1) … 5(n−1)' : '4(n−1) … 5(n−1) + 1',
      remark: `${random ? 'and 2 more for each contention; ' : ''}2(n−1) of them find the root`,
      messages: (n) => ({
        least: 4 * (n - 1),
        most: random ? Infinity : n === 1 ? 0 : 5 * (n - 1) + 1,
      }),
    },
  });
};
