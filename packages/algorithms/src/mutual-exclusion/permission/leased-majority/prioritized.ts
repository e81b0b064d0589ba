/**
 * The option `priority`: voters serve the request of the highest priority first, and the oldest of
 * these. Rules PQ1–PQ3: README.md
 */
import type { AnyStateMachine } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { actionOf, ballotIn, node } from './actions.js';
import type { Context, Event } from './node.js';
import { isBefore } from './order.js';

interface Given {
  readonly context: Context;
  readonly event: Event;
}

const priorityIn = (event: Event): number => ('priority' in event ? Number(event.priority) : 0);

/** With what the machine does without priorities. */
const implementationsOf = (of: AnyStateMachine) => ({
  actions: {
    takeBallot: node.enqueueActions(({ context, event, enqueue }) => {
      const { priority = 0, isTry } = context;
      enqueue(actionOf(of, 'takeBallot'));
      enqueue.assign({
        priority: event.type === 'acquire' ? priorityIn(event) : priority + (isTry ? 0 : 1), // PQ3
      });
    }),
    voteForFirst: node.enqueueActions(({ context, enqueue }) => {
      const first = context.queue.find(({ ballot }) => ballot >= context.floor);
      enqueue.assign({ votePriority: first?.priority ?? 0 });
      enqueue(actionOf(of, 'voteForFirst'));
    }),
  },
  guards: {
    isOlderThanTheVote: ({ context: { vote, votePriority = 0 }, event }: Given) =>
      isBefore(
        { ballot: ballotIn(event), priority: priorityIn(event) },
        { ballot: vote, priority: votePriority },
      ), // PQ2
  },
});

export function prioritized(of: AnyStateMachine): AnyStateMachine {
  const context = { priority: 0, votePriority: 0 };
  return extend(`prioritized-${of.id}`, of.provide(implementationsOf(of)), {}, context);
}
