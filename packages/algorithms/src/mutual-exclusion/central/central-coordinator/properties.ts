/** What a coordinator and its clients promise of each step. */
import { everyStep, type NodeId, type NodeStep, type NodeView, type Property } from '@conclave/core/protocol';

const queueOf = ({ context }: NodeView) => (Array.isArray(context.queue) ? context.queue.map(String) : []);
const tellsIn = ({ sent }: NodeStep, type: string): readonly NodeId[] =>
  sent.filter(({ message }) => message.type === type).map(({ to }) => to);
/** Who says this to the node in this step. */
const saying = ({ cause }: NodeStep, ...types: readonly string[]): readonly NodeId[] =>
  cause.kind === 'message' && types.includes(cause.message.type) ? [cause.from] : [];
const same = (some: readonly NodeId[], others: readonly NodeId[]) => some.join() === others.join();

const inTurn: Property = everyStep('whoever asks stands in the queue once, until it is granted, in the order of the requests', (step) => {
  const was = queueOf(step.before);
  const newcomers = saying(step, 'request').filter((id) => !was.includes(id));
  return same([...was, ...newcomers], [...tellsIn(step, 'grant'), ...queueOf(step.after)]);
});

const nextAtOnce: Property = everyStep('whoever leaves is followed at once by the first in the queue', (step) => {
  const due = saying(step, 'released').length > 0 ? queueOf(step.before).slice(0, 1) : [];
  return saying(step, 'request').length > 0 || same(tellsIn(step, 'grant'), due);
});

const toldOfQueue: Property = everyStep('whoever asks, or asks again, is told at once if it stands in the queue, and only then', (step) => {
  const queue = queueOf(step.after);
  return same(
    tellsIn(step, 'queued'),
    saying(step, 'request', 'inquire').filter((id) => queue.includes(id)),
  );
});

const waits = ({ tags }: NodeView) => tags.has('waiting');
const isTold = ({ cause }: NodeStep, type: string) => cause.kind === 'command' && cause.command.type === type;

const saysWhat: Property = everyStep(
  'a client says once what it wants: to enter, to know whether it is still queued, that it has left',
  (step) => {
    const { before, after, cause, sent } = step;
    if (typeof after.context.coordinator !== 'string') return true;
    const asks = cause.kind === 'timeout' && waits(after);
    const returns = isTold(step, 'release') || (saying(step, 'grant').length > 0 && !waits(before));
    const due = isTold(step, 'acquire') ? ['request'] : asks ? ['inquire'] : returns ? ['released'] : [];
    return same(
      sent.map(({ message }) => message.type),
      due,
    );
  },
);

/** Without and with `acknowledge`. */
export const turns: readonly Property[] = [inTurn, nextAtOnce, saysWhat];

const reports: Property = everyStep(
  'a client reports that the coordinator is silent as it gives up, once, and only after patience',
  (step) => {
    const { before, after, cause, notified } = step;
    const givesUp = waits(before) && !waits(after) && !after.tags.has('critical');
    return notified.length === (givesUp ? 1 : 0) && (!givesUp || cause.kind === 'timeout');
  },
);

/** One round trip for each question: whoever has an answer does not give up before it has asked again. */
const patient: Property = everyStep('a client that hears that it is queued goes on to wait, and asks again before it gives up', (step) => {
  if (saying(step, 'queued').length === 0 || !waits(step.before)) return true;
  const { value } = step.after;
  return typeof value === 'object' && value.wanted === 'queued';
});

/** With `acknowledge`, besides. */
export const answers: readonly Property[] = [toldOfQueue, reports, patient];
