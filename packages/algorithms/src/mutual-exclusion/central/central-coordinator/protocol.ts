import {
  ConclaveError,
  defineProtocol,
  everyStep,
  type FencedProtocol,
  leadsTo,
  type NodeView,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../../options.js';
import { type CancellableCommand, fenced, withCancel } from '../../cancel.js';
import {
  type Command,
  commands,
  nodesIn,
  properties,
  tokensGrow,
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
import { answers, turns, withdrawals } from './properties.js';

export type { CancellableCommand, Command, Options };

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
