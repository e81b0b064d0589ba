import {
  always,
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { partProperty } from '../../composition/part.js';
import { lelannChangRoberts } from '../../election/lelann-chang-roberts/protocol.js';
import { completeWith, validOptions } from '../../options.js';
import {
  type Command,
  causalOrder,
  commands,
  deliveredBy,
  multicastHistory,
  reliableMulticast,
  totalOrder,
} from '../multicast.js';
import {
  electingMachine,
  type Input,
  type Message,
  machine,
  type Options,
  type OrderMessage,
  totalMulticastOptions,
} from './total-multicast.js';

export type { Command, Options };

type Numbered = Extract<OrderMessage, { readonly type: 'numbered' }>;

const isNumbered = (message: { readonly type: string }): message is Numbered =>
  message.type === 'numbered';

const delayedAt = ({ context }: NodeView): readonly Numbered[] =>
  context.delayed as readonly Numbered[]; // as the machine's own types say, without type
/** The multicasts that a member keeps. */
const pendingAt = ({ context }: NodeView): readonly number[] =>
  [context.pending].flat().map((one) => Number(Object(one).sequence));
// the same
const peersOf = ({ context }: NodeView): readonly NodeId[] => context.peers as readonly NodeId[];

/** The number of the last multicast that a member has delivered. */
const lastNumber = (node: NodeView): number => deliveredBy(node).length;

const sentIn = ({ sent }: NodeStep, type: OrderMessage['type']) =>
  sent.filter(({ message }) => message.type === type);

const oneSequencer: Property = always(
  'at most one member is the sequencer',
  (system) => system.count('sequencer') <= 1,
);

/** The rules, step by step. */
const sequencerRules: readonly Property[] = [
  always('each number belongs to one multicast, and each multicast has one number', (system) => {
    const given = [
      ...system
        .inFlight('numbered')
        .flatMap(({ message }) => (isNumbered(message) ? [message] : [])),
      ...system.nodes.flatMap(delayedAt),
    ];
    const names = given.map(({ sender, sequence }) => `${sender} ${sequence}`);
    const both = new Set(given.map(({ number }, index) => `${number} ${names[index]}`)).size;
    return new Set(given.map(({ number }) => number)).size === both && new Set(names).size === both;
  }),
  everyStep(
    'the sequencer sends each multicast to each other member once, with the next number, and delivers it',
    (step) => {
      const { before, after, notified } = step;
      const sent = sentIn(step, 'numbered');
      if (!after.tags.has('sequencer')) return sent.length === 0;
      const due = notified.flatMap((delivery, index) =>
        peersOf(after).map(
          (peer) =>
            `${peer} ${lastNumber(before) + index + 1} ${Object(delivery).from} ${Object(delivery).sequence}`,
        ),
      );
      return (
        sent
          .map(
            ({ to, message }) =>
              `${to} ${Object(message).number} ${Object(message).sender} ${Object(message).sequence}`,
          )
          .join() === due.join()
      );
    },
  ),
  everyStep(
    'every other member requests each of its multicasts once, in their order, as soon as it knows the sequencer',
    (step) => {
      const { before, after, cause } = step;
      const requested = sentIn(step, 'request').map(({ message }) =>
        Number(Object(message).sequence),
      );
      if (Object(after.value).sender !== 'following') return requested.length === 0;
      const made = cause.kind === 'command' ? [Number(after.context.sequence)] : [];
      return requested.join() === [...pendingAt(before), ...made].join();
    },
  ),
  everyStep('the sequencer keeps each request exactly until it has a number', ({ after }) => {
    if (!after.tags.has('sequencer')) return true;
    const pending = [after.context.pending].flat().map(Object);
    const names = new Set(pending.map(({ sender, sequence }) => `${sender} ${sequence}`));
    const numbered = pending.filter(
      ({ sender, sequence }) => sequence <= Object(after.context.delivered)[sender],
    );
    return names.size === pending.length && numbered.length === 0;
  }),
];

/** For a multicast of its own, or one with a smaller number. */
const isWaiting = ({ context, id }: NodeView): boolean => {
  const { sequence, delivered, delayed } = Object(context);
  return delayed.length > 0 || sequence > delivered[id];
};

const inputOf =
  (sequencer: NodeId | null) =>
  (self: NodeId, topology: Topology): Input => ({
    self,
    peers: topology.successors(self),
    sequencer,
  });

const definition: Omit<ProtocolDefinition<OrderMessage, Command>, 'topology' | 'roles'> = {
  id: 'C4t',
  name: 'total-multicast',
  title: 'Totally ordered multicast',
  problem: 'reliable-multicast',
  citation:
    'M. F. Kaashoek, A. S. Tanenbaum, S. Flynn Hummel, H. E. Bal: An Efficient Reliable Broadcast Protocol. ACM Operating Systems Review 23:4, 1989, 5–19',
  channels: { order: 'any', loss: false, duplication: false },
  messages: {
    request: {
      fields: ['sequence', 'data'],
      counters: ['sequence'],
      meaning: 'asks the sequencer for a number for a multicast of the sender',
    },
    numbered: {
      fields: ['number', 'sender', 'sequence', 'data'],
      counters: ['number', 'sequence'],
      meaning: 'a multicast of `sender` and its number',
    },
  },
  commands: { multicast: { ...commands.multicast, when: () => true } },
  history: multicastHistory,
  properties: [...reliableMulticast, totalOrder, causalOrder, ...sequencerRules],
  waiting: isWaiting,
  cost: {
    per: 'multicast',
    command: 'multicast',
    of: ['request', 'numbered'],
    formula: 'n',
    remark: 'n−1 for those of the sequencer',
    messages: (n) => ({ least: n - 1, most: n }),
  },
};

/**
 * C4t: multicasts in one order for all members, by a sequencer.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example totalMulticast({ sequencer: 'a' })
 */
export function totalMulticast(options: Options = {}): Protocol<Command> {
  const { sequencer } = validOptions('totalMulticast', totalMulticastOptions, options);
  if (sequencer !== undefined)
    return defineProtocol<OrderMessage, Command>({
      ...definition,
      options: { sequencer },
      channels: { ...definition.channels, duplication: true },
      topology: completeWith('sequencer', sequencer),
      roles: { member: { machine, input: inputOf(sequencer) } },
    });
  const { properties } = lelannChangRoberts;
  return defineProtocol<Message, Command>({
    ...definition,
    topology: needs.complete,
    roles: {
      member: {
        machine: electingMachine,
        input: (self, topology) => {
          const { nodes } = topology;
          const next = nodes[(nodes.indexOf(self) + 1) % nodes.length] ?? self;
          return { ...inputOf(null)(self, topology), election: { self, next } };
        },
      },
    },
    messages: {
      ...definition.messages,
      'election-election': { fields: ['id'], meaning: 'of the election: node `id` is a candidate' },
      'election-elected': { fields: ['id'], meaning: 'of the election: node `id` is the leader' },
    },
    properties: [
      ...definition.properties,
      oneSequencer,
      ...properties.map((property) => partProperty('election', property)),
    ],
    waiting: (node) => isWaiting(node) || node.tags.has('election:waiting'),
  });
}
