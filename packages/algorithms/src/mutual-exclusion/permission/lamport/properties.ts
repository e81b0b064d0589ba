/** Properties of each step of a node by Lamport's algorithm (CACM 21:7, 1978). */
import { everyStep, type NodeId, type NodeView, type Property } from '@conclave/core/protocol';
import { isCommanded, sameIds, senderIn } from '../../../steps.js';

import { clockTicks, requestGoesToAll, stampOf } from '../building-blocks/clock-rules.js';
import { isOlder, type Request } from '../building-blocks/requests.js';

// as the machine's own types say
const queueOf = ({ context }: NodeView) => context.queue as readonly Request[];
// as the machine's own types say
const awaitingOf = ({ context }: NodeView) => context.awaiting as readonly NodeId[];
const ownOf = (node: NodeView) => queueOf(node).find(({ id }) => id === node.id);

const queue = everyStep(
  'a queue has at most one request of each node, the oldest first, and its node’s own while that waits or is in the critical section',
  ({ after }) => {
    const requests = queueOf(after);
    const inOrder = requests.every(
      (request, place) => place === 0 || isOlder(requests[place - 1] ?? request, request),
    );
    const wants = after.tags.has('waiting') || after.tags.has('critical');
    return (
      inOrder &&
      new Set(requests.map(({ id }) => id)).size === requests.length &&
      wants === (ownOf(after) !== undefined)
    );
  },
);

/** Rule 5. */
const mayEnter = everyStep(
  'a node in the critical section is first in its queue, and has a younger message from every other node',
  ({ after }) =>
    !after.tags.has('critical') ||
    (queueOf(after)[0]?.id === after.id && awaitingOf(after).length === 0),
);

/** Rule 5, condition (ii): any message counts, not only an acknowledgement. */
const anythingYounger = everyStep(
  'a node stops awaiting the sender of any message younger than its own request',
  ({ after, cause }) => {
    const own = ownOf(after);
    if (
      cause.kind !== 'message' ||
      !own ||
      !isOlder(own, { ts: stampOf(cause.message), id: cause.from })
    )
      return true;
    return !awaitingOf(after).includes(cause.from);
  },
);

/** Rules 2 and 4. */
const answers = (leaves: string): Property =>
  everyStep(
    `besides requests a node sends only one ack for each request, at once, and one released to each other node when ${leaves}`,
    (step) => {
      const { before, after, sent } = step;
      if (isCommanded('acquire', step)) return true;
      const sentTo = (type: string, to: unknown) =>
        sent.every(({ message }) => message.type === type) &&
        sameIds(
          sent.map((one) => one.to),
          to,
        );
      const left = before.tags.has('critical') && !after.tags.has('critical');
      if (left || isCommanded('cancel', step)) return sentTo('released', after.context.peers);
      return sentTo('ack', senderIn(step, 'request'));
    },
  );

const stampsEach = everyStep('each message carries its sender’s clock', ({ after, sent }) =>
  sent.every(({ message }) => stampOf(message) === Number(after.context.clock)),
);

const rulesWith = (leaves: string): readonly Property[] => [
  queue,
  mayEnter,
  anythingYounger,
  requestGoesToAll,
  answers(leaves),
  stampsEach,
  clockTicks(['request', 'ack', 'released']),
];

export const rules = rulesWith('it leaves');

export const cancellableRules = rulesWith('it leaves or its application cancels');
