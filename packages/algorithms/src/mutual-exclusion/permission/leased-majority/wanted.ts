/**
 * The option `keep` with `servers` or `voters`: a client that does not vote sees no requests of
 * others, so the voters tell it. Rule LQ23: README.md
 */
import { everyStep, type ProtocolDefinition } from '@conclave/core/protocol';
import type { AnyStateMachine } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { stepsOf } from '../../../steps.js';
import type { Command } from '../../mutual-exclusion.js';
import { actionOf, node, ownerOf, tell } from './actions.js';
import { votersOf } from './configuration.js';
import { type Context, type Message, type PlainMessage, shapeWith, type Try } from './node.js';

type Definition = ProtocolDefinition<PlainMessage, Command>;

const { contextOf, receivedIn, sentIn } = stepsOf<Message | Try, Context>();

/** The client that has the vote, where it does not vote itself. */
function toldOf(context: Context): readonly string[] {
  if (context.vote === 0) return [];
  const owner = ownerOf(context, context.vote);
  return votersOf(context).includes(owner) ? [] : [owner];
}

/** A vote of no round renews nothing. */
// LQ23
const tellWanted = tell(
  ({ context }) => toldOf(context),
  ({ context: { vote, client } }) => ({
    ...{ type: 'vote', ballot: vote, round: 0, wanted: true },
    ...(client !== undefined && { ticket: 0 }),
  }),
);

export function telling(of: AnyStateMachine): AnyStateMachine {
  const enqueue = node.enqueueActions(({ enqueue: then }) => {
    then(actionOf(of, 'enqueue'));
    then(tellWanted);
  });
  return extend(`telling-${of.id}`, of.provide({ actions: { enqueue } }), {}, { wanted: false });
}

const tells = everyStep(
  'a voter whose vote a client has that does not vote tells it when a request waits',
  (step) => {
    const request = receivedIn(step, 'request', 'try');
    const { vote, queue } = contextOf(step.after);
    if (!request || sentIn(step, 'refused').length > 0) return true;
    if (!queue.some(({ ballot }) => ballot === request.ballot)) return true;
    return toldOf(contextOf(step.after)).every((owner) =>
      sentIn(step, 'vote').some(
        ({ to, message }) => to === owner && message.ballot === vote && message.wanted === true,
      ),
    );
  },
);

const learns = everyStep('a client that is told that others wait knows it', (step) => {
  const { before, after } = step;
  const vote = receivedIn(step, 'vote');
  const isOwn = vote?.ballot === contextOf(before).ballot && contextOf(after).round > 0;
  return !vote?.wanted || !isOwn || contextOf(after).wanted === true;
});

export function withWanted(definition: Definition): Definition {
  const { vote } = definition.messages;
  return {
    ...definition,
    messages: {
      ...definition.messages,
      vote: shapeWith(vote, ['wanted'], '`wanted`: other requests wait for it'),
    },
    properties: [...definition.properties, tells, learns],
  };
}
