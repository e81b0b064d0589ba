import {
  always,
  everyStep,
  type Message,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { deliveredBy } from '../multicast.js';
import type { OrderMessage } from './total-multicast.js';

type Numbered = Extract<OrderMessage, { readonly type: 'numbered' }>;

const isNumbered = (message: Message): message is Numbered => message.type === 'numbered';

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

export const oneSequencer: Property = always(
  'at most one member is the sequencer',
  (system) => system.count('sequencer') <= 1,
);

/** The rules, step by step. */
export const sequencerRules: readonly Property[] = [
  always('each number is that of one multicast, and each multicast has one number', (system) => {
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
  everyStep(
    'the sequencer keeps each request until it has a number, and no longer',
    ({ after }) => {
      if (!after.tags.has('sequencer')) return true;
      const pending = [after.context.pending].flat().map(Object);
      const names = new Set(pending.map(({ sender, sequence }) => `${sender} ${sequence}`));
      const numbered = pending.filter(
        ({ sender, sequence }) => sequence <= Object(after.context.delivered)[sender],
      );
      return names.size === pending.length && numbered.length === 0;
    },
  ),
];
