/** Properties of single steps: what a voter does with each message, and when a lease ends. */
import {
  always,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { stepsOf } from '../../../steps.js';
import { waits } from '../../mutual-exclusion.js';
import { ownerOf } from './actions.js';
import { stampIn } from './configuration.js';
import type { Context, Message, PlainMessage, Queued, Try } from './node.js';
import { isBefore } from './order.js';
import { isDue, stateIn, times, uses } from './step-properties.js';

const { contextOf, receivedIn, sentIn } = stepsOf<Message | Try, Context>();

type Request = Queued & { readonly from: NodeId };

const isOfEarlier = ({ before }: NodeStep, request: object): boolean =>
  (stampIn(request).configuration?.number ?? 0) < (contextOf(before).configuration?.number ?? 0);

const knows = (
  voter: NodeView,
  { ballot, floor }: Pick<PlainMessage, 'ballot'> & { floor: number },
) => contextOf(voter).floor >= floor && contextOf(voter).largest >= Math.max(ballot, floor);

const answers = everyStep('a voter votes for a request, refuses it, or queues it', (step) => {
  const request = receivedIn(step, 'request');
  if (!request) return true;
  const { before, after } = step;
  const { from, ballot } = request;
  if (isOfEarlier(step, request))
    return times(step, 'refused', from, ballot) === 1 && knows(after, request);
  if (ballot < (contextOf(before).revoked?.floor ?? 0))
    return step.sent.length === 1 && sentIn(step, 'revoked')[0]?.to === from;
  const vote = contextOf(before).vote;
  const owner = ownerOf(contextOf(before), vote);
  if (vote === ballot && vote > 0) return times(step, 'vote', from, ballot) === 1;
  if (vote > ballot && owner === from) return step.sent.length === 0;
  if (!knows(after, request)) return false;
  const isFirst = vote === 0 || owner !== from;
  if (isFirst && ballot < Math.max(contextOf(before).floor, request.floor))
    return times(step, 'refused', from, ballot) === 1;
  if (vote === 0)
    return times(step, 'vote', from, ballot) === 1 && contextOf(after).vote === ballot;
  return answersBound(step, request);
});

/** A voter whose vote another ballot has. */
function answersBound(step: NodeStep, request: Request): boolean {
  const { before, after } = step;
  const { from, ballot } = request;
  const { vote, votePriority = 0 } = contextOf(before);
  const owner = ownerOf(contextOf(before), vote);
  if (owner === from && contextOf(after).vote === vote) return false; // it has a later ballot
  if (owner !== from && isBefore(request, { ballot: vote, priority: votePriority }))
    return owner === after.id
      ? !waits(after) || !uses(after, vote)
      : times(step, 'inquire', owner, vote) === 1;
  return (
    [contextOf(after).vote, ...contextOf(after).queue.map((queued) => queued.ballot)].some(
      (own) => own >= ballot && ownerOf(contextOf(after), own) === from,
    ) || times(step, 'refused', from, ballot) === 1
  );
}

/** With `servers`: it waits for no vote that is another one's. */
export const tries = everyStep(
  'a voter votes for the ballot that a client tries, or refuses it',
  (step) => {
    const tried = receivedIn(step, 'try');
    if (!tried) return true;
    const { from, ballot } = tried;
    if (ballot > 0 && ballot < (contextOf(step.before).revoked?.floor ?? 0))
      return step.sent.length === 1 && sentIn(step, 'revoked')[0]?.to === from;
    const { vote, floor } = contextOf(step.before);
    const isOwn = ownerOf(contextOf(step.before), vote) === from;
    if (vote > ballot && isOwn) return step.sent.length === 0;
    const votes = times(step, 'vote', from, ballot);
    if (votes + times(step, 'refused', from, ballot) !== 1 || !knows(step.after, tried))
      return false;
    if (vote === 0) return votes === (ballot < Math.max(floor, tried.floor) ? 0 : 1);
    if (vote === ballot) return votes === 1;
    return votes === 0 && (!isOwn || contextOf(step.after).vote !== vote);
  },
);

/** With `servers`. */
export const inquires = everyStep(
  'a voter inquires only for an older request, which it queues',
  (step) => {
    const request = receivedIn(step, 'request');
    if (!request || sentIn(step, 'inquire').length === 0) return true;
    const { vote, votePriority = 0 } = contextOf(step.before);
    return (
      isBefore(request, { ballot: vote, priority: votePriority }) &&
      // or a later one of its client, which has overtaken it
      contextOf(step.after).queue.some(
        ({ ballot }) =>
          ballot >= request.ballot && ownerOf(contextOf(step.after), ballot) === request.from,
      )
    );
  },
);

const hasClientsWaiting = (voter: NodeView): boolean =>
  contextOf(voter).queue.some(({ from }) => from !== undefined);

/** With `servers`. */
export const sweeps: readonly Property[] = [
  always('the sweep of a voter runs exactly while requests of clients wait', ({ nodes }) =>
    nodes.every(
      (node) =>
        node.crashed ||
        stateIn(node, 'sweep') === undefined ||
        (stateIn(node, 'sweep') === 'running') === hasClientsWaiting(node),
    ),
  ),
  everyStep(
    'when a sweep is due, a voter forgets the requests that were not repeated since the last one',
    ({ cause, before, after }) => {
      if (cause.kind !== 'timeout' || !cause.timer.includes('.sweep.')) return true;
      const kept = contextOf(before).queue.filter(({ silent }) => !silent);
      const { queue } = contextOf(after);
      return (
        queue.length === kept.length &&
        queue.every(({ from, silent }) => (from === undefined) === (silent === undefined))
      );
    },
  ),
];

const tellsVote = everyStep(
  'a voter tells a client that it has its vote; none is free while a request waits',
  (step) => {
    const { before, after } = step;
    const { vote, queue } = contextOf(after);
    if (vote === 0) return queue.length === 0;
    if (vote === contextOf(before).vote) return true;
    const owner = ownerOf(contextOf(after), vote);
    if (owner !== after.id) return times(step, 'vote', owner, vote) === 1;
    const place = contextOf(after).nodes.indexOf(after.id);
    return !uses(after, vote) || (contextOf(after).votes[place] ?? 0) > 0;
  },
);

const endsLease = everyStep(
  'when the lease of a vote ends, the vote ends, and the floor rises to its ballot',
  (step) => {
    const { cause, before, after } = step;
    if (!isDue(step, 'lease') || (cause.kind === 'timeout' && !cause.timer.includes('.voter.')))
      return true;
    const { vote } = contextOf(before);
    return contextOf(after).vote !== vote && contextOf(after).floor >= vote;
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
      knows(after, released)
    );
  },
);

export const voterRules: readonly Property[] = [answers, tellsVote, endsLease, ends];
