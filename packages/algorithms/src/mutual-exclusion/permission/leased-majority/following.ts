/**
 * The option `follow`, with `servers`: clients that never have the lock, and know which server has
 * it, that is, who leads. Only the leader says so, and a client believes it for less time than the
 * votes bind, from its own question on. Rules EF1–EF7: README.md
 */
import {
  always,
  everyStep,
  type NodeView,
  type Property,
  type ProtocolDefinition,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { type AnyStateMachine, and, assertEvent, not, or, stateIn } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { stepsOf } from '../../../steps.js';
import { type Command, isIdle } from '../../mutual-exclusion.js';
import { ballotIn, everyone, type Given, tell } from './actions.js';
import { initialContext, member, stopwatch } from './leased-majority.js';
import {
  type Context,
  countsFrom,
  type Event,
  type Follower,
  type Following,
  type Message,
  type PlainMessage,
} from './node.js';
import { allButAMinority, hasLock } from './properties.js';
import { amongServers } from './serving.js';

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

// Properties of the clients that follow, and of what a leader tells them: rules EF1–EF7.

const { contextOf, receivedIn, sentIn } = stepsOf<Message | Following, Context>();

const isServer = (node: NodeView): boolean => contextOf(node).nodes.includes(node.id);
const isInformed = (node: NodeView): boolean => node.tags.has('informed');

/** It has returned the votes for this ballot, or has started again and returns them by a later one. */
const hasGoneOn = (server: NodeView, ballot: number): boolean =>
  contextOf(server).floor > ballot || contextOf(server).ballot > ballot;

/** Whether the stopwatch of this question runs, where it is one of the last two. */
const runs = ({ value }: NodeView, question: number): boolean =>
  Object(value)[question % 2 === 0 ? 'evens' : 'odds'] === 'running';

/** Whether the answer to one of the last two questions still counts. */
const isAnswerProved = (client: NodeView): boolean => {
  const { asked = 0, answered = 0 } = contextOf(client);
  return [answered, asked].some(
    (question) =>
      question > 0 && question <= answered && question >= asked - 1 && runs(client, question),
  );
};

const isClient = (node: NodeView): boolean => !node.crashed && !isServer(node);

const asksInTime = everyStep(
  'when a question is due, a client asks all servers: the same one while it may be answered, otherwise the next one, and its stopwatch runs',
  ({ cause, before, after, sent }) => {
    if (cause.kind !== 'timeout' || !cause.timer.includes('halfRenewal')) return true;
    const { nodes, asked = 0, answered = 0, questions = Infinity } = contextOf(before);
    const isOpen = answered < asked && runs(before, asked);
    if (!isOpen && asked >= questions) return sent.length === 0;
    const latest = contextOf(after).asked ?? 0;
    return (
      latest === asked + (isOpen ? 0 : 1) &&
      runs(after, latest) &&
      nodes.every((id) =>
        sent.some(({ to, message }) => to === id && Object(message).asked === latest),
      )
    );
  },
);

const takesAnswers = everyStep(
  'a client takes the answers to its last two questions, unless their term is earlier than one that it has shown',
  (step) => {
    const told = receivedIn(step, 'leads');
    if (!told) return true;
    const [was, is] = [contextOf(step.before), contextOf(step.after)];
    const { asked = 0 } = was;
    const isTaken = told.ballot >= was.floor && [asked, asked - 1].includes(told.asked);
    if (!isTaken)
      return is.floor === was.floor && isInformed(step.after) === isInformed(step.before);
    if (!isInformed(step.after)) return is.floor === told.ballot && !runs(step.after, told.asked);
    return is.floor === told.ballot && (is.answered ?? 0) >= told.asked;
  },
);

const showsInTime = always(
  'a client has asked, and shows a leader exactly while the answer to a question counts',
  ({ nodes }) =>
    nodes.filter(isClient).every((client) => {
      const { asked = 0, answered = 0, leader } = contextOf(client);
      const shown = isInformed(client);
      return (
        asked > 0 &&
        shown === isAnswerProved(client) &&
        shown === (leader !== '') &&
        shown === answered > 0
      );
    }),
);

const notes = everyStep(
  'a leader notes who asks, and renews its votes at once for a client that it does not know',
  (step) => {
    const { before, after } = step;
    const told = receivedIn(step, 'follow');
    if (!told || !hasLock(before))
      return (contextOf(after).followers ?? []).length === 0 || hasLock(after);
    const { round, followers = [] } = contextOf(before);
    const isStranger = followers.every(({ id }) => id !== told.from);
    const renews = isStranger && countsFrom(contextOf(before), round);
    return (
      contextOf(after).round === round + (renews ? 1 : 0) &&
      (contextOf(after).followers ?? []).some(
        ({ id, asked }) => id === told.from && asked >= told.asked,
      )
    );
  },
);

const followRules: readonly Property[] = [
  always(
    'while a client shows a leader, a majority is bound to it, unless it has returned the votes',
    (system) =>
      system.nodes.filter(isInformed).every((client) => {
        const { leader = '', floor } = contextOf(client);
        const server = system.node(leader);
        return (
          hasGoneOn(server, floor) ||
          allButAMinority(system, client, (node) => contextOf(node).vote === floor)
        );
      }),
  ),
  everyStep(
    'a client shows no term that is earlier than one that it has shown',
    ({ before, after }) => isServer(after) || contextOf(after).floor >= contextOf(before).floor,
  ),
  everyStep('a client shows what a leader has told it, and nothing else', (step) => {
    const { before, after } = step;
    if (isServer(after) || !isInformed(after)) return true;
    const [was, is] = [contextOf(before), contextOf(after)];
    const told = receivedIn(step, 'leads');
    if (isInformed(before) && was.leader === is.leader && was.floor === is.floor) return true;
    return told?.from === is.leader && told?.ballot === is.floor;
  }),
  everyStep('a server says that it leads only while it does, and by its ballot', (step) =>
    sentIn(step, 'leads').every(
      ({ message }) => hasLock(step.after) && message.ballot === contextOf(step.after).ballot,
    ),
  ),
  everyStep(
    'a server that leads no longer tells so those whom it has told that it leads',
    (step) => {
      const [was, is] = [hasLock(step.before), hasLock(step.after)];
      const told = sentIn(step, 'ended').map(({ to }) => to);
      const { ballot, followers = [] } = contextOf(step.before);
      if (!was || is) return told.length === 0;
      return (
        followers.every(({ id }) => told.includes(id)) &&
        sentIn(step, 'ended').every(({ message }) => message.ballot === ballot)
      );
    },
  ),
  everyStep('a client that is told that a term has ended shows it no longer', (step) => {
    const told = receivedIn(step, 'ended');
    if (!told) return true;
    const { floor } = contextOf(step.before);
    if (told.ballot < floor) return isInformed(step.after) === isInformed(step.before);
    return !isInformed(step.after) && contextOf(step.after).floor === told.ballot + 1;
  }),
  asksInTime,
  takesAnswers,
  showsInTime,
  notes,
  sometimes('a client shows a leader', (system) => system.count('informed') > 0),
];

/** The same, where the last nodes only follow. Rules EF1–EF7. */
export function withFollowers(
  definition: ProtocolDefinition<PlainMessage, Command> | ProtocolDefinition<Message, Command>,
  servers: number,
  /** How long a client shows a leader, from its question on. */
  shown: number,
  leading: AnyStateMachine,
): ProtocolDefinition<PlainMessage | Following, Command> {
  const { options, messages, commands } = definition;
  const { topology, input } = amongServers(definition, servers);
  return {
    ...definition,
    options: { ...options, servers, follow: true },
    topology,
    roles: {
      server: {
        machine: leading,
        input,
        stable: ['ballot', 'floor', 'vote'],
        counters: ['ballot', 'floor', 'vote'],
      },
      client: {
        machine: followerMachine,
        input: (...of) => ({ ...input(...of), validity: shown }),
      },
    },
    roleOf: (node, { nodes }) => (nodes.indexOf(node) < servers ? 'server' : 'client'),
    messages: {
      ...messages,
      follow: {
        fields: ['asked'],
        counters: ['asked'],
        meaning: 'who leads? This is my question number `asked`',
      },
      leads: {
        fields: ['ballot', 'asked'],
        counters: ['ballot', 'asked'],
        meaning: 'I lead with `ballot`; a majority voted for it after your question number `asked`',
      },
      ended: {
        fields: ['ballot'],
        counters: ['ballot'],
        meaning: 'I lead with `ballot` no longer',
      },
    },
    commands: {
      ...commands,
      acquire: { ...commands.acquire, when: (node) => isIdle(node) && isServer(node) },
    },
    cost: {
      per: 'entry',
      formula: `3·${servers - 1} … ∞`,
      messages: () => ({ least: 3 * (servers - 1), most: Infinity }),
    },
    properties: [...definition.properties, ...followRules],
    clients: { servedBy: 'server', messages: ['follow'] },
  };
}
