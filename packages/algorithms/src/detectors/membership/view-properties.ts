/** What each step of a member must do about views and multicasts. */

import { everyStep, type NodeStep, type Property } from '@conclave/core/protocol';
import { ofNode } from '../../by-node.js';
import { isCommanded, receiversIn } from '../../steps.js';
import { type Decision, union, without } from './member.js';
import {
  contextOf,
  hasEach,
  isMember,
  isTold,
  isWithoutEffect,
  receivedIn,
  sentIn,
} from './step-properties.js';

/** The entries of a decision that this node lacked, all of which it must have delivered. */
function deliversRest(step: NodeStep, { number, entries }: Decision): boolean {
  const before = contextOf(step.before);
  if (!isMember(step.before) || number !== before.number + 1) return true;
  const missing = entries.filter(
    ({ stream, position }) => position > (before.delivered[stream] ?? 0),
  );
  const told = step.notified.flatMap((one) =>
    one.type === 'deliver' ? [JSON.stringify(one)] : [],
  );
  return missing.every(({ from, sequence, data }) =>
    told.some(
      (text) =>
        text === JSON.stringify({ type: 'deliver', from, sequence, data, view: before.number }),
    ),
  );
}

const views: readonly Property[] = [
  everyStep(
    'a node decides on the next view only after its own flush, unless it is alone',
    (step) => {
      const { self, coordinator, number } = contextOf(step.before);
      const isNew = sentIn(step, 'new-view').some(
        ({ message: one }) => one.by === self && one.number > number,
      );
      return (
        !isNew ||
        coordinator === self ||
        receiversIn(step, 'flush').length > 0 ||
        contextOf(step.after).decision?.members.every((id) => id === self) === true
      );
    },
  ),
  everyStep(
    'the application is told once that its node is no member, and asked once for its state',
    ({ notified }) =>
      [['left', 'excluded'], ['snapshot-wanted']].every(
        (types) => notified.filter(({ type }) => types.includes(type)).length <= 1,
      ),
  ),
  everyStep(
    'with state transfer, newcomers are welcomed when the application has given its state',
    (step) =>
      !contextOf(step.before).stateTransfer ||
      receiversIn(step, 'welcome').length === 0 ||
      isCommanded('snapshot', step),
  ),
  everyStep('a crash is counted once', (step) => {
    const [before, after] = [contextOf(step.before).crashes, contextOf(step.after).crashes];
    return Object.keys(after).every(
      (id) => (ofNode(after, id) ?? 0) <= (ofNode(before, id) ?? 0) + 1,
    );
  }),
  everyStep(
    'a decision of the coordinator that a member follows is installed or taken over; a known one has no effect',
    (step) => {
      const decision = receivedIn(step, 'new-view');
      const { coordinator, number } = contextOf(step.before);
      if (!decision || !isMember(step.before)) return true;
      if (decision.number <= number) return isWithoutEffect(step);
      if (coordinator !== null && coordinator !== decision.from) return true;
      return contextOf(step.after).number >= decision.number;
    },
  ),
  everyStep(
    'a member that goes on to the next view, or leaves, delivers what it lacks of the old one',
    (step) => {
      const decision = receivedIn(step, 'new-view');
      return (
        !decision || contextOf(step.after).number < decision.number || deliversRest(step, decision)
      );
    },
  ),
  everyStep(
    'who decides tells the live members the next view, and those that have joined',
    (step) => {
      const before = contextOf(step.before);
      const { self, decision, down } = contextOf(step.after);
      const isOver = isTold(step, 'view') || isTold(step, 'left') || isTold(step, 'excluded');
      if (
        !isOver ||
        decision?.by !== self ||
        !isMember(step.before) ||
        decision.number !== before.number + 1
      )
        return true;
      const told = [...receiversIn(step, 'new-view'), ...receiversIn(step, 'welcome')];
      return hasEach(
        told,
        without(union(before.members, decision.members), [...down, ...before.down, self]),
      );
    },
  ),
  everyStep(
    'the application is asked for its state when all have answered and one joins',
    (step) =>
      isTold(step, 'snapshot-wanted') ===
      (step.after.tags.has('handover') && !step.before.tags.has('handover')),
  ),
];

const multicasts: readonly Property[] = [
  everyStep('a node that joins keeps messages of the application until it is a member', (step) => {
    const one = receivedIn(step, 'message') ?? receivedIn(step, 'submit');
    const isJoining = step.before.tags.has('joining') && step.after.tags.has('joining');
    return (
      !one || !isJoining || contextOf(step.after).early.length > contextOf(step.before).early.length
    );
  }),
  everyStep('a message that arrives in its view is acknowledged to its sender', (step) => {
    const one = receivedIn(step, 'message');
    return (
      !one ||
      one.view !== contextOf(step.before).number ||
      receiversIn(step, 'acknowledge').every((id) => id === one.from)
    );
  }),
  everyStep(
    'a multicast is numbered, and delivered or submitted at once, or kept during a flush',
    (step) => {
      if (!isCommanded('multicast', step)) return true;
      const [before, after] = [contextOf(step.before), contextOf(step.after)];
      if (after.sequence !== before.sequence + 1) return false;
      if (step.before.tags.has('waiting'))
        return step.sent.length === 0 && after.queued.length === before.queued.length + 1;
      return (
        receiversIn(step, 'message').length + receiversIn(step, 'submit').length > 0 ||
        isTold(step, 'deliver')
      );
    },
  ),
  everyStep(
    'a member says of its messages that all have them only as far as all have acknowledged',
    (step) => {
      const { acknowledged, members, self } = contextOf(step.after);
      const others = without(members, [self]);
      return sentIn(step, 'message').every(
        ({ message: { stable, position } }) =>
          stable < position && others.every((id) => (ofNode(acknowledged, id) ?? 0) >= stable),
      );
    },
  ),
  everyStep(
    'a member acknowledges each message whose position is a multiple of the window, once, when it has delivered it',
    (step) => {
      const one = receivedIn(step, 'message');
      const { window, delivered, number } = contextOf(step.after);
      const acknowledged = sentIn(step, 'acknowledge');
      if (!one || one.view !== number || step.after.tags.has('waiting'))
        return acknowledged.every(({ message }) => message.position % window === 0);
      return (
        acknowledged.length ===
        (one.position % window === 0 && ofNode(delivered, one.from) === one.position ? 1 : 0)
      );
    },
  ),
  everyStep('an acknowledgement of this view is noted', (step) => {
    const one = receivedIn(step, 'acknowledge');
    if (!one || !isMember(step.before)) return true;
    const { number, coordinator } = contextOf(step.before);
    if (one.view !== number || coordinator !== null)
      return (
        contextOf(step.after).acknowledged === contextOf(step.before).acknowledged ||
        one.view > number ||
        isWithoutEffect(step)
      );
    return ofNode(contextOf(step.after).acknowledged, one.from) === one.position;
  }),
];

export const viewProperties: readonly Property[] = [...views, ...multicasts];
