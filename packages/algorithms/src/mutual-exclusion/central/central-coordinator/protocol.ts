import {
  ConclaveError,
  defineProtocol,
  everyStep,
  type FencedProtocol,
  leadsTo,
  type NodeId,
  type NodeView,
  type Property,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../../options.js';
import { isCommanded, receiversIn, senderIn } from '../../../steps.js';
import { type CancellableCommand, fenced, withCancel } from '../../cancel.js';
import {
  type Command,
  commands,
  nodesIn,
  properties,
  tokensGrow,
  waits,
  waitsUntilEntry,
} from '../../mutual-exclusion.js';
import {
  type AcknowledgedMessage,
  acknowledgedClient,
  acknowledgingCoordinator,
  type CancellableMessage,
  cancellableClient,
  cancellableCoordinator,
  centralCoordinatorOptions,
  client,
  coordinator,
  type Message,
  type Options,
} from './central-coordinator.js';

export type { CancellableCommand, Command, Options };

// Properties of each step of a coordinator and its clients.

const queueOf = ({ context }: NodeView) =>
  Array.isArray(context.queue) ? context.queue.map(String) : [];
const isSameList = (some: readonly NodeId[], others: readonly NodeId[]) =>
  some.join() === others.join();

const inTurn = (end: string): Property =>
  everyStep(
    `the queue has each client once from its request to its ${end}, in the order of arrival`,
    (step) => {
      const was = queueOf(step.before);
      const newcomers = senderIn(step, 'request').filter((id) => !was.includes(id));
      const withdrawn = senderIn(step, 'withdraw');
      const due = [...was, ...newcomers].filter((id) => !withdrawn.includes(id));
      return isSameList(due, [...receiversIn(step, 'grant'), ...queueOf(step.after)]);
    },
  );

const nextAtOnce: Property = everyStep(
  'when a client leaves, the coordinator grants the first of the queue at once',
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
  'the coordinator answers a request or inquiry of a queued client by queued at once, and no other',
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
    `a client sends request when it wants to enter, released when it leaves or gets a late grant, ${also}, and nothing else`,
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
const turns: readonly Property[] = [
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
const answers: readonly Property[] = [answersQueued, reports, keepsWaiting];

const confirms: Property = everyStep(
  'the coordinator confirms the withdrawal of a queued request at once, and no other',
  (step) => {
    const queue = queueOf(step.before);
    return isSameList(
      receiversIn(step, 'withdrawn'),
      senderIn(step, 'withdraw').filter((id) => queue.includes(id)),
    );
  },
);

/** With `cancel`. */
const withdrawals: readonly Property[] = [
  inTurn('grant or withdrawal'),
  nextAtOnce,
  sendsWhatIsDue('withdraw when its application cancels'),
  confirms,
];

const fence = ({ context }: NodeView): number => Number(context.entry);

const definition: ProtocolDefinition<Message, Command> = {
  id: 'A1',
  name: 'central-coordinator',
  title: 'Central coordinator',
  problem: 'mutual-exclusion',
  citation:
    'Folklore; A. S. Tanenbaum, M. van Steen: Distributed Systems, Principles and Paradigms, 2nd edition, 2007, section 6.3.2',
  topology: needs.star,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    coordinator: {
      machine: coordinator,
      input: () => ({}),
      stable: ['entries'],
      counters: ['entries'],
    },
    client: { machine: client, input: (_self, { nodes }) => ({ coordinator: nodes[0] ?? '' }) },
  },
  roleOf: (node, { nodes }) => (node === nodes[0] ? 'coordinator' : 'client'),
  messages: {
    request: { meaning: 'I request entry' },
    grant: {
      fields: ['entry'],
      counters: ['entry'],
      meaning: 'you may enter; `entry` is the number of this entry',
    },
    released: { meaning: 'I have left; in the paper RELEASE' },
  },
  commands,
  properties: [...properties, tokensGrow(fence), ...turns],
  fence,
  waitsFor: nodesIn('coordinator'),
  cost: { per: 'entry', formula: '3', messages: () => ({ least: 3, most: 3 }) },
};

/** FIFO, since a client's `withdraw` must not overtake its request, nor what it sent before. */
const cancellableDefinition: ProtocolDefinition<CancellableMessage, Command> = {
  ...definition,
  channels: { ...definition.channels, order: 'fifo' },
  messages: {
    ...definition.messages,
    withdraw: { meaning: 'I request no longer; if I am granted, this counts as released' },
    withdrawn: { meaning: 'you are in my queue no longer' },
  },
  properties: [...properties, tokensGrow(fence), ...withdrawals],
};

/** A timeout may be a false alarm, so liveness is weaker. */
const entersOrReports = leadsTo(
  'every node that wants to enter eventually enters, or reports that the coordinator is silent',
  (node) => node.tags.has('waiting'),
  (node) => node.tags.has('critical') || node.tags.has('unserved'),
);

const waitsOrReports = everyStep(
  'a node that waits keeps waiting until it enters, or reports that the coordinator is silent',
  ({ before: { tags: was }, after: { tags: is } }) =>
    !was.has('waiting') || is.has('waiting') || is.has('critical') || is.has('unserved'),
);

const acknowledgedDefinition = (
  timeout: number,
): ProtocolDefinition<AcknowledgedMessage, Command> => ({
  ...definition,
  options: { acknowledge: true, timeout },
  times: timers({ timeout }),
  roles: {
    coordinator: {
      machine: acknowledgingCoordinator,
      input: () => ({}),
      stable: ['entries'],
      counters: ['entries'],
    },
    client: {
      machine: acknowledgedClient,
      input: (_self, { nodes }) => ({ coordinator: nodes[0] ?? '', timeout }),
    },
  },
  messages: {
    ...definition.messages,
    queued: { meaning: 'you are in my queue' },
    inquire: { meaning: 'am I still in your queue?' },
  },
  properties: [
    ...definition.properties.map((property) =>
      property.kind === 'leadsTo'
        ? entersOrReports
        : property === waitsUntilEntry
          ? waitsOrReports
          : property,
    ),
    ...answers,
  ],
  cost: {
    per: 'entry',
    formula: '3',
    remark: '1 more if the request is queued, and 2 more for each `timeout` in the queue',
    messages: () => ({ least: 3, most: Infinity }),
  },
});

/**
 * A1: the first node of a star is the coordinator; the others are its clients. The coordinator
 * itself never requests entry.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, a value that it does not take, or
 * `acknowledge` with `cancel`.
 * @example centralCoordinator({ acknowledge: true })
 */
export function centralCoordinator(options: Options = {}): FencedProtocol<CancellableCommand> {
  const {
    acknowledge = false,
    timeout = 1000,
    cancel = false,
  } = validOptions('centralCoordinator', centralCoordinatorOptions, options);
  if (acknowledge && cancel)
    throw new ConclaveError(
      'bad-input',
      'centralCoordinator: acknowledge and cancel are both true',
      'Choose one of them.',
    );
  if (cancel)
    return fenced(
      defineProtocol(
        withCancel(cancellableDefinition, {
          machines: { client: cancellableClient, coordinator: cancellableCoordinator },
          withdraws: true,
        }),
      ),
    );
  return fenced<CancellableCommand>(
    acknowledge ? defineProtocol(acknowledgedDefinition(timeout)) : defineProtocol(definition),
  );
}
