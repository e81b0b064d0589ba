/**
 * The option `priority`: voters serve the request of the highest priority first, and the oldest of
 * these. Rules PQ1–PQ3: README.md
 */
import type { AnyStateMachine } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { answersBy, ballotIn, everyone, newBallot, sender, tell, withRequest } from './actions.js';
import { member } from './leased-majority.js';
import type { Context, Event } from './node.js';
import { isBefore } from './order.js';

interface Given {
  readonly context: Context;
  readonly event: Event;
}

const priorityIn = (event: Event): number => ('priority' in event ? Number(event.priority) : 0);

const { voteForFirst } = answersBy(tell);

const implementations = {
  actions: {
    takeBallot: member.assign(({ context, event }) => ({
      ...newBallot(context, event),
      priority: event.type === 'acquire' ? priorityIn(event) : (context.priority ?? 0) + 1, // PQ3
    })),
    // PQ1
    request: tell(everyone, ({ context: { ballot, round, floor, priority = 0 } }) => ({
      type: 'request',
      ballot,
      round,
      floor,
      priority,
    })),
    enqueue: member.assign(({ context, event }) => ({
      queue: withRequest(context, sender({ context, event })[0] ?? '', {
        ballot: ballotIn(event),
        round: event.type === 'request' ? event.round : 0,
        priority: priorityIn(event),
      }),
    })),
    voteForFirst: member.enqueueActions(({ context, enqueue }) => {
      const first = context.queue.find(({ ballot }) => ballot >= context.floor);
      enqueue.assign({ votePriority: first?.priority ?? 0 });
      enqueue(voteForFirst);
    }),
  },
  guards: {
    isOlderThanTheVote: ({ context: { vote, votePriority = 0 }, event }: Given) =>
      isBefore(
        { ballot: ballotIn(event), priority: priorityIn(event) },
        { ballot: vote, priority: votePriority },
      ), // PQ2
  },
};

const made = new WeakMap<AnyStateMachine, AnyStateMachine>();

export function prioritized(of: AnyStateMachine): AnyStateMachine {
  const known = made.get(of);
  if (known) return known;
  const context = { priority: 0, votePriority: 0 };
  const machine = extend(`prioritized-${of.id}`, of.provide(implementations), {}, context);
  made.set(of, machine);
  return machine;
}
