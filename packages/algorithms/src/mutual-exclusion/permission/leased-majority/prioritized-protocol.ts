/** What the option `priority` adds to the protocol. */
import { everyStep, type Property, type ProtocolDefinition } from '@conclave/core/protocol';
import { stepsOf } from '../../../steps.js';
import { type Command, waits } from '../../mutual-exclusion.js';
import type { Context, Message, PlainMessage } from './node.js';
import { isBefore } from './order.js';
import { shapeWith } from './shapes.js';

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
