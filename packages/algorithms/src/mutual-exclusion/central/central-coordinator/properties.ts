/** Properties of each step of a coordinator and its clients. */
import { everyStep, type NodeId, type NodeView, type Property } from '@conclave/core/protocol';
import { isCommanded, receiversIn, senderIn } from '../../../steps.js';
import { waits } from '../../mutual-exclusion.js';

const queueOf = ({ context }: NodeView) =>
  Array.isArray(context.queue) ? context.queue.map(String) : [];
const isSameList = (some: readonly NodeId[], others: readonly NodeId[]) =>
  some.join() === others.join();

const inTurn = (end: string): Property =>
  everyStep(
    `a client is queued once from its request to its ${end}, in the order of arrival`,
    (step) => {
      const was = queueOf(step.before);
      const newcomers = senderIn(step, 'request').filter((id) => !was.includes(id));
      const withdrawn = senderIn(step, 'withdraw');
      const due = [...was, ...newcomers].filter((id) => !withdrawn.includes(id));
      return isSameList(due, [...receiversIn(step, 'grant'), ...queueOf(step.after)]);
    },
  );

const nextAtOnce: Property = everyStep(
  'when a client leaves, the first in the queue is granted at once',
  (step) => {
    const queue = queueOf(step.before);
    const gone = [
      ...senderIn(step, 'released'),
      ...senderIn(step, 'withdraw').filter((id) => !queue.includes(id)),
    ];
    const due = gone.length > 0 ? queue.slice(0, 1) : [];
    return senderIn(step, 'request').length > 0 || isSameList(receiversIn(step, 'grant'), due);
  },
);

const answersQueued: Property = everyStep(
  'a request or inquiry of a queued client is answered by queued at once, and no other is',
  (step) => {
    const queue = queueOf(step.after);
    return isSameList(
      receiversIn(step, 'queued'),
      senderIn(step, 'request', 'inquire').filter((id) => queue.includes(id)),
    );
  },
);

const sendsWhatIsDue = (also: string): Property =>
  everyStep(
    `a client sends request when it wants to enter, released when it leaves or is granted too late, ${also}, and nothing else`,
    (step) => {
      const { before, after, cause, sent } = step;
      if (typeof after.context.coordinator !== 'string') return true;
      const inquires = cause.kind === 'timeout' && waits(after);
      const isLate = !waits(before) && before.value !== 'withdrawing';
      const returns =
        isCommanded('release', step) || (senderIn(step, 'grant').length > 0 && isLate);
      const commanding = isCommanded('acquire', step)
        ? ['request']
        : isCommanded('cancel', step)
          ? ['withdraw']
          : undefined;
      const due = commanding ?? (inquires ? ['inquire'] : returns ? ['released'] : []);
      return isSameList(
        sent.map(({ message }) => message.type),
        due,
      );
    },
  );

/** Without and with `acknowledge`. */
export const turns: readonly Property[] = [
  inTurn('grant'),
  nextAtOnce,
  sendsWhatIsDue('inquire after a timeout'),
];

const reports: Property = everyStep(
  'a client reports a silent coordinator once, when it gives up, and gives up only after a timeout',
  ({ before, after, cause, notified }) => {
    const givesUp = waits(before) && !waits(after) && !after.tags.has('critical');
    return notified.length === (givesUp ? 1 : 0) && (!givesUp || cause.kind === 'timeout');
  },
);

/** One round trip for each question. */
const keepsWaiting: Property = everyStep(
  'a client that receives queued keeps waiting, and inquires before it gives up',
  (step) => {
    if (senderIn(step, 'queued').length === 0 || !waits(step.before)) return true;
    const { value } = step.after;
    return typeof value === 'object' && value.wanted === 'queued';
  },
);

/** With `acknowledge` only. */
export const answers: readonly Property[] = [answersQueued, reports, keepsWaiting];

const confirms: Property = everyStep(
  'a client that withdraws a queued request is told so at once, and no other',
  (step) => {
    const queue = queueOf(step.before);
    return isSameList(
      receiversIn(step, 'withdrawn'),
      senderIn(step, 'withdraw').filter((id) => queue.includes(id)),
    );
  },
);

/** With `cancel`. */
export const withdrawals: readonly Property[] = [
  inTurn('grant or withdrawal'),
  nextAtOnce,
  sendsWhatIsDue('withdraw when its application cancels'),
  confirms,
];
