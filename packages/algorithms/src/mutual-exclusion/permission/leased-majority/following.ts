/**
 * The option `follow`, with `servers`: clients that never have the lock, and know which server has
 * it, that is, who leads. Only the leader says so, and a client believes it for less time than the
 * votes bind, from its own question on. Rules EF1–EF7: README.md
 */
import { send } from '@conclave/core/protocol';
import { type AnyStateMachine, and, assertEvent, not, or, stateIn } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { ballotIn, everyone, type Given, tell } from './actions.js';
import { countsFrom } from './configuration.js';
import { initialContext, member, stopwatch } from './leased-majority.js';
import type { Context, Event, Follower } from './node.js';

const askedIn = (event: Event): number => ('asked' in event ? event.asked : 0);

/** Votes given after the question came: those of a round that began later. */
const hasProof = (context: Context, { waits, round }: Follower): boolean =>
  waits && countsFrom(context, round);

/** A client that has asked nothing for a lease is forgotten. */
const isSilent = ({ round, validity, renewal }: Context, follower: Follower): boolean =>
  !follower.waits && follower.round + validity / renewal < round;

const implementations = {
  actions: {
    note: member.assign(({ context, event }) => {
      assertEvent(event, 'follow');
      const { followers = [], round } = context;
      const { from: id, asked } = event;
      const known = followers.find((one) => one.id === id);
      if (known && known.asked > asked) return {}; // it came late
      const first = known?.asked === asked ? known.round : round + 1;
      const others = followers.filter((one) => one !== known);
      return { followers: [...others, { id, asked, round: first, waits: true }] };
    }),
    answer: member.enqueueActions(({ context, enqueue }) => {
      const { ballot, followers = [] } = context;
      for (const one of followers)
        if (hasProof(context, one))
          enqueue.emit(send(one.id, { type: 'leads', ballot, asked: one.asked }));
      enqueue.assign({
        followers: followers
          .filter((one) => !isSilent(context, one))
          .map((one) => (hasProof(context, one) ? { ...one, waits: false } : one)),
      });
    }),
    tellEnd: tell(
      ({ context: { followers = [] } }) => followers.map(({ id }) => id),
      ({ context: { ballot } }) => ({ type: 'ended', ballot }),
    ),
    forgetFollowers: member.assign({ followers: [] }),
  },
  guards: {
    isStranger: ({ context: { followers = [] }, event }: Given) =>
      'from' in event && !followers.some(({ id }) => id === event.from),
    hasAnswers: ({ context }: Given) =>
      context.followers?.some((one) => hasProof(context, one)) ?? false,
  },
};

const serving = member.extend(implementations);

const leads = stateIn({ client: 'held' });

const leading = serving.createStateConfig({
  initial: 'off',
  states: {
    off: {
      always: { guard: leads, target: 'on', description: 'EF2' },
      on: { follow: { description: 'EF2: it does not lead' } },
    },
    on: {
      always: [
        {
          guard: not(leads),
          target: 'off',
          actions: ['tellEnd', 'forgetFollowers'],
          description: 'EF5',
        },
        { guard: 'hasAnswers', actions: 'answer', description: 'EF3' },
      ],
      on: {
        follow: [
          {
            guard: and(['isStranger', 'thisRoundCounts']),
            actions: ['note', 'renew'],
            description: 'EF4',
          },
          { actions: 'note', description: 'EF3' },
        ],
      },
    },
  },
});

const held = serving.createStateConfig({
  on: {
    renew: {
      target: 'held',
      reenter: true,
      actions: ['nextRound', 'startStopwatch', 'request'],
      description: 'EF4',
    },
  },
});

/** A server that tells clients that it leads. */
export const leadingOf = (of: AnyStateMachine): AnyStateMachine =>
  extend(
    `leading-${of.id}`,
    of.provide(implementations),
    { client: { states: { held } }, leading },
    { followers: [] },
  );

/** The latest question of this parity, or a later one, has an answer. */
const isAnswered =
  (latest: (asked: number) => number) =>
  ({ context: { asked = 0, answered = 0 } }: Given) =>
    answered > 0 && answered >= latest(asked);

/** Another question would stop the stopwatch of one that may still be answered. */
const isOpen = and([
  'isUnanswered',
  or([
    and([stateIn({ evens: 'running' }), 'isEven']),
    and([stateIn({ odds: 'running' }), not('isEven')]),
  ]),
]);

const isShown = or([
  and([stateIn({ evens: 'running' }), 'evenIsAnswered']),
  and([stateIn({ odds: 'running' }), 'oddIsAnswered']),
]);

const following = member.extend({
  actions: {
    nextQuestion: member.assign(({ context: { asked = 0 } }) => ({ asked: asked + 1 })),
    startItsStopwatch: member.raise(({ context: { asked = 0 } }) => ({
      type: asked % 2 === 0 ? 'even' : 'odd',
    })),
    ask: tell(everyone, ({ context: { asked = 0 } }) => ({ type: 'follow', asked })),
    show: member.assign(({ context, event }) => {
      assertEvent(event, 'leads');
      const { floor, leader, answered = 0 } = context;
      const isSame = leader !== '' && event.ballot === floor;
      return {
        leader: event.from,
        floor: event.ballot,
        answered: isSame ? Math.max(answered, event.asked) : event.asked,
      };
    }),
    hide: member.assign({ leader: '', answered: 0 }),
    refuseTerm: member.assign(({ event }) => ({ floor: ballotIn(event) + 1 })),
  },
  guards: {
    isShown,
    evenIsAnswered: isAnswered((asked) => asked - (asked % 2)),
    oddIsAnswered: isAnswered((asked) => asked - 1 + (asked % 2)),
    isOpen,
    isUnanswered: ({ context: { asked = 0, answered = 0 } }: Given) => answered < asked,
    isEven: ({ context: { asked = 0 } }: Given) => asked % 2 === 0,
    asksAgain: ({ context: { asked = 0, questions = Infinity } }: Given) => asked < questions,
    isAnswer: ({ context, event }: Given) =>
      ballotIn(event) >= context.floor &&
      askedIn(event) <= (context.asked ?? 0) &&
      askedIn(event) >= (context.asked ?? 0) - 1,
    isNoEarlier: ({ context, event }: Given) => ballotIn(event) >= context.floor,
  },
  delays: { halfRenewal: ({ context }) => context.renewal / 2 },
});

const late = { description: 'EF6: of an earlier term, or an earlier question' } as const;
const earlier = { description: 'EF5: of an earlier term' } as const;

/** A client: it asks, and shows who leads. */
export const followerMachine = following.createMachine({
  id: 'lease-follower',
  context: (of) => ({ ...initialContext(of), leader: '', asked: 0, answered: 0 }),
  type: 'parallel',
  states: {
    asking: {
      initial: 'first',
      states: {
        first: {
          always: {
            target: 'later',
            actions: ['nextQuestion', 'startItsStopwatch', 'ask'],
            description: 'EF1',
          },
        },
        later: {
          after: {
            halfRenewal: [
              {
                guard: 'isOpen',
                target: 'later',
                reenter: true,
                actions: 'ask',
                description: 'EF1',
              },
              {
                guard: 'asksAgain',
                target: 'later',
                reenter: true,
                actions: ['nextQuestion', 'startItsStopwatch', 'ask'],
                description: 'EF1',
              },
            ],
          },
        },
      },
    },
    evens: stopwatch('even'),
    odds: stopwatch('odd'),
    view: {
      initial: 'unknown',
      states: {
        unknown: {
          on: {
            leads: [
              { guard: 'isAnswer', target: 'known', actions: 'show', description: 'EF6' },
              late,
            ],
            ended: [{ guard: 'isNoEarlier', actions: 'refuseTerm', description: 'EF5' }, earlier],
          },
        },
        known: {
          tags: 'informed',
          always: {
            guard: not('isShown'),
            target: 'unknown',
            actions: 'hide',
            description: 'EF7',
          },
          on: {
            leads: [{ guard: 'isAnswer', actions: 'show', description: 'EF6' }, late],
            ended: [
              {
                guard: 'isNoEarlier',
                target: 'unknown',
                actions: ['refuseTerm', 'hide'],
                description: 'EF5',
              },
              earlier,
            ],
          },
        },
      },
    },
  },
});
