/**
 * The option `announce`: the node that has the lock tells all others, so that each knows which node
 * leads, also where its own vote went to another one. Rules AN1–AN3: README.md
 */
import { type AnyStateMachine, not, stateIn } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { ballotIn, type Given, sender, tell } from './actions.js';
import { member } from './leased-majority.js';

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
