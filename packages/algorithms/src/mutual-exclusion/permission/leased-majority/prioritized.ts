/**
 * The option `priority`: voters serve the request of the highest priority first, and the oldest of
 * these. Rules PQ1–PQ3: README.md
 */
import { everyStep, type Property, type ProtocolDefinition } from '@conclave/core/protocol';
import type { AnyStateMachine } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { stepsOf } from '../../../steps.js';
import { type Command, waits } from '../../mutual-exclusion.js';
import { actionOf, ballotIn, type Given, node } from './actions.js';
import {
  type Context,
  type Event,
  isBefore,
  type Message,
  type PlainMessage,
  shapeWith,
} from './node.js';

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

// What the option `priority` adds to the protocol.

type Definition = ProtocolDefinition<PlainMessage, Command>;

const { contextOf } = stepsOf<Message, Context>();

const rules: readonly Property[] = [
  everyStep(
    'a voter votes for no request while one of a higher priority waits, or an older one of the same',
    ({ before, after }) => {
      const { vote, votePriority = 0, queue } = contextOf(after);
      if (vote === 0 || vote === contextOf(before).vote) return true;
      return !queue.some((queued) => isBefore(queued, { ballot: vote, priority: votePriority }));
    },
  ),
  everyStep(
    'a client that waits has a higher priority with each new ballot',
    ({ before, after }) => {
      const [was, is] = [contextOf(before), contextOf(after)];
      if (!waits(before) || is.ballot === was.ballot) return true;
      return (is.priority ?? 0) === (was.priority ?? 0) + (was.isTry ? 0 : 1);
    },
  ),
];

export function withPriority(definition: Definition): Definition {
  const { request } = definition.messages;
  return {
    ...definition,
    options: { ...definition.options, priority: true },
    messages: {
      ...definition.messages,
      request: shapeWith(request, ['priority'], 'the highest `priority` is served first'),
    },
    commands: {
      ...definition.commands,
      acquire: {
        ...definition.commands.acquire,
        fields: ['priority'],
        meaning: 'the application requests entry, with this priority',
        examples: [{ priority: 0 }, { priority: 1 }],
      },
    },
    properties: [...definition.properties, ...rules],
  };
}
