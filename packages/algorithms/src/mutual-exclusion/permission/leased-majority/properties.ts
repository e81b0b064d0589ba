/** Properties of clients, voters and each step; the last three hold without any bound on clocks. */
import {
  always,
  everyStep,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import { isCommanded, stepsOf } from '../../../steps.js';
import { inCriticalSection, waits } from '../../mutual-exclusion.js';
import { electorateOf, votersOf } from './configuration.js';
import type { Context, Message, Try } from './node.js';
import { hasLock, losesAtRenewal, stepRules } from './step-properties.js';
import { voterRules } from './voter-properties.js';

const { contextOf, sentIn } = stepsOf<Message | Try, Context>();

/** With `servers`, a client sends to itself nothing. */
const othersOf = (node: NodeView): number =>
  electorateOf(contextOf(node)).filter((id) => id !== node.id).length;

/** Those of a majority of the voters, of which some may be down. */
export const allButAMinority = (
  system: SystemView,
  of: NodeView,
  holds: (node: NodeView) => boolean,
): boolean => {
  const voters = votersOf(contextOf(of));
  const others = system.nodes.filter((node) => voters.includes(node.id) && !holds(node));
  return 2 * others.length < voters.length;
};

/** Exclusion follows, since a voter has one vote. */
const majorityIsBound = always(
  'a majority is bound to the ballot of a node in the critical section',
  (system) =>
    system.nodes
      .filter(hasLock)
      .every((holder) =>
        allButAMinority(
          system,
          holder,
          (node) => contextOf(node).vote === contextOf(holder).ballot,
        ),
      ),
);

const losesWithNotice = everyStep(
  'a node notifies a loss exactly when it leaves the critical section without a release',
  (step) =>
    step.notified.filter(({ type }) => type === 'lost').length ===
    (inCriticalSection(step.before) &&
    !inCriticalSection(step.after) &&
    !isCommanded('release', step)
      ? 1
      : 0),
);

const returnsAll = everyStep(
  'a node that leaves the critical section returns all votes, with a floor above its ballot',
  (step) => {
    if (!hasLock(step.before) || hasLock(step.after)) return true;
    const returned = sentIn(step, 'released').filter(
      ({ message: { ballot, floor } }) =>
        ballot === contextOf(step.before).ballot && floor > ballot,
    );
    return new Set(returned.map(({ to }) => to)).size === othersOf(step.before);
  },
);

const asksAll = everyStep(
  'a request goes to all other nodes, for the ballot and round of its client',
  (step) => {
    const { before, after } = step;
    const { ballot, configuration } = contextOf(after);
    // a node that has become a voter meanwhile refuses the ballot that it renews, and takes another
    const isOver = (old: number) =>
      configuration !== undefined && old !== ballot && old === contextOf(before).ballot;
    const requests = sentIn(step, 'request', 'try').filter(
      ({ message }) => !isOver(message.ballot),
    );
    if (requests.length === 0)
      return (
        !waits(after) ||
        // the only voter learns of a change from itself, and asks its voters at the next renewal
        votersOf(contextOf(after)).every((id) => id === after.id) ||
        (contextOf(after).round === contextOf(before).round && ballot === contextOf(before).ballot)
      );
    return (
      (ballot > 0
        ? votersOf(contextOf(after)).every(
            (id) => id === after.id || requests.some(({ to }) => to === id),
          )
        : new Set(requests.map(({ to }) => to)).size === 1) &&
      requests.every(
        ({ message }) =>
          message.ballot === ballot &&
          (message.round === contextOf(after).round || losesAtRenewal(after)),
      )
    );
  },
);

const votesForOne = everyStep('a voter votes for the one ballot to which it is bound', (step) =>
  sentIn(step, 'vote').every(({ message }) => message.ballot === contextOf(step.after).vote),
);

/** With `servers`, a client without a ticket has no ballot. */
const latestOf = ({ ballot, largest, reserve }: Context): number =>
  reserve === undefined ? ballot : largest;

/** Otherwise a vote for an earlier request with the same ballot would count for a later one. */
const onlyRequested = always(
  'each vote in transit is for a ballot that its client has taken',
  (system) =>
    system
      .inFlight('vote')
      .every(
        ({ to, message }) =>
          'ballot' in message && Number(message.ballot) <= latestOf(contextOf(system.node(to))),
      ),
);

const grow = everyStep(
  'a floor never falls, and a new ballot is larger than all that its node has seen',
  ({ before, after }) =>
    contextOf(after).floor >= contextOf(before).floor &&
    (contextOf(after).ballot === contextOf(before).ballot ||
      contextOf(after).ballot === 0 ||
      contextOf(after).ballot > contextOf(before).largest),
);

const isRecorded = always(
  'a majority is bound to the ballot of a node in the critical section, or votes for no smaller one',
  (system) =>
    system.nodes.filter(hasLock).every((holder) => {
      const ballot = contextOf(holder).ballot;
      return allButAMinority(
        system,
        holder,
        (node) => contextOf(node).vote === ballot || contextOf(node).floor >= ballot,
      );
    }),
);

const keepsFloor = everyStep('a voter takes no ballot below its floor', ({ before, after }) => {
  const vote = contextOf(after).vote;
  return vote === 0 || vote === contextOf(before).vote || vote >= contextOf(after).floor;
});

/** What the growth of tokens rests on without clocks. */
export const withoutClocks: readonly Property[] = [grow, isRecorded, keepsFloor];

export const rules: readonly Property[] = [
  majorityIsBound,
  losesWithNotice,
  returnsAll,
  asksAll,
  votesForOne,
  onlyRequested,
  ...stepRules,
  ...voterRules,
  ...withoutClocks,
];
