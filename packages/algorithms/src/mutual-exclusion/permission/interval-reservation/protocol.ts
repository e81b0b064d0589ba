import { schemas } from '@conclave/core/internal';
import {
  always,
  defineProtocol,
  everyStep,
  type FencedProtocol,
  type NodeId,
  type NodeView,
  type Property,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../../options.js';
import { receiversIn, stepsOf } from '../../../steps.js';
import { fenced, withCancel } from '../../cancel.js';
import {
  inCriticalSection,
  isIdle,
  type Command as LockCommand,
  commands as lockCommands,
  nodesIn,
  propertiesWith,
  waitingIn,
} from '../../mutual-exclusion.js';
import { permissionRules } from '../building-blocks/permissions.js';
import {
  type Command,
  compatibleUnder,
  fence,
  fenceCondition,
  type Interval,
  isInterval,
  type Message,
  machine,
  overlap,
  waitingIsLarger,
} from './interval-reservation.js';
import {
  type SharingCommand,
  type SharingMessage,
  sharingMachine,
  sharingRules,
} from './readers-writers.js';

export type { Command, Interval, SharingCommand };

export type Options = {
  /**
   * Which intervals must not be held at once. It must be symmetric: two nodes evaluate it with
   * their own interval first. Default: those that overlap.
   */
  readonly conflicts?: (one: Interval, other: Interval) => boolean;
};

function propertiesUnder(conflicts: typeof overlap): readonly Property[] {
  const conflict = ({ context: one }: NodeView, { context: other }: NodeView) =>
    isInterval(one.interval) &&
    isInterval(other.interval) &&
    conflicts(one.interval, other.interval);
  const noConflict = always('no two nodes hold conflicting intervals at once', (system) => {
    const held = system.tagged('critical');
    return held.every((one) => held.every((other) => one === other || !conflict(one, other)));
  });
  const repliesAtOnce = everyStep(
    'a request without a conflict with the receiver’s own interval gets its reply at once',
    (step) => {
      const request = receivedIn(step, 'request');
      const { tags, context } = step.before;
      if (!request) return true;
      const wants = tags.has('waiting') || tags.has('critical');
      return (
        (wants && isInterval(context.interval) && conflicts(context.interval, request.interval)) ||
        receiversIn(step, 'reply').includes(request.from)
      );
    },
  );
  return [...propertiesWith(noConflict), waitingIsLarger(conflict), repliesAtOnce];
}

const { receivedIn } = stepsOf<Message>();

/** What both forms have in common. */
const reserved = {
  id: 'A15',
  name: 'interval-reservation',
  problem: 'mutual-exclusion',
  citation:
    'G. Ricart, A. K. Agrawala: An Optimal Algorithm for Mutual Exclusion in Computer Networks. CACM 24:1, 1981; here with a conflict relation',
  topology: needs.complete,
  channels: { order: 'any', loss: false, duplication: false },
  fence,
  fenceCondition,
  waitsFor: nodesIn('awaiting'),
  contenders: waitingIn('deferred'),
  cost: {
    per: 'entry',
    formula: '2(n−1)',
    messages: (n: number) => ({ least: 2 * (n - 1), most: 2 * (n - 1) }),
  },
} as const;

const input = (self: NodeId, topology: Topology) => ({ self, peers: topology.successors(self) });

/**
 * A15: reservation of intervals, by Ricart–Agrawala with a conflict relation.
 *
 * @throws {ConclaveError} `bad-input` for another option.
 * @example intervalReservation({ conflicts: (one, other) => overlap(one, { from: other.from - 15,
 * to: other.to + 15 }) }) // a break between
 */
export function intervalReservation(options: Options = {}): FencedProtocol<Command> {
  const { conflicts = overlap } = validOptions(
    'intervalReservation',
    { conflicts: { schema: schemas.callback } },
    options,
  );
  return defineProtocol<Message, Command>({
    ...reserved,
    title: 'Interval reservation',
    roles: {
      node: {
        machine: machine.provide({ guards: { compatible: compatibleUnder(conflicts) } }),
        input,
      },
    },
    messages: {
      request: {
        fields: ['ts', 'interval'],
        counters: ['ts'],
        meaning: 'I request `interval`; `ts` is the time stamp of the request',
      },
      reply: { meaning: 'I permit your reservation' },
    },
    commands: {
      acquire: {
        kind: 'optional',
        fields: ['interval'],
        meaning: 'the application requests an interval',
        when: isIdle,
        examples: [
          { interval: { from: 628, to: 737 } },
          { interval: { from: 737, to: 780 } },
          { interval: { from: 600, to: 660 } },
        ],
      },
      release: {
        kind: 'obligatory',
        meaning: 'the application gives the interval back',
        when: inCriticalSection,
      },
    },
    properties: [...propertiesUnder(conflicts), ...permissionRules()],
  });
}

/** It neither waits nor is inside, and its last request is answered. */
const mayRequest = (node: NodeView): boolean => isIdle(node) && !node.tags.has('withdrawing');

const sharingCommands: ProtocolDefinition<SharingMessage, LockCommand>['commands'] &
  Pick<ProtocolDefinition<SharingMessage, SharingCommand>['commands'], 'share'> = {
  acquire: { ...lockCommands.acquire, meaning: 'the application requests an exclusive entry' },
  share: {
    kind: 'optional',
    meaning: 'the application requests an entry beside others that share',
    when: mayRequest,
  },
  release: lockCommands.release,
};

const sharing: ProtocolDefinition<SharingMessage, LockCommand> = {
  ...reserved,
  title: 'Readers and writers',
  options: { shared: true },
  roles: { node: { machine: sharingMachine, input } },
  messages: {
    request: {
      fields: ['ts', 'shared'],
      counters: ['ts'],
      meaning:
        'I request entry, beside others that share if `shared`; `ts` is the time stamp of the request',
    },
    reply: { meaning: 'I permit your entry' },
  },
  commands: sharingCommands,
  properties: [...sharingRules, ...permissionRules()],
};

/**
 * A15 with the option `shared`: readers and writers, by Ricart–Agrawala. Nodes that share are in
 * their critical sections together, a node that does not is there alone, and all enter in the
 * order of their requests, as far as they conflict.
 *
 * @example
 * const stock = lock(readersWriters, { self: 'a', peers: ['b', 'c'], transport });
 * await stock.shared().run(read);
 * await stock.run(write);
 */
export const readersWriters: FencedProtocol<SharingCommand> = fenced<SharingCommand>(
  defineProtocol(withCancel(sharing, { machines: { node: sharingMachine }, withdraws: true })),
);
