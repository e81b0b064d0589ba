/** Properties of each step of a node with `acknowledged`. */
import {
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { receivedIn, sameIds, sentIn } from '../../../steps.js';
import { waits } from '../../mutual-exclusion.js';
import { stampOf } from '../building-blocks/clock-rules.js';
import type { Request } from '../building-blocks/requests.js';

// as the machine's own types say
const deferredBy = ({ context }: NodeView) => context.deferred as readonly Request[];
// as the machine's own types say
const awaitedBy = ({ context }: NodeView) => context.awaiting as readonly NodeId[];
// as the machine's own types say
const silentTo = ({ context }: NodeView) => context.silent as readonly NodeId[];
/** The receivers of messages of this type, with the time stamps. */
const stampsIn = (step: NodeStep, type: string) =>
  sentIn(step, type).map(({ to, message }) => `${to} ${stampOf(message)}`);

const acknowledges = everyStep(
  'a request is acknowledged at once, and so is each inquiry about a deferred one',
  (step) => {
    const { before, cause } = step;
    if (cause.kind !== 'message') return stampsIn(step, 'ack').length === 0;
    const { from, message } = cause;
    const isDeferred = deferredBy(before).some(
      ({ id, ts }) => id === from && ts === stampOf(message),
    );
    const due = message.type === 'request' || (message.type === 'inquire' && isDeferred);
    return sameIds(stampsIn(step, 'ack'), due ? [`${from} ${stampOf(message)}`] : []);
  },
);

const notesAnswers = everyStep(
  'a node that answers is not silent, and an answer to an earlier request has no effect',
  (step) => {
    const { before, after } = step;
    const answer = receivedIn(step, 'ack', 'reply');
    if (!answer || !waits(before)) return true;
    const isOurs = stampOf(answer) === before.context.requestedAt;
    const gone = (ids: readonly NodeId[], isGone: boolean) =>
      ids.filter((id) => !isGone || id !== answer.from);
    return (
      sameIds(silentTo(after), gone(silentTo(before), isOurs)) &&
      sameIds(awaitedBy(after), gone(awaitedBy(before), isOurs && answer.type === 'reply'))
    );
  },
);

const inquires = everyStep(
  'after a timeout silent nodes are no longer awaited, and all others still awaited are asked again',
  (step) => {
    const { before, after, cause } = step;
    if (cause.kind !== 'timeout') return stampsIn(step, 'inquire').length === 0;
    const left = awaitedBy(before).filter((id) => !silentTo(before).includes(id));
    const inquiries = left.map((id) => `${id} ${before.context.requestedAt}`);
    return (
      sameIds(awaitedBy(after), left) &&
      sameIds(silentTo(after), left) &&
      sameIds(stampsIn(step, 'inquire'), inquiries)
    );
  },
);

export const acknowledgements: readonly Property[] = [acknowledges, notesAnswers, inquires];
