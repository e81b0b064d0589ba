/** Properties of clients, voters and each step; the last three hold without any bound on clocks. */
import {
  always,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import { isCommanded, stepsOf } from '../../../steps.js';
import { inCriticalSection, waits } from '../../mutual-exclusion.js';
import { ownerOf } from './actions.js';
import { electorateOf, stampIn, votersOf } from './configuration.js';
import {
  type Context,
  isBefore,
  type Message,
  type PlainMessage,
  type Queued,
  type Try,
} from './node.js';
import {
  hasLock,
  isDue,
  losesAtRenewal,
  stateOfRegion,
  stepRules,
  times,
  uses,
} from './step-properties.js';

// Properties of single steps: what a voter does with each message, and when a lease ends.

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
        stateOfRegion(node, 'sweep') === undefined ||
        (stateOfRegion(node, 'sweep') === 'running') === hasClientsWaiting(node),
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

const voterRules: readonly Property[] = [answers, tellsVote, endsLease, ends];

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
