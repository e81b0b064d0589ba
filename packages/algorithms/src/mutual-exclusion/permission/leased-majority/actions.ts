/** Actions and guards of clients and voters: rules LQ1–LQ22. */
import { type Effect, type NodeId, type NodeView, notify, send } from '@conclave/core/protocol';
import { type AnyStateMachine, assertEvent, setup } from 'xstate';
import {
  type Context,
  countsFrom,
  type Event,
  electorateOf,
  type Input,
  isBefore,
  type Message,
  type Notification,
  type Queued,
  type Said,
  stampOf,
} from './node.js';

export const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Event;
    emitted: Effect<Said, Notification>;
  },
});

/** What a machine does by this name, for one that does more. */
export function actionOf(of: AnyStateMachine, name: string) {
  const action = of.implementations.actions[name];
  if (action === undefined) throw new Error(`unreachable: ${of.id} has the action ${name}`);
  return action as typeof takeBallot; // of this setup, which XState's type of any machine forgets
}

export interface Given {
  readonly context: Context;
  readonly event: Event;
}

/** With `servers`, each voter has as many ballots for clients as for itself. */
const classesOf = ({ nodes, client }: Pick<Context, 'nodes' | 'client'>): number =>
  client === undefined ? nodes.length : 2 * nodes.length;

/** The node whose ballot it is; of a client, one that the voter is bound to or has queued. */
export function ownerOf(
  context: Pick<Context, 'nodes' | 'client' | 'vote' | 'queue'>,
  ballot: number,
): NodeId {
  const voter = context.nodes[ballot % classesOf(context)];
  if (voter !== undefined) return voter;
  if (ballot === context.vote) return context.client ?? '';
  return context.queue.find((queued) => queued.ballot === ballot)?.from ?? '';
}

/** The smallest ballot of this class that is larger than `known`. */
export const ballotAfter = (
  context: Pick<Context, 'nodes' | 'client'>,
  known: number,
  place: number,
): number => {
  const next = known + 1;
  const classes = classesOf(context);
  return next + ((((place - next) % classes) + classes) % classes);
};

/**
 * Sends a message to some nodes. To the node itself it is an internal event, which the other region
 * takes within the same step.
 */
export const tell = (whom: (given: Given) => readonly NodeId[], what: (given: Given) => Said) =>
  node.enqueueActions(({ context, event, enqueue }) => {
    const message = what({ context, event });
    const stamped = { ...message, ...stampOf(context, message.type) };
    for (const to of whom({ context, event }))
      if (to === context.self) enqueue.raise({ ...stamped, from: to });
      else enqueue.emit(send(to, stamped));
  });

export const everyone = ({ context }: Given) => electorateOf(context);
export const sender = ({ event }: Given) => ('from' in event ? [event.from] : []);
export const ballotIn = (event: Event): number => ('ballot' in event ? event.ballot : 0);
export const floorIn = (event: Event): number => ('floor' in event ? event.floor : 0);
export const requestIn = (event: Event): Queued => {
  assertEvent(event, ['request', 'try']);
  const { ballot, round, priority } = event;
  return { ballot, round, ...(priority !== undefined && { priority }) };
};

/** @param others the requests that wait for this vote */
const voteFor = (
  { wanted }: Context,
  { ballot, round }: Queued,
  others: readonly Queued[],
): Message => ({
  type: 'vote',
  ballot,
  round,
  ...(wanted !== undefined && { wanted: others.length > 0 }), // LQ23
});

/** The same ballot has the vote for one lease more. */
export const renewedVote = ({ context, event }: Given): Message =>
  voteFor(context, requestIn(event), context.queue);

export const noVotes = ({ nodes, configuration, wanted }: Context) => ({
  votes: nodes.map(() => 0),
  ...(wanted !== undefined && { wanted: false }),
  ...(configuration && { change: null }),
});

/** No vote counts for it yet. */
export function newBallot(context: Context, event: Event) {
  const ballot = ballotAfter(
    context,
    Math.max(context.largest, floorIn(event)),
    context.nodes.indexOf(context.self),
  );
  return { ballot, largest: ballot, round: 0, ...noVotes(context) };
}

/** What a request of a client says. */
export const requestOf = ({ ballot, round, floor, priority }: Context) => ({
  ballot,
  round,
  floor,
  ...(priority !== undefined && { priority }), // PQ1
});

const takeBallot = node.assign(({ context, event }) => newBallot(context, event));

const nextRound = node.assign(({ context }) => ({ round: context.round + 1 }));

const startStopwatch = node.raise(({ context }) => ({
  type: context.round % 2 === 0 ? 'even' : 'odd',
}));

/** The votes of a client with one more, and whether others wait for them. */
export function withVote(context: Context, event: Event) {
  assertEvent(event, 'vote');
  return {
    votes: context.votes.map((round, at) =>
      context.nodes[at] === event.from ? Math.max(round, event.round) : round,
    ),
    ...(event.wanted && context.wanted === false && { wanted: true }),
  };
}

const takeVote = node.assign(({ context, event }) => withVote(context, event));

const raiseFloor = (more: (context: Context) => number) =>
  node.assign(({ context }) => ({ floor: Math.max(context.floor, more(context)) }));

const learn = node.assign(({ context, event }) => ({
  largest: Math.max(context.largest, ballotIn(event), floorIn(event)),
  floor: Math.max(context.floor, floorIn(event)),
}));

/** The queue of a voter with one more request; of each client it keeps the latest ballot only. */
export function withRequest(context: Context, from: NodeId, request: Queued): readonly Queued[] {
  const { ballot, round } = request;
  const own = context.queue.find((queued) => ownerOf(context, queued.ballot) === from);
  if (own && own.ballot > ballot) return context.queue;
  const queued: Queued = {
    ...request,
    round: Math.max(round, own?.ballot === ballot ? own.round : 0),
    ...(!context.nodes.includes(from) && { from }),
  };
  return [...context.queue.filter((other) => other !== own), queued].sort((a, b) =>
    isBefore(a, b) ? -1 : 1,
  );
}

const enqueue = node.assign(({ context, event }) => ({
  queue: withRequest(context, sender({ context, event })[0] ?? '', requestIn(event)),
}));

const dequeue = node.assign(({ context, event }) => ({
  queue: context.queue.filter(
    ({ ballot }) =>
      ownerOf(context, ballot) !== sender({ context, event })[0] || ballot > ballotIn(event),
  ),
}));

/** What a voter answers, by the way that it sends. */
export const answersBy = (answer: typeof tell) => ({
  /** Votes for the oldest request that is not too small. */
  voteForFirst: node.enqueueActions(({ context, enqueue }) => {
    const { floor, queue } = context;
    const answerTo = (ballot: number, what: Message) => {
      const owner = ownerOf(context, ballot);
      enqueue(
        answer(
          () => [owner],
          () => what,
        ),
      );
    };
    for (const { ballot } of queue.filter((queued) => queued.ballot < floor))
      answerTo(ballot, { type: 'refused', ballot, floor });
    const [first, ...others] = queue.filter((queued) => queued.ballot >= floor);
    enqueue.assign({
      vote: first?.ballot ?? 0,
      queue: others,
      ...(context.client !== undefined && { client: first?.from ?? '' }),
    });
    if (first) answerTo(first.ballot, voteFor(context, first, others));
  }),
  refuse: answer(sender, ({ context: { floor }, event }) => ({
    type: 'refused',
    ballot: ballotIn(event),
    floor,
  })),
  inquire: answer(
    ({ context }) => [ownerOf(context, context.vote)],
    ({ context }) => ({ type: 'inquire', ballot: context.vote }),
  ),
});

const countsSince =
  (first: (round: number) => number) =>
  ({ context }: Pick<Given, 'context'>) =>
    countsFrom(context, first(context.round));

const evenCounts = countsSince((round) => round - (round % 2));
const oddCounts = countsSince((round) => round - 1 + (round % 2));

/**
 * Whether a request of another node waits at this one, or has its vote. A request goes to all
 * nodes, so that the holder need not be asked; one that does not vote is told.
 */
export const othersWait = ({ context }: Pick<Given, 'context'>): boolean =>
  context.wanted === true ||
  [context.vote, ...context.queue.map(({ ballot }) => ballot)].some(
    (ballot) => ballot > 0 && ownerOf(context, ballot) !== context.self,
  );

/** Whether the event is of the client that has the vote. */
const isOfItsOwner = ({ context, event }: Given): boolean =>
  ownerOf(context, context.vote) === sender({ context, event })[0];

/** The stopwatches that prove, while they run, that a majority is bound. */
export function provingStopwatches(of: NodeView['context']): readonly ('even' | 'odd')[] {
  const context = of as unknown as Context; // of this machine
  return [
    ...(evenCounts({ context }) ? ['even' as const] : []),
    ...(oddCounts({ context }) ? ['odd' as const] : []),
  ];
}

export const base = node.extend({
  actions: {
    takeBallot,
    nextRound,
    startStopwatch,
    request: tell(everyone, ({ context }) => ({ type: 'request', ...requestOf(context) })),
    takeVote,
    noteEntry: raiseFloor(({ ballot }) => ballot),
    noteExit: raiseFloor(({ ballot }) => ballot + 1),
    returnVotes: tell(everyone, ({ context: { ballot, floor } }) => ({
      type: 'released',
      ballot,
      floor,
    })),
    returnThisVote: tell(sender, ({ context: { floor }, event }) => ({
      type: 'released',
      ballot: ballotIn(event),
      floor,
    })),
    stopStopwatches: node.raise({ type: 'stopped' }),
    renew: node.raise({ type: 'renew' }),
    countEntry: node.assign(({ context: { again = 0 } }) => ({ again: again + 1 })),
    forgetEntries: node.assign({ again: 0 }),
    forgetVotes: node.assign(({ context }) => ({ round: 0, ...noVotes(context) })),
    reportLoss: node.emit(notify({ type: 'lost', reason: 'lease-expired' })),
    learn,
    enqueue,
    dequeue,
    voteAgain: tell(sender, renewedVote),
    ...answersBy(tell),
    endVote: node.assign({ vote: 0 }),
    expire: raiseFloor(({ vote }) => vote),
  },
  guards: {
    isCurrent: ({ context, event }) => ballotIn(event) === context.ballot,
    evenCounts,
    oddCounts,
    thisRoundCounts: countsSince((round) => round),
    othersWait,
    blockIsUsed: ({ context: { again = 0, block = 1 } }) => again + 1 >= block,
    hasVote: ({ context }) => context.vote > 0,
    isTooSmall: ({ context, event }) => ballotIn(event) < Math.max(context.floor, floorIn(event)),
    hasTheVote: ({ context, event }) => ballotIn(event) === context.vote,
    replacesTheVote: (given) => isOfItsOwner(given) && ballotIn(given.event) > given.context.vote,
    isReplaced: (given) => isOfItsOwner(given) && ballotIn(given.event) < given.context.vote,
    returnsTheVote: (given) => isOfItsOwner(given) && ballotIn(given.event) >= given.context.vote,
    isOlderThanTheVote: ({ context, event }) => ballotIn(event) < context.vote,
  },
  delays: {
    lease: ({ context }) => context.lease,
    validity: ({ context }) => context.validity,
    renewal: ({ context }) => context.renewal,
    keep: ({ context: { keep = 0 } }) => keep,
  },
});
