import {
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { isCommanded, sameIds, senderIn } from '../../../steps.js';
import { type CancellableCommand, fenced, withCancel } from '../../cancel.js';
import {
  type Command,
  commands,
  nodesIn,
  properties,
  queuedIn,
  tokensGrow,
} from '../../mutual-exclusion.js';
import {
  clockTicks,
  fenceOf,
  isOlder,
  type Request,
  requestGoesToAll,
  stampOf,
} from '../building-blocks/permissions.js';
import { cancellableMachine, type Message, machine } from './lamport.js';

export type { CancellableCommand, Command };

// Properties of each step of a node by Lamport's algorithm (CACM 21:7, 1978).

// as the machine's own types say
const queueOf = ({ context }: NodeView) => context.queue as readonly Request[];
// as the machine's own types say
const awaitingOf = ({ context }: NodeView) => context.awaiting as readonly NodeId[];
const ownOf = (node: NodeView) => queueOf(node).find(({ id }) => id === node.id);

const queue = everyStep(
  'a queue has at most one request of each node, the oldest first, and its node’s own request while this node waits or is in the critical section',
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
    `besides requests, a node sends only one ack for each request, at once, and one released to each other node when ${leaves}`,
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

const rules = rulesWith('it leaves');

const cancellableRules = rulesWith('it leaves or its application cancels');

/**
 * Entries are in the order of requests. A node's own is in its queue from `acquire` to `release`.
 */
const fence = (node: NodeView): number => {
  const { queue } = node.context;
  return fenceOf(
    Array.isArray(queue) ? queue.find(({ id }) => id === node.id)?.ts : undefined,
    node,
  );
};

const definition: ProtocolDefinition<Message, Command> = {
  id: 'A2',
  name: 'lamport',
  title: 'Lamport',
  problem: 'mutual-exclusion',
  citation:
    'L. Lamport: Time, Clocks, and the Ordering of Events in a Distributed System. CACM 21:7, 1978',
  topology: needs.complete,
  channels: { order: 'fifo', loss: false, duplication: false },
  roles: {
    node: { machine, input: (self, topology) => ({ self, peers: topology.successors(self) }) },
  },
  messages: {
    request: {
      fields: ['ts'],
      counters: ['ts'],
      meaning: 'I request entry; `ts` is the time stamp of the request',
    },
    ack: {
      fields: ['ts'],
      counters: ['ts'],
      meaning: 'I have your request; all my later messages have a larger time stamp than `ts`',
    },
    released: {
      fields: ['ts'],
      counters: ['ts'],
      meaning: 'I have left: remove my request; RELEASE in the paper',
    },
  },
  commands,
  properties: [...properties, tokensGrow(fence), ...rules],
  fence,
  waitsFor: nodesIn('awaiting'),
  contenders: queuedIn('id'),
  cost: {
    per: 'entry',
    formula: '3(n−1)',
    messages: (n) => ({ least: 3 * (n - 1), most: 3 * (n - 1) }),
  },
};

/** A2: Lamport's queue of requests at every node. */
export const lamport = fenced(defineProtocol(definition));

/** A2 with the option `cancel`: the application may withdraw a request. */
export const lamportCancellable = fenced(
  defineProtocol(
    withCancel(
      { ...definition, properties: [...properties, tokensGrow(fence), ...cancellableRules] },
      { machines: { node: cancellableMachine }, withdraws: false },
    ),
  ),
);
