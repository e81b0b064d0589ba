/**
 * A bank whose money is counted (Chandy & Lamport 1985; the example is Mattern's): nodes send coins
 * to each other while a snapshot is taken. A snapshot is a consistent cut if no coin is received
 * before it and sent after it; then it is a state in which the system may have been, and has all
 * coins. A history variable tells which coins were sent after the record of their sender.
 */
import {
  always,
  alwaysEventually,
  everyStep,
  type History,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { receiversIn, sameIds, senderIn } from '../steps.js';
import { withNode } from '../waves/wave.js';

/** `snapshot` is for the initiator; the bank gets `transfer`, and chooses who is paid. */
export interface Command {
  readonly type: 'snapshot' | 'transfer';
}

export const commands: Readonly<Record<Command['type'], Protocol['commands'][string]>> = {
  snapshot: { kind: 'optional', meaning: 'the application asks the initiator for a snapshot' },
  transfer: {
    kind: 'optional',
    meaning: 'the node sends a coin to a neighbour',
    when: ({ context }) => Number(context.coins) > 0,
  },
};

/** The coins of node `self` at the start: they are dealt one by one, from the first node on. */
export const dealt = (self: NodeId, { nodes }: Topology, coins: number): number =>
  Math.ceil((coins - nodes.indexOf(self)) / nodes.length);

/** What a node has recorded. */
export interface Recorded {
  readonly coins: number;
  /** Coins that were on their way to it; the sum over all nodes counts. */
  readonly inTransit: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const coinsIn = (system: SystemView): number =>
  sum(system.nodes.map(({ context }) => Number(context.coins))) + system.inFlight('coin').length;

const hasRecorded = ({ tags }: NodeView): boolean => tags.has('recorded');

/** What a judge remembers of a node. */
type Past = {
  /** Whether it has recorded its state; its messages carry this along. */
  readonly recorded: boolean;
  /** Whether it got a coin that was sent after the record of the sender, and had not recorded. */
  readonly early: boolean;
  /** The senders of the coins that came after its record, and were sent before theirs. */
  readonly inTransit: readonly NodeId[];
};

// of the protocols with this history
const pastOf = (node: NodeView): Past => node.history as Past;

function after(past: Past, step: NodeStep): Past {
  const { cause, label } = step;
  const isCoin = cause.kind === 'message' && cause.message.type === 'coin';
  const recorded = hasRecorded(step.after);
  return {
    recorded,
    early: past.early || (isCoin && label === true && !recorded),
    inTransit:
      isCoin && label === false && hasRecorded(step.before)
        ? withNode(past.inTransit, cause.from)
        : past.inTransit,
  };
}

export const history: History<Past> = {
  initial: () => ({ recorded: false, early: false, inTransit: [] }),
  after,
  label: ({ recorded }) => recorded,
};

/** The senders of the coins that were on their way to a node when the snapshot was taken. */
export const inTransitTo = (node: NodeView): readonly NodeId[] => pastOf(node).inTransit;

/** @param recordedIn what a node has recorded, complete or not */
export const snapshots = (recordedIn: (node: NodeView) => Recorded): readonly Property[] => [
  always('the snapshot has all coins, once all nodes have completed their records', (system) => {
    if (system.count('completed') < system.nodes.length) return true;
    const recorded = system.nodes.map(recordedIn);
    const counted = recorded.map(({ coins, inTransit }) => coins + inTransit);
    return sum(counted) === coinsIn(system);
  }),
  always(
    'no node receives, before its record, a message that another node sent after its own record',
    ({ nodes }) => nodes.every((node) => !pastOf(node).early),
  ),
  everyStep('a node records the coins that it has, once', ({ before, after }) => {
    if (!hasRecorded(after)) return !hasRecorded(before);
    const { coins } = recordedIn(hasRecorded(before) ? before : after);
    return recordedIn(after).coins === (hasRecorded(before) ? coins : before.context.coins);
  }),
  everyStep(
    'a node pays one coin to the chosen neighbour, and never more coins than it has',
    (step) => {
      const { before, after, cause } = step;
      const paid = receiversIn(step, 'coin');
      const earned = senderIn(step, 'coin').length;
      const coins = Number(after.context.coins);
      return (
        sameIds(paid, cause.kind === 'choice' ? [String(cause.value)] : []) &&
        coins === Number(before.context.coins) + earned - paid.length &&
        coins >= 0
      );
    },
  ),
  alwaysEventually(
    'a snapshot that has begun is completed by all nodes',
    (system) => system.count('recorded') === 0 || system.count('completed') === system.nodes.length,
  ),
  ...['initiator', 'node'].map((role) =>
    sometimes(`a coin of a node with the role '${role}' is on its way`, (system) =>
      system.inFlight('coin').some(({ from }) => system.node(from).role === role),
    ),
  ),
  sometimes(
    'a snapshot has a coin that was on its way',
    (system) =>
      system.count('completed') === system.nodes.length &&
      sum(system.nodes.map((node) => recordedIn(node).inTransit)) > 0,
  ),
];
