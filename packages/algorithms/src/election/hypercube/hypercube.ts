/**
 * Election in an oriented hypercube: HyperElect (P. Flocchini, B. Mans: Optimal Elections in
 * Labeled Hypercubes, J. Parallel and Distributed Computing 33:1, 1996; N. Santoro: Design and
 * Analysis of Distributed Algorithms, 2007, section 3.5). At most 7n − (log₂ n)² − 3 log₂ n − 7
 * messages; reliable channels, any order. Rules HC1–HC8: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../election.js';

/**
 * MATCH carries the id of a duellist to its opponent of this stage: `source` are the dimensions
 * between the duellist and the receiver, `dest` those that are left of the way to the next node
 * that knows more. ELECTED announces the leader.
 */
interface Match {
  readonly type: 'match';
  readonly id: NodeId;
  readonly stage: number;
  readonly source: readonly number[];
  readonly dest: readonly number[];
}

export type Message = Match | { readonly type: 'elected'; readonly id: NodeId };

export interface Input {
  readonly self: NodeId;
  /** The neighbours; the one in dimension i has index i. */
  readonly neighbours: readonly NodeId[];
}

/** A match for a later stage, or one that has just arrived. */
type Delayed = Pick<Match, 'id' | 'stage' | 'source'>;

interface Context extends Input {
  /** The dimension of the present duel: the number of duels won. */
  readonly stage: number;
  /** Matches that have come too early. */
  readonly delayed: readonly Delayed[];
  /** The dimensions between a defeated node and its winner. */
  readonly toWinner: readonly number[];
  readonly leader: NodeId | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

/** The dimensions of a walk, reduced modulo 2: taking a dimension twice leads back. */
const walked = (dimensions: readonly number[], next: number): readonly number[] =>
  dimensions.includes(next)
    ? dimensions.filter((one) => one !== next)
    : [...dimensions, next].sort((one, other) => one - other);

/** `match`, one step further along `way`. */
function along(
  { self, neighbours }: Input,
  { id, stage, source }: Delayed,
  [next = 0, ...dest]: readonly number[],
) {
  return send<Match>(neighbours[next] ?? self, {
    type: 'match',
    id,
    stage,
    source: walked(source, next),
    dest,
  });
}

const challenge = node.emit(({ context }) =>
  along(context, { id: context.self, stage: context.stage, source: [] }, [context.stage]),
);

const delay = node.assign(({ context, event }) => {
  assertEvent(event, 'match');
  const { id, stage, source } = event;
  return {
    delayed: [...context.delayed, { id, stage, source }].sort(
      (one, other) => one.stage - other.stage,
    ),
  };
});

const opponentOf = ({ delayed, stage }: Context): Delayed | undefined =>
  delayed.find((match) => match.stage === stage);

const advance = node.assign(({ context }) => ({
  stage: context.stage + 1,
  delayed: context.delayed.filter(({ stage }) => stage !== context.stage),
}));

const submit = node.enqueueActions(({ context, enqueue }) => {
  const toWinner = opponentOf(context)?.source ?? [];
  for (const match of context.delayed)
    if (match.stage !== context.stage) enqueue.emit(along(context, match, toWinner));
  enqueue.assign({ toWinner, delayed: [] });
});

const carry = node.emit(({ context, event }) => {
  assertEvent(event, 'match');
  return along(context, event, event.dest);
});

const passToWinner = node.emit(({ context, event }) => {
  assertEvent(event, 'match');
  return along(context, event, context.toWinner);
});

const win = node.assign(({ context }) => ({ leader: context.self, delayed: [] }));

const announce = node.enqueueActions(({ context, enqueue }) => {
  for (const id of context.neighbours)
    enqueue.emit(send(id, { type: 'elected', id: context.self }));
});

const learn = node.assign(({ event }) => {
  assertEvent(event, 'elected');
  return { leader: event.id, delayed: [] };
});

const announceBelow = node.enqueueActions(({ context: { neighbours }, event, enqueue }) => {
  assertEvent(event, 'elected');
  for (const id of neighbours.slice(0, neighbours.indexOf(event.from)))
    enqueue.emit(send(id, { type: 'elected', id: event.id }));
});

export const machine = node
  .extend({
    actions: {
      challenge,
      delay,
      advance,
      submit,
      carry,
      passToWinner,
      win,
      announce,
      learn,
      announceBelow,
    },
    guards: {
      hasLost: ({ context }) => (opponentOf(context)?.id ?? '') > context.self,
      hasWonAll: ({ context }) =>
        opponentOf(context) !== undefined && context.stage === context.neighbours.length - 1,
      hasWon: ({ context }) => opponentOf(context) !== undefined,
      isOnItsWay: ({ event }) => {
        assertEvent(event, 'match');
        return event.dest.length > 0;
      },
    },
  })
  .createMachine({
    id: 'hypercube',
    context: ({ input }) => ({ ...input, stage: 0, delayed: [], toWinner: [], leader: null }),
    initial: 'asleep',
    states: {
      asleep: {
        on: {
          elect: { target: 'duelling', actions: 'challenge', description: 'HC1' },
          match: { target: 'duelling', actions: ['challenge', 'delay'], description: 'HC1, HC2' },
        },
      },
      duelling: {
        tags: 'waiting',
        always: [
          { guard: 'hasLost', target: 'defeated', actions: 'submit', description: 'HC4' },
          {
            guard: 'hasWonAll',
            target: 'leader',
            actions: ['win', 'announce'],
            description: 'HC6',
          },
          { guard: 'hasWon', actions: ['advance', 'challenge'], description: 'HC3' },
        ],
        on: {
          elect: { description: 'HC1: it takes part already' },
          match: [
            { guard: 'isOnItsWay', actions: 'carry', description: 'HC5' },
            { actions: 'delay', description: 'HC2' },
          ],
          elected: { target: 'follower', actions: ['learn', 'announceBelow'], description: 'HC7' },
        },
      },
      defeated: {
        tags: 'waiting',
        on: {
          elect: { description: 'HC1: it takes part already' },
          match: [
            { guard: 'isOnItsWay', actions: 'carry', description: 'HC5' },
            { actions: 'passToWinner', description: 'HC5' },
          ],
          elected: { target: 'follower', actions: ['learn', 'announceBelow'], description: 'HC7' },
        },
      },
      leader: {
        tags: ['leader', 'decided'],
        on: { elect: { description: 'HC8: the election is decided' } },
      },
      follower: {
        tags: 'decided',
        on: {
          elect: { description: 'HC8: the election is decided' },
          match: { description: 'HC8: the election is decided' },
        },
      },
    },
  });
