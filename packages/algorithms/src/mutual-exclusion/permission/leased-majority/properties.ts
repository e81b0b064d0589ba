/**
 * What properties read of nodes and of single steps; properties of clients, voters and each step.
 * The last three hold without any bound on clocks.
 */
import {
  always,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import { isCommanded, sendsNothingTwice, stepsOf } from '../../../steps.js';
import { inCriticalSection, waits } from '../../mutual-exclusion.js';
import { ballotAfter, ownerOf, provingStopwatches } from './actions.js';
import {
  type Context,
  countsFrom,
  electorateOf,
  isBefore,
  type Message,
  type PlainMessage,
  type Queued,
  stampIn,
  type Try,
  votersOf,
} from './node.js';

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
  'a waiting client takes a new ballot when a voter inquires about its ballot or refuses it',
  (step) => {
    const asked = receivedIn(step, 'inquire', 'refused');
    if (!asked) return true;
    const isNew = contextOf(step.after).ballot !== contextOf(step.before).ballot;
    const isCopy = (asked.ticket ?? 0) > 0 && (asked.ticket ?? 0) <= contextOf(step.before).largest;
    return isNew === (waits(step.before) && uses(step.before, asked.ballot) && !isCopy);
  },
);

const countsRounds = everyStep(
  'the rounds of a ballot count up from one; the stopwatch of a new round runs, and no stopwatch of an earlier ballot',
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
  'a client without a request has no votes, and none of its stopwatches runs',
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
  'a new ballot is the node’s smallest above all that the node has seen',
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

// Properties of single steps: what a voter does with each message, and when a lease ends.

type Request = Queued & { readonly from: NodeId };

const isOfEarlier = ({ before }: NodeStep, request: object): boolean =>
  (stampIn(request).configuration?.number ?? 0) < (contextOf(before).configuration?.number ?? 0);

export const knows = (
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

const tellsVote = everyStep(
  'a voter tells a client that it has its vote; no voter is free while a request waits',
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

const votesForOne = everyStep('a voter votes only for the ballot that binds it', (step) =>
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
