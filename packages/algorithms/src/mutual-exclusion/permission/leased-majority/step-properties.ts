/** Properties of single steps: what a client and a voter do with each message. */
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
import { ownerOf } from './actions.js';
import { stampIn } from './configuration.js';
import type { Context, Message, PlainMessage, Try } from './node.js';
import { isBefore } from './order.js';

const { contextOf, receivedIn, sentIn } = stepsOf<Message | Try, Context>();

const stateIn = ({ value }: NodeView, region: 'client' | 'even' | 'odd') =>
  Object.entries(value).find(([name]) => name === region)?.[1];

/** With the option `keep`: it has left, and has its votes still. */
export const keepsVotes = (node: NodeView): boolean =>
  !node.crashed && (stateIn(node, 'client') === 'keeping' || stays(node));
/** With the option `greedy`: it has left while others wait, and has its votes for a turn. */
export const stays = (node: NodeView): boolean =>
  !node.crashed && stateIn(node, 'client') === 'staying';
export const hasLock = (node: NodeView): boolean => inCriticalSection(node) || keepsVotes(node);

const requests = (node: NodeView): boolean => waits(node) || hasLock(node);
const uses = (node: NodeView, ballot: number): boolean =>
  requests(node) && contextOf(node).ballot === ballot;

/** How often a step sends such a message to a node. */
const times = (
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

const isOfEarlier = ({ before }: NodeStep, request: object): boolean =>
  (stampIn(request).configuration?.number ?? 0) < (contextOf(before).configuration?.number ?? 0);

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
  'the rounds of a ballot count up from one, and the stopwatch of a new round runs',
  ({ before, after }) => {
    if (!requests(after)) return true;
    const round = contextOf(after).round;
    const last =
      requests(before) && uses(after, contextOf(before).ballot) ? contextOf(before).round : 0;
    if (round === last) return round > 0;
    return round === last + 1 && stateIn(after, round % 2 === 0 ? 'even' : 'odd') === 'running';
  },
);

const stops = always('no stopwatch runs at a client that requests nothing', ({ nodes }) =>
  nodes.every(
    (node) =>
      node.crashed ||
      requests(node) ||
      (stateIn(node, 'even') !== 'running' && stateIn(node, 'odd') !== 'running'),
  ),
);

const raises = everyStep(
  'entry raises the floor to the ballot, and exit above it',
  ({ before, after }) => {
    const floor = contextOf(after).floor;
    if (hasLock(after)) return floor >= contextOf(after).ballot;
    return !hasLock(before) || floor > contextOf(before).ballot;
  },
);

const answers = everyStep('a voter votes for a request, refuses it, or queues it', (step) => {
  const request = receivedIn(step, 'request');
  if (!request) return true;
  const { before, after } = step;
  const { from, ballot } = request;
  if (isOfEarlier(step, request)) return times(step, 'refused', from, ballot) === 1;
  if (ballot < (contextOf(before).revoked?.floor ?? 0))
    return step.sent.length === 1 && sentIn(step, 'revoked')[0]?.to === from;
  const vote = contextOf(before).vote;
  const owner = ownerOf(contextOf(before), vote);
  if (vote === ballot && vote > 0) return times(step, 'vote', from, ballot) === 1;
  if (vote > ballot && owner === from) return step.sent.length === 0;
  const isFirst = vote === 0 || owner !== from;
  if (isFirst && ballot < Math.max(contextOf(before).floor, request.floor))
    return times(step, 'refused', from, ballot) === 1;
  if (vote === 0)
    return times(step, 'vote', from, ballot) === 1 && contextOf(after).vote === ballot;
  const { votePriority = 0 } = contextOf(before);
  const isAsked = owner !== after.id && owner !== from;
  if (isAsked && isBefore(request, { ballot: vote, priority: votePriority }))
    return times(step, 'inquire', owner, vote) === 1;
  return (
    [contextOf(after).vote, ...contextOf(after).queue.map((queued) => queued.ballot)].some(
      (own) => own >= ballot && ownerOf(contextOf(after), own) === from,
    ) || times(step, 'refused', from, ballot) === 1
  );
});

/** With `servers`: it waits for no vote that is another one's. */
export const tries = everyStep(
  'a voter votes for the ballot that a client tries, or refuses it',
  (step) => {
    const tried = receivedIn(step, 'try');
    if (!tried) return true;
    const { from, ballot } = tried;
    const vote = contextOf(step.before).vote;
    if (vote > ballot && ownerOf(contextOf(step.before), vote) === from)
      return step.sent.length === 0;
    return times(step, 'vote', from, ballot) + times(step, 'refused', from, ballot) === 1;
  },
);

const ends = everyStep(
  'a voter takes back a returned vote, and forgets the requests that its client gave up',
  (step) => {
    const released = receivedIn(step, 'released');
    if (!released) return true;
    const { after } = step;
    const isOwn = (ballot: number) =>
      ballot > 0 &&
      ownerOf(contextOf(after), ballot) === released.from &&
      ballot <= released.ballot;
    return (
      !isOwn(contextOf(after).vote) &&
      !contextOf(after).queue.some(({ ballot }) => isOwn(ballot)) &&
      contextOf(after).floor >= released.floor
    );
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
  raises,
  answers,
  ends,
  starts,
];
