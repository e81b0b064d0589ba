import {
  always,
  defineProtocol,
  everyStep,
  leadsTo,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../options.js';
import { isSame } from '../../steps.js';
import { type Command, commands, decision, largestLeads, termination } from '../election.js';
import { acknowledgedMachine } from './acknowledged.js';
import {
  type Acknowledgement,
  acknowledgedOptions,
  type Message,
  machine,
  type Options,
} from './collected-ids.js';

export type { Command, Options };

// What a node of B2 does in each step, and what holds where nodes may crash.

/** The lists of an `election` or `coordinator`; `of` and `starter` of an `ack`. */
type Fields = Readonly<Record<string, unknown>>;

/** The message of a step; none if it belongs to an earlier term, where elections are held again. */
function messageIn({ cause, after }: NodeStep): Fields {
  const message: Fields = cause.kind === 'message' ? { ...cause.message } : {};
  return message.term === undefined || message.term === after.context.term ? message : {};
}

const idsIn = (list: unknown): readonly NodeId[] => (Array.isArray(list) ? list.map(String) : []);

/** The messages of a step that go round the ring. */
const handedOn = ({ sent }: NodeStep): readonly Fields[] =>
  sent
    .map(({ message }): Fields => ({ ...message }))
    .filter(({ type }) => type !== 'ack')
    .map(({ type, list, informed }) => ({ type, list, informed }));

/** CI1: what a node sends that starts an election. */
const ownElection = ({ id }: NodeView): readonly Fields[] => [{ type: 'election', list: [id] }];

/** What a node sends when it gets a command or a message. */
function messagesDue(step: NodeStep, isAsleep: boolean): readonly Fields[] {
  const { before, cause } = step;
  const { id } = before;
  if (cause.kind === 'command') return isAsleep ? ownElection(before) : [];
  const { type, list, informed } = messageIn(step);
  if (type === 'coordinator')
    return idsIn(informed).includes(id) ? [] : [{ type, list, informed: [...idsIn(informed), id] }];
  if (type !== 'election') return [];
  return [
    idsIn(list).includes(id)
      ? { type: 'coordinator', list, informed: [id] }
      : { type, list: [...idsIn(list), id] },
  ];
}

const isAsleep = ({ tags }: NodeView): boolean => !tags.has('waiting') && !tags.has('decided');

const largestOf = (list: unknown): NodeId | undefined => [...idsIn(list)].sort().at(-1);

const rounds: readonly Property[] = [
  everyStep(
    'a node adds its id to a message and hands it on, until the message finds its id',
    (step) =>
      step.cause.kind === 'timeout' ||
      isSame(handedOn(step), messagesDue(step, isAsleep(step.before))),
  ),
  everyStep('a node sends to the next node of the ring, or acknowledges', ({ after, sent }) =>
    sent.every(
      ({ to, message }) =>
        message.type === 'ack' ||
        (Array.isArray(after.context.ring) && after.context.ring[0] === to),
    ),
  ),
  everyStep('a node that learns of a leader learns of the largest id of the list', (step) => {
    const isNews =
      step.cause.kind === 'message' && step.after.context.leader !== step.before.context.leader;
    return !isNews || step.after.context.leader === largestOf(messageIn(step).list);
  }),
  everyStep('a node whose announcement comes back terminates', (step) => {
    const { type, informed } = messageIn(step);
    return (
      type !== 'coordinator' ||
      !idsIn(informed).includes(step.before.id) ||
      step.after.tags.has('terminated')
    );
  }),
  always('a decided node is the leader exactly if it knows itself as the leader', (system) =>
    system
      .tagged('decided')
      .every(
        ({ id, context, tags }) =>
          context.leader !== null && (context.leader === id) === tags.has('leader'),
      ),
  ),
];

const unacknowledged = ({ context }: NodeView): readonly unknown[] =>
  Array.isArray(context.unacknowledged) ? context.unacknowledged : [];

/**
 * The problem where nodes may crash: the leader that the nodes know may have crashed, and some of
 * them may know that already.
 */
const amongLive: readonly Property[] = [
  always('all nodes that know a live leader know the same one', (system) => {
    const live = new Set<unknown>(
      system.nodes.filter(({ crashed }) => !crashed).map(({ id }) => id),
    );
    return system.distinct('decided', 'leader').filter((leader) => live.has(leader)).length <= 1;
  }),
  always('all nodes know the same leader when no message is on its way', (system) => {
    const isQuiet =
      system.inFlight().length === 0 &&
      system.nodes.every((node) => node.crashed || unacknowledged(node).length === 0);
    return !isQuiet || system.distinct('decided', 'leader').length <= 1;
  }),
  leadsTo(
    'every node that waits eventually knows a leader',
    ({ tags }) => tags.has('waiting'),
    ({ tags }) => tags.has('decided'),
  ),
  everyStep('a node replaces a leader only by a smaller one', ({ before, after }) => {
    if (!before.tags.has('decided')) return true;
    return (
      after.tags.has('decided') && String(after.context.leader) <= String(before.context.leader)
    );
  }),
  always('the leader has the largest id of the live nodes', (system) =>
    system
      .tagged('leader')
      .every(({ id }) => system.nodes.every((other) => other.crashed || other.id <= id)),
  ),
];

/** CI10: the time-out of a node that waits for the leader. */
const isOwnStart = (timer: string): boolean => timer.includes('patience');

const acknowledgements: readonly Property[] = [
  everyStep('a node that has waited too long for the leader starts again', (step) => {
    const { cause, before } = step;
    return (
      cause.kind !== 'timeout' ||
      !isOwnStart(cause.timer) ||
      isSame(handedOn(step), ownElection(before))
    );
  }),
  everyStep('a node acknowledges each message once', (step) => {
    const { type, list } = messageIn(step);
    const acks = step.sent.filter(({ message }) => message.type === 'ack');
    if (step.cause.kind !== 'message' || type === 'ack') return acks.length === 0;
    const [ack] = acks;
    return (
      acks.length === 1 &&
      ack?.to === step.cause.from &&
      isSame(ack.message, { type: 'ack', of: type, starter: idsIn(list)[0] })
    );
  }),
  everyStep(
    'after a time-out, a node leaves the next one out, and sends what it has not acknowledged',
    (step) => {
      const { before, after, cause } = step;
      const ring = idsIn(before.context.ring);
      if (cause.kind !== 'timeout' || isOwnStart(cause.timer))
        return isSame(after.context.ring, ring);
      return (
        isSame(after.context.ring, ring.slice(1)) &&
        (ring.length === 1 || isSame(handedOn(step), unacknowledged(before)))
      );
    },
  ),
];

/** The ring is in the order of the nodes. */
function inputOf(self: NodeId, { nodes }: Topology) {
  const place = nodes.indexOf(self);
  return { self, ring: [...nodes.slice(place + 1), ...nodes.slice(0, place)], timeout: null };
}

const definition: ProtocolDefinition<Message, Command> = {
  id: 'B2',
  name: 'collected-ids',
  title: 'Ring election with collected ids',
  problem: 'election',
  citation:
    'A. S. Tanenbaum: Distributed Operating Systems. Prentice Hall, 1995, section 3.3; after E. Chang, R. Roberts: An Improved Algorithm for Decentralized Extrema-Finding in Circular Configurations of Processes. CACM 22:5, 1979',
  topology: needs.complete,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: {
      machine,
      input: (self, topology) => inputOf(self, topology),
    },
  },
  messages: {
    election: { fields: ['list'], meaning: 'the nodes in `list` take part' },
    coordinator: {
      fields: ['list', 'informed'],
      meaning: 'the largest of `list` is the leader; the nodes in `informed` know it',
    },
  },
  commands,
  properties: [...decision, ...termination, largestLeads, ...rounds],
  cost: {
    per: 'initiator',
    command: 'elect',
    formula: '2n',
    messages: (n) => ({ least: 2 * n, most: 2 * n }),
  },
};

/** B2: ring election with collected ids, plain. */
export const collectedIds = defineProtocol(definition);

/** Properties of the problem that do not hold if nodes crash. */
const onlyWithoutCrash = [
  'all nodes that know a leader know the same one',
  'every live node knows the one leader',
  'a node that knows the leader does not forget it',
  'the node that announces the leader terminates',
];

/**
 * B2 with the option `acknowledged`: a node that does not acknowledge a message in time counts as
 * crashed, and is left out of the ring.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example collectedIdsAcknowledged({ timeout: 500 })
 */
export function collectedIdsAcknowledged(options: Options = {}) {
  const { timeout = 1000 } = validOptions('collectedIdsAcknowledged', acknowledgedOptions, options);
  return defineProtocol<Message | Acknowledgement, Command>({
    ...definition,
    options: { acknowledged: true, timeout },
    times: timers({ timeout }),
    channels: {
      ...definition.channels,
      order: 'fifo',
      time: { kind: 'exact', delay: [0, timeout / 4] },
    },
    roles: {
      node: {
        machine: acknowledgedMachine,
        input: (self, topology) => ({ ...inputOf(self, topology), timeout }),
      },
    },
    messages: {
      ...definition.messages,
      ack: {
        fields: ['of', 'starter'],
        meaning: 'I have the message `of` this type in the round of `starter`',
      },
    },
    properties: [
      ...[...decision, ...termination].filter(({ name }) => !onlyWithoutCrash.includes(name)),
      ...amongLive,
      ...rounds,
      ...acknowledgements,
    ],
    cost: {
      per: 'initiator',
      command: 'elect',
      formula: '4n',
      remark: 'if no node crashes',
      messages: (n) => ({ least: 4 * n, most: 4 * n }),
    },
  });
}
