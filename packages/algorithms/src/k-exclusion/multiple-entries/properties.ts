/** Properties of each step of a node that counts replies, by the rules of README.md. */
import { everyStep, type NodeId, type NodeStep, type Property } from '@conclave/core/protocol';
import {
  clockTicks,
  requestGoesToAll,
} from '../../mutual-exclusion/permission/building-blocks/clock-rules.js';
import { isOlder } from '../../mutual-exclusion/permission/building-blocks/requests.js';
import { countOf } from '../../mutual-exclusion/token/building-blocks/token-knowledge.js';
import { isCommanded, stepsOf } from '../../steps.js';
import type { Context, Message } from './multiple-entries.js';

const { contextOf, receivedIn, sentIn } = stepsOf<Message, Context>();

const isEach = ({ after }: NodeStep, holds: (peer: NodeId) => boolean): boolean =>
  contextOf(after).peers.every(holds);

const repliedOnce = everyStep(
  'each request is counted in one reply: immediately, or later if it was deferred',
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
  'a node sends at most one reply to a node at a time, and none that counts no request',
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
  'a node misses one reply more of each other node when it requests, and as many less as a reply counts',
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

export const countingRules: readonly Property[] = [
  requestGoesToAll,
  repliedOnce,
  defersYounger,
  oneMessage,
  nothingLeft,
  countsReplies,
  mostPermit,
  clockTicks(['request']),
];
