import {
  defineProtocol,
  everyStep,
  type FencedProtocol,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../../options.js';
import { receivedIn, sameIds, sentIn } from '../../../steps.js';
import { type CancellableCommand, defineLock, fenced, withCancel } from '../../cancel.js';
import {
  type Command,
  commands,
  nodesIn,
  properties,
  tokensGrow,
  waitingIn,
  waits,
} from '../../mutual-exclusion.js';
import { fenceOf, permissionRules, type Request, stampOf } from '../building-blocks/permissions.js';
import {
  type AcknowledgedMessage,
  acknowledgedMachine,
  acknowledgedOptions,
  cancellableAcknowledgedMachine,
  cancellableMachine,
  type Message,
  machine,
  type Options,
} from './ricart-agrawala.js';

export type { CancellableCommand, Command, Options };

// Properties of each step of a node with `acknowledged`.

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
  'a node acknowledges at once each request, and each inquiry about a deferred request',
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
  'after a timeout a node no longer awaits silent nodes, and inquires of all others that it awaits',
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

const acknowledgements: readonly Property[] = [acknowledges, notesAnswers, inquires];

/** Entries are in the order of requests. */
const fence = (node: NodeView): number => fenceOf(node.context.requestedAt, node);

const definition: ProtocolDefinition<Message, Command> = {
  id: 'A3',
  name: 'ricart-agrawala',
  title: 'Ricart–Agrawala',
  problem: 'mutual-exclusion',
  citation:
    'G. Ricart, A. K. Agrawala: An Optimal Algorithm for Mutual Exclusion in Computer Networks. CACM 24:1, 1981',
  topology: needs.complete,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: { machine, input: (self, topology) => ({ self, peers: topology.successors(self) }) },
  },
  messages: {
    request: {
      fields: ['ts'],
      counters: ['ts'],
      meaning: 'I request entry; `ts` is the time stamp of the request',
    },
    reply: { meaning: 'I permit your entry' },
  },
  commands,
  properties: [...properties, tokensGrow(fence), ...permissionRules()],
  fence,
  waitsFor: nodesIn('awaiting'),
  contenders: waitingIn('deferred'),
  cost: {
    per: 'entry',
    formula: '2(n−1)',
    messages: (n) => ({ least: 2 * (n - 1), most: 2 * (n - 1) }),
  },
};

/** A3: Ricart–Agrawala, plain. */
export const ricartAgrawala = fenced(defineProtocol(definition));

/** A3 with the option `cancel`: the application may withdraw a request. */
export const ricartAgrawalaCancellable = fenced(
  defineProtocol(
    withCancel(definition, { machines: { node: cancellableMachine }, withdraws: true }),
  ),
);

/**
 * A3 with the option `acknowledged`: a node that does not acknowledge a request in time counts as
 * crashed, and is not awaited.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example ricartAgrawalaAcknowledged({ timeout: 500 })
 */
export function ricartAgrawalaAcknowledged(
  options: Options = {},
): FencedProtocol<CancellableCommand> {
  const { timeout = 1000, cancel = false } = validOptions(
    'ricartAgrawalaAcknowledged',
    acknowledgedOptions,
    options,
  );
  const acknowledged: ProtocolDefinition<AcknowledgedMessage, Command> = {
    ...definition,
    options: { acknowledged: true, timeout },
    times: timers({ timeout }),
    channels: { ...definition.channels, time: { kind: 'exact', delay: [0, timeout / 4] } },
    tolerates: ['crash'],
    roles: {
      node: {
        machine: acknowledgedMachine,
        input: (self, topology) => ({ self, peers: topology.successors(self), timeout }),
      },
    },
    messages: {
      request: {
        fields: ['ts'],
        counters: ['ts'],
        meaning: 'I request entry; `ts` is the time stamp of the request',
      },
      ack: { fields: ['ts'], counters: ['ts'], meaning: 'I am alive and have your request' },
      reply: { fields: ['ts'], counters: ['ts'], meaning: 'I permit your entry' },
      inquire: {
        fields: ['ts'],
        counters: ['ts'],
        meaning: 'are you alive, and is my request still deferred?',
      },
    },
    properties: [
      ...properties,
      tokensGrow(fence),
      ...permissionRules({ stamped: true }),
      ...acknowledgements,
    ],
    cost: {
      per: 'entry',
      formula: '3(n−1)',
      remark: '2 more for each node and each `timeout` by which it delays its reply',
      messages: (n) => ({ least: 3 * (n - 1), most: Infinity }),
    },
  };
  return defineLock(acknowledged, cancel, cancellableAcknowledgedMachine);
}
