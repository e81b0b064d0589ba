import {
  defineProtocol,
  type FencedProtocol,
  type NodeView,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../../options.js';
import { type CancellableCommand, defineLock, fenced, withCancel } from '../../cancel.js';
import {
  type Command,
  commands,
  nodesIn,
  properties,
  tokensGrow,
  waitingIn,
} from '../../mutual-exclusion.js';
import { permissionRules } from '../building-blocks/permission-rules.js';
import { fenceOf } from '../building-blocks/requests.js';
import { acknowledgedOptions, type Options } from './options.js';
import { acknowledgements } from './properties.js';
import {
  type AcknowledgedMessage,
  acknowledgedMachine,
  cancellableAcknowledgedMachine,
  cancellableMachine,
  type Message,
  machine,
} from './ricart-agrawala.js';

export type { CancellableCommand, Command, Options };

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
