/** The option `announce`, as a change of the protocol without it. */
import {
  always,
  everyStep,
  leadsTo,
  type NodeView,
  type Property,
  type ProtocolDefinition,
  sometimes,
} from '@conclave/core/protocol';
import { stepsOf } from '../../../steps.js';
import { type Command, inCriticalSection } from '../../mutual-exclusion.js';
import { ownerOf } from './actions.js';
import type { Announcement, Context, Following, Message, PlainMessage } from './node.js';
import { isDue } from './step-properties.js';

const { contextOf, receivedIn, sentIn } = stepsOf<Message | Announcement, Context>();

const termOf = (node: NodeView): number => contextOf(node).term ?? 0;
const shows = (node: NodeView): boolean =>
  contextOf(node).term !== undefined && shownBy(node) !== '';
const shownBy = (node: NodeView): string => contextOf(node).leader ?? '';

const rules: readonly Property[] = [
  everyStep('a node that gets the lock tells all others, and again at each renewal', (step) => {
    const { before, after } = step;
    const told = sentIn(step, 'leader');
    const { nodes, ballot } = contextOf(after);
    const isNew = inCriticalSection(after) && !inCriticalSection(before);
    const isAgain = inCriticalSection(after) && isDue(step, 'announcement');
    const receivers = isNew || isAgain ? nodes.filter((id) => id !== after.id) : [];
    if (isNew && termOf(after) !== ballot) return false;
    return (
      String(told.map(({ to }) => to)) === String(receivers) &&
      told.every(({ message }) => message.ballot === ballot)
    );
  }),
  everyStep(
    'a node shows the leader that tells it so, unless that is of an earlier term',
    (step) => {
      const told = receivedIn(step, 'leader');
      if (!told) return true;
      const { before, after } = step;
      if (told.ballot < termOf(before) || inCriticalSection(after))
        return shownBy(after) === shownBy(before);
      return shownBy(after) === told.from && termOf(after) === told.ballot;
    },
  ),
  everyStep('a node begins to show a leader only by what that one says', (step) => {
    const { before, after } = step;
    const isSame = shownBy(before) === shownBy(after) && termOf(before) === termOf(after);
    return !shows(after) || isSame || receivedIn(step, 'leader')?.from === shownBy(after);
  }),
  everyStep(
    'a node shows a leader no longer when that one leaves, when it has said nothing for a lease, and when the node itself leads',
    (step) => {
      const { before, after } = step;
      if (!shows(before)) return true;
      const hasLeft = receivedIn(step, 'released')?.ballot === termOf(before);
      if (hasLeft && termOf(after) === termOf(before)) return false; // it might be shown again
      const isOver = hasLeft || isDue(step, 'silence');
      return isOver || inCriticalSection(after) ? !shows(after) : shows(after);
    },
  ),
  everyStep(
    'the term that a node shows does not fall',
    ({ before, after }) => termOf(after) >= termOf(before),
  ),
  always('a term that a node shows is one of the node that it shows', ({ nodes }) =>
    nodes.filter(shows).every((node) => ownerOf(contextOf(node), termOf(node)) === shownBy(node)),
  ),
  always('a node shows a leader exactly as long as it counts as told', ({ nodes }) =>
    nodes.every((node) => node.crashed || node.tags.has('told') === shows(node)),
  ),
  leadsTo(
    'a leader that has left or crashed is not shown for ever',
    ({ tags }) => tags.has('told'),
    ({ tags, crashed }) => crashed || !tags.has('told'),
  ),
  sometimes('a node shows a leader', (system) => system.count('told') > 0),
];

export function withAnnouncements(
  definition:
    | ProtocolDefinition<PlainMessage, Command>
    | ProtocolDefinition<Message, Command>
    | ProtocolDefinition<PlainMessage | Following, Command>,
): ProtocolDefinition<PlainMessage | Announcement, Command> {
  return {
    ...definition,
    options: { ...definition.options, announce: true },
    messages: {
      ...definition.messages,
      leader: { fields: ['ballot'], counters: ['ballot'], meaning: 'I have the lock, by `ballot`' },
    },
    properties: [...definition.properties, ...rules],
  };
}
