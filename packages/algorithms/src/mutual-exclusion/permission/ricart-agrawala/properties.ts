/** What a node with `acknowledged` promises of each step: that it is there is told and asked, and whoever is silent is not waited for. */
import { everyStep, type NodeId, type NodeStep, type NodeView, type Property } from '@conclave/core/protocol';
import { sameIds, stampOf } from '../building-blocks/clock-rules.js';
import type { Request } from '../building-blocks/requests.js';

const deferredBy = ({ context }: NodeView) => context.deferred as readonly Request[]; // as the machine's own types say
const awaitedBy = ({ context }: NodeView) => context.awaiting as readonly NodeId[]; // as the machine's own types say
const silentTo = ({ context }: NodeView) => context.silent as readonly NodeId[]; // as the machine's own types say
const waits = ({ tags }: NodeView) => tags.has('waiting');
/** To whom messages of this type go, with their time stamps. */
const sentIn = ({ sent }: NodeStep, type: string) =>
  sent.filter(({ message }) => message.type === type).map(({ to, message }) => `${to} ${stampOf(message)}`);

const acknowledges = everyStep('a request is acknowledged at once, and each inquiry about one that is deferred', (step) => {
  const { before, cause } = step;
  if (cause.kind !== 'message') return sentIn(step, 'ack').length === 0;
  const { from, message } = cause;
  const isDeferred = deferredBy(before).some(({ id, ts }) => id === from && ts === stampOf(message));
  const due = message.type === 'request' || (message.type === 'inquire' && isDeferred);
  return sameIds(sentIn(step, 'ack'), due ? [`${from} ${stampOf(message)}`] : []);
});

const hears = everyStep(
  'whoever answers is not silent, and an answer to an earlier request counts for nothing',
  ({ before, after, cause }) => {
    if (cause.kind !== 'message' || !['ack', 'reply'].includes(cause.message.type) || !waits(before)) return true;
    const isOurs = stampOf(cause.message) === before.context.requestedAt;
    const gone = (ids: readonly NodeId[], isGone: boolean) => ids.filter((id) => !isGone || id !== cause.from);
    return (
      sameIds(silentTo(after), gone(silentTo(before), isOurs)) &&
      sameIds(awaitedBy(after), gone(awaitedBy(before), isOurs && cause.message.type === 'reply'))
    );
  },
);

const asksAgain = everyStep(
  'after patience whoever was silent is waited for no more, and whoever is still awaited is asked again',
  (step) => {
    const { before, after, cause } = step;
    if (cause.kind !== 'timeout') return sentIn(step, 'inquire').length === 0;
    const left = awaitedBy(before).filter((id) => !silentTo(before).includes(id));
    const asked = left.map((id) => `${id} ${before.context.requestedAt}`);
    return sameIds(awaitedBy(after), left) && sameIds(silentTo(after), left) && sameIds(sentIn(step, 'inquire'), asked);
  },
);

export const acknowledgements: readonly Property[] = [acknowledges, hears, asksAgain];
