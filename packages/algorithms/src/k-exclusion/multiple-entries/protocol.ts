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
import * as needs from '@conclave/core/topology/needs';
import { type CancellableCommand, withCancel } from '../../mutual-exclusion/cancel.js';
import { type Command, commands, propertiesWith } from '../../mutual-exclusion/mutual-exclusion.js';
import {
  clockTicks,
  isOlder,
  requestGoesToAll,
} from '../../mutual-exclusion/permission/building-blocks/permissions.js';
import { countOf } from '../../mutual-exclusion/token/building-blocks/token.js';
import { validOptions } from '../../options.js';
import { isCommanded, stepsOf } from '../../steps.js';
import {
  type Context,
  cancellableMachine,
  type Input,
  type Message,
  machine,
  multipleEntriesOptions,
  type Options,
} from './multiple-entries.js';

export type { CancellableCommand, Command, Options };

// Properties of each step of a node that counts replies, by the rules of README.md.

const { contextOf, receivedIn, sentIn } = stepsOf<Message, Context>();

const isEach = ({ after }: NodeStep, holds: (peer: NodeId) => boolean): boolean =>
  contextOf(after).peers.every(holds);

const repliedOnce = everyStep(
  'each request counts in one reply: immediately, or later after a deferral',
  (step) => {
    const request = receivedIn(step, 'request');
    const replies = sentIn(step, 'reply');
    return isEach(step, (peer) => {
      const replied = replies
        .filter(({ to }) => to === peer)
        .reduce((sum, { message }) => sum + message.count, 0);
      const due = countOf(contextOf(step.before).deferred, peer) + (request?.from === peer ? 1 : 0);
      return due === replied + countOf(contextOf(step.after).deferred, peer);
    });
  },
);

const defersYounger = everyStep(
  'a node defers each request while it is in the critical section, and each younger one while it waits',
  (step) => {
    const request = receivedIn(step, 'request');
    if (!request) return true;
    const { tags } = step.before;
    const { self, requestedAt } = contextOf(step.before);
    const own = { ts: requestedAt, id: self };
    const ownIsOlder = isOlder(own, { ts: request.ts, id: request.from });
    const isDeferred = sentIn(step, 'reply').length === 0;
    return isDeferred === (tags.has('critical') || (tags.has('waiting') && ownIsOlder));
  },
);

const oneMessage = everyStep(
  'a node sends at most one reply to a node at a time, and each reply counts a request',
  (step) => {
    const replies = sentIn(step, 'reply');
    return (
      new Set(replies.map(({ to }) => to)).size === replies.length &&
      replies.every(({ message }) => message.count > 0)
    );
  },
);

const nothingLeft = everyStep(
  'a node defers requests only while it waits or is in the critical section',
  (step) =>
    step.after.tags.has('waiting') ||
    step.after.tags.has('critical') ||
    isEach(step, (peer) => countOf(contextOf(step.after).deferred, peer) === 0),
);

const countsReplies = everyStep(
  'a request adds one missing reply for each other node, and a reply takes off as many as it counts',
  (step) => {
    const requested = isCommanded('acquire', step) ? 1 : 0;
    const reply = receivedIn(step, 'reply');
    return isEach(step, (peer) => {
      const is = countOf(contextOf(step.after).missing, peer);
      const came = reply?.from === peer ? reply.count : 0;
      return is >= 0 && is === countOf(contextOf(step.before).missing, peer) + requested - came;
    });
  },
);

/** Of all `entries` nodes inside, each is one whose reply may be missing; so one less may be. */
const mostPermit = everyStep(
  'a node enters exactly when fewer than k nodes have a reply to send to it',
  ({ before, after }) => {
    const { peers, missing, entries } = contextOf(after);
    const few = peers.filter((peer) => countOf(missing, peer) > 0).length < entries;
    const enters = after.tags.has('critical') && !before.tags.has('critical');
    return enters ? few : !(after.tags.has('waiting') && few);
  },
);

const countingRules: readonly Property[] = [
  requestGoesToAll,
  repliedOnce,
  defersYounger,
  oneMessage,
  nothingLeft,
  countsReplies,
  mostPermit,
  clockTicks(['request']),
];

/** The nodes that have not replied to every request. */
const missing = ({ context }: NodeView): readonly NodeId[] =>
  Object.entries(context.missing ?? {}).flatMap(([id, count]) => (count > 0 ? [id] : []));

/**
 * A20: up to k nodes in the critical section, by Ricart–Agrawala that enters with n−k replies.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example multipleEntries({ entries: 3 })
 */
export function multipleEntries(options: Options = {}): Protocol<CancellableCommand> {
  const { entries = 2, cancel = false } = validOptions(
    'multipleEntries',
    multipleEntriesOptions,
    options,
  );
  const definition: ProtocolDefinition<Message, Command> = {
    id: 'A20',
    name: 'multiple-entries',
    title: 'Raymond’s multiple entries',
    problem: 'k-exclusion',
    citation:
      'K. Raymond: A Distributed Algorithm for Multiple Entries to a Critical Section. Information Processing Letters 30:4, 1989, 189–193',
    options: { entries },
    topology: needs.complete,
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine,
        input: (self, topology) =>
          ({ self, peers: topology.successors(self), entries }) satisfies Input,
      },
    },
    messages: {
      request: {
        fields: ['ts'],
        counters: ['ts'],
        meaning: 'I request entry; `ts` is the time stamp of the request',
      },
      reply: {
        fields: ['count'],
        counters: ['count'],
        meaning: 'I reply to `count` of your requests',
      },
    },
    commands,
    properties: [
      ...propertiesWith(
        always(
          `at most ${entries === 1 ? 'one node is' : `${entries} nodes are`} in the critical section`,
          (system) => system.count('critical') <= entries,
        ),
      ),
      ...countingRules,
    ],
    waitsFor: missing,
    cost: {
      per: 'entry',
      formula: 'at most 2(n−1)',
      remark: 'at least 2n−k−1',
      messages: (n) => ({ least: n - 1 + Math.max(0, n - entries), most: 2 * (n - 1) }),
    },
  };
  if (!cancel) return defineProtocol(definition);
  return defineProtocol(
    withCancel(definition, { machines: { node: cancellableMachine }, withdraws: false }),
  );
}
