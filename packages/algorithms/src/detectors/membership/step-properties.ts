/**
 * What each step of a member must do, and how its context and its state belong together: the rules
 * once more, in groups, as predicates that know nothing of the machine. Most are implications. What
 * returns `true` early, or stands before the last `||`, says to which steps a rule does not apply.
 */
import {
  always,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { ofNode } from '../../by-node.js';
import { isCommanded, receiversIn, sameIds, stepsOf } from '../../steps.js';
import {
  actingCoordinator,
  type Context,
  type Decision,
  type Message,
  union,
  without,
} from './member.js';

export const { contextOf, receivedIn, sentIn } = stepsOf<Message, Context>();

export const isNotified = ({ notified }: NodeStep, type: string): boolean =>
  notified.some((one) => one.type === type);

export const isMember = ({ tags }: NodeView): boolean => tags.has('member');

export const hasEach = (ids: readonly NodeId[], wanted: readonly NodeId[]): boolean =>
  wanted.every((id) => ids.includes(id));

/** All but those of multicasts. */
const controlTypes: readonly Message['type'][] = [
  'join-request',
  'leave-request',
  'flush',
  'flushed',
  'new-view',
  'welcome',
];

/** Whether a step leaves a node as it was, and sends nothing. */
export const isWithoutEffect = ({ before, after, sent, notified }: NodeStep): boolean =>
  sent.length === 0 &&
  notified.length === 0 &&
  JSON.stringify([before.value, before.context]) === JSON.stringify([after.value, after.context]);

const states: readonly Property[] = [
  always('a node is a member exactly if its view includes it', ({ nodes }) =>
    nodes.every(
      (node) => node.crashed || isMember(node) === contextOf(node).members.includes(node.id),
    ),
  ),
  always(
    'a member waits exactly from its answer to a coordinator, or its own flush, until the next view',
    ({ nodes }) =>
      nodes.every(
        (node) =>
          node.crashed ||
          !isMember(node) ||
          node.tags.has('waiting') === (contextOf(node).coordinator !== null),
      ),
  ),
  always(
    'a coordinator collects until all have answered; then it decides, or waits for the state of its application',
    ({ nodes }) =>
      nodes.every((node) => {
        const { coordinator, awaiting, self } = contextOf(node);
        return (
          node.crashed ||
          node.tags.has('handover') ||
          (isMember(node) && coordinator === self) === awaiting.length > 0
        );
      }),
  ),
  always(
    'a message waits once for its view, unless it asks to leave',
    ({ nodes }) =>
      nodes.every((node) => {
        const early = contextOf(node).early.flatMap((one) =>
          one.type === 'leave-request' ? [] : [JSON.stringify(one)],
        );
        return new Set(early).size === early.length;
      }),
    { vacuous: 'no message may be early' },
  ),
  always('a member keeps no message of its own if it knows that all have it', ({ nodes }) =>
    nodes.every((node) => {
      const { self, members, acknowledged, log } = contextOf(node);
      const others = without(members, [self]);
      const isStable = (position: number) =>
        others.every((id) => (ofNode(acknowledged, id) ?? 0) >= position);
      return (
        node.crashed ||
        !isMember(node) ||
        node.tags.has('waiting') ||
        !log.some((one) => one.stream === self && isStable(one.position))
      );
    }),
  ),
];

/** GM4, GM5, GM9, GM10: who joins, leaves, or is left out. */
const joins: readonly Property[] = [
  everyStep(
    'an attempt to join has a new number and is sent to all others, when the application asks, or the coordinator crashes or decides without this attempt',
    (step) => {
      const { attempt, peers, down } = contextOf(step.after);
      const { attempt: last, coordinator, number } = contextOf(step.before);
      if (attempt === last) {
        const next = receivedIn(step, 'new-view');
        const welcome = receivedIn(step, 'welcome');
        const isLeft =
          step.before.tags.has('joining') &&
          coordinator !== null &&
          (down.includes(coordinator) ||
            (next?.from === coordinator && next.number > number) ||
            (welcome?.from === coordinator && ofNode(welcome.admitted, step.after.id) !== attempt));
        return !isLeft && !isCommanded('join', step);
      }
      return (
        attempt > last &&
        sameIds(receiversIn(step, 'join-request'), peers) &&
        sentIn(step, 'join-request').every(({ message }) => message.attempt === attempt)
      );
    },
  ),
  everyStep(
    'a node repeats its attempt to join only to a node with a new attempt, and only until a coordinator asks it',
    (step) => {
      const { attempt, joining, coordinator } = contextOf(step.before);
      if (contextOf(step.after).attempt !== attempt) return true;
      const other = receivedIn(step, 'join-request');
      const isMissing =
        other !== undefined &&
        step.before.tags.has('joining') &&
        coordinator === null &&
        other.attempt > (ofNode(joining, other.from) ?? 0);
      return (
        sameIds(receiversIn(step, 'join-request'), isMissing ? [other.from] : []) &&
        sentIn(step, 'join-request').every(({ message }) => message.attempt === attempt)
      );
    },
  ),
  everyStep('a node that asks to join goes on until it is a member', (step) => {
    const isJoining = step.after.tags.has('joining');
    if (step.before.tags.has('joining')) return isJoining || isNotified(step, 'view');
    return isCommanded('join', step) ? isJoining : !isJoining;
  }),
  everyStep(
    'a node tells its application when it becomes a member, and when it stops being one',
    (step) => {
      const [was, is] = [isMember(step.before), isMember(step.after)];
      if (is && (!was || contextOf(step.before).number !== contextOf(step.after).number))
        return isNotified(step, 'view');
      return (was && !is) === (isNotified(step, 'left') || isNotified(step, 'excluded'));
    },
  ),
  everyStep(
    'a member that wants to leave is noted, and asks the coordinator unless it flushes',
    (step) => {
      if (!isCommanded('leave', step) || isNotified(step, 'left')) return true;
      const { self, leaving } = contextOf(step.after);
      const acting = actingCoordinator(contextOf(step.before));
      const receivers =
        step.before.tags.has('waiting') || acting === undefined || acting === self ? [] : [acting];
      return leaving.includes(self) && sameIds(receiversIn(step, 'leave-request'), receivers);
    },
  ),
];

/** GM6, GM7, GM11, GM12: `flush` and its answers. */
const flushes: readonly Property[] = [
  everyStep(
    'a step sends each node at most one control message of a type, or two if the node has asked early',
    (step) =>
      controlTypes.every((type) => {
        const isAsked =
          (type === 'new-view' || type === 'flush') && contextOf(step.before).early.length > 0;
        return isAsked || new Set(receiversIn(step, type)).size === receiversIn(step, type).length;
      }),
  ),
  everyStep(
    'a node that begins a flush asks all live members, and those that want to join',
    (step) => {
      const { self, coordinator, number, members, newcomers, down, joining } = contextOf(
        step.after,
      );
      const before = contextOf(step.before);
      if (coordinator !== self || (before.coordinator === self && before.number === number))
        return true;
      return (
        hasEach(
          receiversIn(step, 'flush'),
          without(union(without(members, [self]), Object.keys(newcomers)), down),
        ) && hasEach(Object.keys(newcomers), Object.keys(joining))
      );
    },
  ),
  everyStep('a node that turns to a coordinator sends it the messages that it has', (step) => {
    const { self, coordinator, number } = contextOf(step.after);
    const before = contextOf(step.before);
    if (
      coordinator === null ||
      coordinator === self ||
      (before.coordinator === coordinator && before.number === number)
    )
      return true;
    return receiversIn(step, 'flushed').includes(coordinator);
  }),
  everyStep(
    'only its coordinator, or a coordinator of a later view, gets the messages that a node has',
    (step) => {
      const { coordinator, number } = contextOf(step.after);
      const flush = receivedIn(step, 'flush');
      const { early } = contextOf(step.before);
      return receiversIn(step, 'flushed').every(
        (id) =>
          id === coordinator ||
          (flush?.from === id && (flush.view >= number || step.before.tags.has('joining'))) ||
          early.some(({ type, from }) => type === 'flush' && from === id),
      );
    },
  ),
  everyStep(
    'a member answers a flush of this view, unless it has answered a later coordinator',
    (step) => {
      const flush = receivedIn(step, 'flush');
      const { coordinator, number, members } = contextOf(step.before);
      if (
        !flush ||
        !isMember(step.before) ||
        flush.view !== number ||
        !members.includes(flush.from)
      )
        return true;
      if (coordinator !== null && flush.from < coordinator) return isWithoutEffect(step);
      return (
        contextOf(step.after).coordinator === flush.from &&
        sameIds(receiversIn(step, 'flushed'), [flush.from])
      );
    },
  ),
  everyStep('a member follows the next coordinator when its own crashes', (step) => {
    const { coordinator, number } = contextOf(step.before);
    const after = contextOf(step.after);
    const hasCrashed =
      step.cause.kind === 'message' &&
      step.cause.message.type === 'down' &&
      step.cause.from === coordinator;
    return (
      !hasCrashed ||
      after.number > number ||
      !isMember(step.after) ||
      after.coordinator === actingCoordinator(after)
    );
  }),
  everyStep(
    'an old coordinator gets the next view, or learns that a node does not want to join',
    (step) => {
      const flush = receivedIn(step, 'flush');
      const { number } = contextOf(step.before);
      if (!flush || step.before.tags.has('joining')) return true;
      if (flush.view < number) return sameIds(receiversIn(step, 'new-view'), [flush.from]);
      return isMember(step.before) || sameIds(receiversIn(step, 'leave-request'), [flush.from]);
    },
  ),
  everyStep('an answer counts, waits for its view, or is answered with the next view', (step) => {
    const flushed = receivedIn(step, 'flushed');
    const { number, awaiting } = contextOf(step.before);
    if (!flushed || step.before.tags.has('joining')) return true;
    const { from, view } = flushed;
    const after = contextOf(step.after);
    const isKept = after.early.some((one) => one.type === 'flushed' && one.from === from);
    // a node that hands over asks again in that view
    const isAskedLater = after.number > number || step.before.tags.has('handover');
    // a restarted node is outside
    if (view > number) return !isMember(step.before) || isKept || isAskedLater;
    if (view > 0 && view < number)
      return (
        sameIds(receiversIn(step, 'new-view'), [from]) &&
        (!awaiting.includes(from) || sameIds(receiversIn(step, 'flush'), [from]))
      );
    if (awaiting.includes(from)) return after.number > number || !after.awaiting.includes(from);
    return (
      !isMember(step.before) || step.before.tags.has('handover') || awaiting.length > 0 || isKept
    );
  }),
];

export const stepProperties: readonly Property[] = [...states, ...joins, ...flushes];

/** Whether a step delivers all entries of a decision that its node lacked. */
function deliversRest(step: NodeStep, { number, entries }: Decision): boolean {
  const before = contextOf(step.before);
  if (!isMember(step.before) || number !== before.number + 1) return true;
  const missing = entries.filter(
    ({ stream, position }) => position > (before.delivered[stream] ?? 0),
  );
  const notified = step.notified.map((one) => JSON.stringify(one));
  return missing.every(({ from, sequence, data }) =>
    notified.includes(
      JSON.stringify({ type: 'deliver', from, sequence, data, view: before.number }),
    ),
  );
}

/** GM8, GM9, GM11, GM14: the decision on the next view. */
const views: readonly Property[] = [
  everyStep(
    'a node decides on the next view only after its own flush, unless it is alone',
    (step) => {
      const { self, coordinator, number } = contextOf(step.before);
      const isNew = sentIn(step, 'new-view').some(
        ({ message }) => message.by === self && message.number > number,
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
    'a node tells its application once that it is no member, and asks it once for its state',
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
    'the coordinator that decides sends the next view to the live members and to the newcomers',
    (step) => {
      const before = contextOf(step.before);
      const { self, decision, down } = contextOf(step.after);
      const isOver =
        isNotified(step, 'view') || isNotified(step, 'left') || isNotified(step, 'excluded');
      if (
        !isOver ||
        decision?.by !== self ||
        !isMember(step.before) ||
        decision.number !== before.number + 1
      )
        return true;
      return hasEach(
        [...receiversIn(step, 'new-view'), ...receiversIn(step, 'welcome')],
        without(union(before.members, decision.members), [...down, ...before.down, self]),
      );
    },
  ),
  everyStep(
    'the coordinator asks its application for its state when all have answered and a node joins',
    (step) =>
      isNotified(step, 'snapshot-wanted') ===
      (step.after.tags.has('handover') && !step.before.tags.has('handover')),
  ),
];

/** GM2, GM3, GM12, GM13. */
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
        isNotified(step, 'deliver')
      );
    },
  ),
  everyStep(
    'a member reports its messages as stable only if all have acknowledged them',
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
