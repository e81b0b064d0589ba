/** What the option `revoke` adds to the protocol. */
import {
  everyStep,
  type NodeView,
  type Property,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import { isCommanded, stepsOf } from '../../../steps.js';
import { type Command, inCriticalSection } from '../../mutual-exclusion.js';
import { votersOf } from './configuration.js';
import type { Context, LeaseCommand, Message, PlainMessage } from './node.js';
import { hasLock } from './step-properties.js';

type Definition = ProtocolDefinition<Message, Command>;
type Revoke = Pick<ProtocolDefinition<Message, LeaseCommand>['commands'], 'revoke'>;

const { contextOf, receivedIn, sentIn } = stepsOf<Message, Context>();

const revokedBelow = (node: NodeView): number => contextOf(node).revoked?.floor ?? 0;

const rules: readonly Property[] = [
  everyStep(
    'a node that learns that its ballot is revoked leaves, and tells its application the reason',
    (step) => {
      const revoked = receivedIn(step, 'revoked');
      if (!revoked || !hasLock(step.before)) return true;
      if (revoked.floor <= contextOf(step.before).ballot) return hasLock(step.after);
      const told = step.notified.some((note) => 'why' in note && note.why === revoked.reason);
      return !hasLock(step.after) && told === inCriticalSection(step.before);
    },
  ),
  everyStep('a voter votes for no revoked ballot', (step) =>
    sentIn(step, 'vote').every(({ message }) => message.ballot >= revokedBelow(step.before)),
  ),
  everyStep(
    'a revocation goes to all, with a floor above each ballot that its node has seen',
    (step) => {
      if (!isCommanded('revoke', step)) return true;
      const sent = sentIn(step, 'revoked');
      const { nodes, largest } = contextOf(step.before);
      const told = new Set(sent.map(({ to }) => to).filter((to) => nodes.includes(to)));
      return (
        told.size === nodes.length - 1 &&
        sent.every(({ message }) => message.floor > largest) &&
        revokedBelow(step.after) > largest &&
        !hasLock(step.after)
      );
    },
  ),
  everyStep('a waiting client takes a new ballot when its ballot is revoked', (step) => {
    const revoked = receivedIn(step, 'revoked');
    if (!revoked || !step.before.tags.has('waiting')) return true;
    const { ballot: was, largest, reserve } = contextOf(step.before);
    const is = contextOf(step.after).ballot;
    const isCopy = reserve !== undefined && (revoked.ticket ?? 0) <= largest;
    return revoked.floor > was && !isCopy ? is >= revoked.floor : is === was;
  }),
  everyStep(
    'what is revoked stays revoked',
    ({ before, after }) =>
      revokedBelow(after) >= revokedBelow(before) && contextOf(after).floor >= revokedBelow(after),
  ),
];

/** A node that does not vote has not seen all requests: its floor might be too low. */
const isVoter = (node: NodeView): boolean => votersOf(contextOf(node)).includes(node.id);

/** @param allVote whether each node votes, for good */
export function withRevoke(
  definition: ProtocolDefinition<PlainMessage, Command>,
  allVote: boolean,
): Definition {
  const commands: Definition['commands'] & Revoke = {
    ...definition.commands,
    revoke: {
      kind: 'optional',
      fields: ['reason'],
      meaning: 'an operator takes the lock away from the node that has it',
      examples: [{ reason: 'by hand' }],
      ...(!allVote && { when: isVoter }),
    },
  };
  return {
    ...definition,
    options: { ...definition.options, revoke: true },
    messages: {
      ...definition.messages,
      revoked: {
        fields: ['floor', 'reason'],
        counters: ['floor'],
        meaning: 'no smaller ballot than `floor` may enter, and who is inside by one leaves',
      },
    },
    commands,
    properties: [...definition.properties, ...rules],
  };
}
