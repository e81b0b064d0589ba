/**
 * The option `announce`: the node that has the lock tells all others, so that each knows which node
 * leads, also where its own vote went to another one. Rules AN1–AN3: README.md
 */
import {
  always,
  everyStep,
  leadsTo,
  type NodeView,
  type Property,
  type ProtocolDefinition,
  sometimes,
} from '@conclave/core/protocol';
import { type AnyStateMachine, not, stateIn } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { stepsOf } from '../../../steps.js';
import { type Command, inCriticalSection } from '../../mutual-exclusion.js';
import { ballotIn, type Given, ownerOf, sender, tell } from './actions.js';
import { member } from './leased-majority.js';
import type { Announcement, Context, Following, Message, PlainMessage } from './node.js';
import { isDue } from './properties.js';

const implementations = {
  actions: {
    announce: tell(
      ({ context: { self, nodes } }) => nodes.filter((id) => id !== self),
      ({ context: { ballot } }) => ({ type: 'leader', ballot }),
    ),
    enterTerm: member.assign(({ context: { ballot } }) => ({ term: ballot })),
    show: member.assign(({ context, event }) => ({
      leader: sender({ context, event })[0] ?? '',
      term: ballotIn(event),
    })),
    hide: member.assign({ leader: '' }),
    endTerm: member.assign(({ context: { term = 0 } }) => ({ term: term + 1 })),
  },
  guards: {
    isNoEarlier: ({ context: { term = 0 }, event }: Given) => ballotIn(event) >= term,
    endsTheTerm: ({ context: { term }, event }: Given) => ballotIn(event) === term,
  },
  delays: {
    announcement: ({ context }: Pick<Given, 'context'>) => context.renewal,
    silence: ({ context }: Pick<Given, 'context'>) => context.lease,
  },
};

const known = member.extend(implementations);

const leads = stateIn({ client: 'held' });
const earlier = { description: 'AN2: of an earlier term' } as const;
const told = {
  guard: 'isNoEarlier',
  target: 'known',
  reenter: true,
  actions: 'show',
  description: 'AN2',
} as const;

const announcing = known.createStateConfig({
  initial: 'off',
  states: {
    off: {
      always: {
        ...{ guard: leads, target: 'on', actions: ['enterTerm', 'announce'] },
        description: 'AN1',
      },
    },
    on: {
      always: { guard: not(leads), target: 'off', description: 'AN1' },
      after: {
        announcement: { target: 'on', reenter: true, actions: 'announce', description: 'AN1' },
      },
    },
  },
});

const view = known.createStateConfig({
  initial: 'unknown',
  states: {
    unknown: { on: { leader: [told, earlier] } },
    known: {
      tags: 'told',
      always: { guard: leads, target: 'unknown', actions: 'hide', description: 'AN3' },
      on: {
        leader: [told, earlier],
        released: {
          ...{ guard: 'endsTheTerm', target: 'unknown', actions: ['hide', 'endTerm'] },
          description: 'AN3',
        },
      },
      after: { silence: { target: 'unknown', actions: 'hide', description: 'AN3' } },
    },
  },
});

export const announcingOf = (of: AnyStateMachine): AnyStateMachine =>
  extend(
    `announcing-${of.id}`,
    of.provide(implementations),
    { announcing, view },
    { leader: '', term: 0 },
  );

// The option `announce`, as a change of the protocol without it.

const { contextOf, receivedIn, sentIn } = stepsOf<Message | Announcement, Context>();

const termOf = (node: NodeView): number => contextOf(node).term ?? 0;
const showsLeader = (node: NodeView): boolean =>
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
    return !showsLeader(after) || isSame || receivedIn(step, 'leader')?.from === shownBy(after);
  }),
  everyStep(
    'a node shows a leader no longer when that one leaves, when it has said nothing for a lease, and when the node itself leads',
    (step) => {
      const { before, after } = step;
      if (!showsLeader(before)) return true;
      const hasLeft = receivedIn(step, 'released')?.ballot === termOf(before);
      if (hasLeft && termOf(after) === termOf(before)) return false; // it might be shown again
      const isOver = hasLeft || isDue(step, 'silence');
      return isOver || inCriticalSection(after) ? !showsLeader(after) : showsLeader(after);
    },
  ),
  everyStep(
    'the term that a node shows does not fall',
    ({ before, after }) => termOf(after) >= termOf(before),
  ),
  always('a term that a node shows is one of the node that it shows', ({ nodes }) =>
    nodes
      .filter(showsLeader)
      .every((node) => ownerOf(contextOf(node), termOf(node)) === shownBy(node)),
  ),
  always('a node shows a leader exactly as long as it counts as told', ({ nodes }) =>
    nodes.every((node) => node.crashed || node.tags.has('told') === showsLeader(node)),
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
