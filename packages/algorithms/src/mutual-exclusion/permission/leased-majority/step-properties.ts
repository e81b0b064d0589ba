/** What properties read of nodes and of single steps, and what a client does with each message. */
import {
  always,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { isCommanded, sendsNothingTwice, stepsOf } from '../../../steps.js';
import { inCriticalSection, waits } from '../../mutual-exclusion.js';
import { ballotAfter, provingStopwatches } from './actions.js';
import { countsFrom, electorateOf } from './configuration.js';
import type { Context, Message, PlainMessage, Try } from './node.js';

const { contextOf, receivedIn, sentIn } = stepsOf<Message | Try, Context>();

type Region = 'client' | 'even' | 'odd' | 'renewals' | 'tenure' | 'sweep';
export const stateOfRegion = ({ value }: NodeView, region: Region): unknown =>
  Object.entries(value).find(([name]) => name === region)?.[1];

type Timer = 'renewal' | 'keep' | 'lease' | 'turn' | 'announcement' | 'silence';
export const isDue = ({ cause }: NodeStep, timer: Timer): boolean =>
  cause.kind === 'timeout' && cause.timer.split('.')[2] === timer;

/** With the option `keep`: it has left, and has its votes still. */
export const keepsVotes = (node: NodeView): boolean =>
  !node.crashed && (stateOfRegion(node, 'client') === 'keeping' || stays(node));
/** With the option `greedy`: it has left while others wait, and has its votes for a turn. */
export const stays = (node: NodeView): boolean =>
  !node.crashed && stateOfRegion(node, 'client') === 'staying';
export const hasLock = (node: NodeView): boolean => inCriticalSection(node) || keepsVotes(node);

export const requests = (node: NodeView): boolean => waits(node) || hasLock(node);

/**
 * With `follow`, two rounds may begin at one moment (EF4): where the votes for the second one came
 * late, the next renewal may be due at the very moment when the lease ends. The node leaves then.
 */
export const losesAtRenewal = (node: NodeView): boolean =>
  contextOf(node).followers !== undefined && !requests(node);
export const uses = (node: NodeView, ballot: number): boolean =>
  requests(node) && contextOf(node).ballot === ballot;

/** How often a step sends such a message to a node. */
export const times = (
  step: NodeStep,
  type: (PlainMessage | Try)['type'],
  receiver: NodeId,
  ballot: number,
): number =>
  sentIn(step, type).filter(({ to, message }) => to === receiver && message.ballot === ballot)
    .length;

const sendsOnce = sendsNothingTwice('a node sends no message twice in a step', JSON.stringify);

const returnsUnused = everyStep(
  'a client returns each vote for another ballot than it requests',
  (step) => {
    const vote = receivedIn(step, 'vote', 'inquire');
    if (!vote || uses(step.before, vote.ballot)) return true;
    return times(step, 'released', vote.from, vote.ballot) === 1;
  },
);

const counts = everyStep('a client counts each vote for the ballot that it requests', (step) => {
  const vote = receivedIn(step, 'vote');
  if (!vote) return true;
  const latest = contextOf(step.after).votes[contextOf(step.after).nodes.indexOf(vote.from)] ?? 0;
  if (uses(step.before, vote.ballot)) return !uses(step.after, vote.ballot) || latest >= vote.round;
  return latest === contextOf(step.before).votes[contextOf(step.before).nodes.indexOf(vote.from)];
});

const yields = everyStep(
  'a waiting client takes a new ballot when its ballot is inquired of or refused',
  (step) => {
    const asked = receivedIn(step, 'inquire', 'refused');
    if (!asked) return true;
    const isNew = contextOf(step.after).ballot !== contextOf(step.before).ballot;
    const isCopy = (asked.ticket ?? 0) > 0 && (asked.ticket ?? 0) <= contextOf(step.before).largest;
    return isNew === (waits(step.before) && uses(step.before, asked.ballot) && !isCopy);
  },
);

const countsRounds = everyStep(
  'the rounds of a ballot count up from one; the stopwatch of a new round runs, and none of an earlier ballot',
  ({ before, after }) => {
    if (!requests(after)) return true;
    const round = contextOf(after).round;
    const last =
      requests(before) && uses(after, contextOf(before).ballot) ? contextOf(before).round : 0;
    if (round === last) return round > 0;
    return (
      round === last + 1 &&
      stateOfRegion(after, round % 2 === 0 ? 'even' : 'odd') === 'running' &&
      (round > 1 || stateOfRegion(after, 'even') !== 'running')
    );
  },
);

const stops = always(
  'a client that requests nothing has no votes, and no stopwatch of it runs',
  ({ nodes }) =>
    nodes.every(
      (node) =>
        node.crashed ||
        requests(node) ||
        (stateOfRegion(node, 'even') !== 'running' &&
          stateOfRegion(node, 'odd') !== 'running' &&
          contextOf(node).round === 0 &&
          contextOf(node).votes.every((latest) => latest === 0)),
    ),
);

/** Unless it is asked to change the voters first. */
const enters = always('no client waits that has the votes of a majority', ({ nodes }) =>
  nodes.every(
    (node) =>
      node.crashed ||
      !waits(node) ||
      contextOf(node).change != null ||
      provingStopwatches(node.context).every((parity) => stateOfRegion(node, parity) !== 'running'),
  ),
);

/** What the step reacts to says that there is such a ballot. */
const largestIn = ({ cause, before }: NodeStep): number => {
  const { largest } = contextOf(before);
  if (cause.kind === 'command') return cause.command.type === 'revoke' ? largest + 1 : largest;
  if (cause.kind !== 'message') return largest;
  const { ballot, floor } = Object(cause.message);
  return Math.max(largest, Number(ballot ?? 0), Number(floor ?? 0));
};

/** With `servers`, ballots are tickets, and voters give them out in the same step. */
const takesNext = everyStep(
  'a new ballot is the smallest one of its node above all that the node has seen',
  (step) => {
    const [was, is] = [contextOf(step.before), contextOf(step.after)];
    if (is.ballot === was.ballot || is.reserve !== undefined || is.client !== undefined)
      return true;
    return is.ballot === ballotAfter(is, largestIn(step), is.nodes.indexOf(is.self));
  },
);

const renews = everyStep(
  'when a renewal is due, a client requests its votes: in a further round, unless it has the lock and no majority has answered the last one; then it gives up votes that it keeps',
  (step) => {
    const { before, after, sent } = step;
    if (!isDue(step, 'renewal') || !requests(before) || stays(before)) return true;
    const { ballot, round } = contextOf(before);
    const isNext = waits(before) || countsFrom(contextOf(before), round);
    if (keepsVotes(before) && !isNext) return !hasLock(after);
    if (contextOf(after).ballot !== ballot || losesAtRenewal(after)) return true;
    const isAlone = electorateOf(contextOf(after)).every((id) => id === after.id);
    return (isAlone || sent.length > 0) && contextOf(after).round === round + (isNext ? 1 : 0);
  },
);

const refuses = everyStep(
  'a client that is refused returns no vote',
  (step) =>
    !receivedIn(step, 'refused') || hasLock(step.before) || sentIn(step, 'released').length === 0,
);

const raises = everyStep(
  'entry raises the floor to the ballot, and exit above it',
  ({ before, after }) => {
    const floor = contextOf(after).floor;
    if (hasLock(after)) return floor >= contextOf(after).ballot;
    return !hasLock(before) || floor > contextOf(before).ballot;
  },
);

/** A command of the application is not lost either. */
const starts = everyStep(
  'a node that acquires requests in its first round',
  (step) =>
    !isCommanded('acquire', step) || keepsVotes(step.before) || contextOf(step.after).round === 1,
);

export const stepRules: readonly Property[] = [
  sendsOnce,
  returnsUnused,
  counts,
  yields,
  countsRounds,
  stops,
  enters,
  takesNext,
  renews,
  refuses,
  raises,
  starts,
];
