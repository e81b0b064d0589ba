/**
 * The option `voters`: some of the nodes vote, and the holder changes which. The change is decided
 * as by Paxos (Lamport, ACM TOCS 16:2, 1998), one instance for each configuration, whose first
 * phase is the lock itself; majorities of both configurations as in joint consensus (Ongaro,
 * Ousterhout: USENIX ATC 2014). Rules VC1–VC6: README.md
 */
import { notify } from '@conclave/core/protocol';
import { and, not, or, stateIn } from 'xstate';
import {
  type Change,
  type Configuration,
  isDecided,
  isKnown,
  mayPropose,
  newVotersCount,
  stampIn,
  votersOf,
} from './configuration.js';
import { first } from './keeping.js';
import {
  contextOf,
  held as plainHeld,
  idle as plainIdle,
  voter as plainVoter,
  waiting as plainWaiting,
  stopwatch,
} from './leased-majority.js';
import type { Context, Event } from './node.js';

const ownNumber = ({ configuration }: Context): number => configuration?.number ?? 0;
const numberOf = (event: Event, context: Context): number =>
  stampIn(event).configuration?.number ?? ownNumber(context);

/** What a vote for its ballot tells a client of the change. */
function changeAfter(context: Context, event: Event): Change | null {
  const { change = null, ballot } = context;
  const { configuration, next } = stampIn(event);
  if (configuration?.number !== ownNumber(context) || !('from' in event)) return change;
  if (!change || change.phase === 'asked')
    return next && next.ballot > (change?.ballot ?? 0)
      ? { phase: 'asked', ...next, by: [] }
      : change;
  const answers =
    change.phase === 'proposed' ? next?.ballot === ballot : change.phase === 'decided';
  return answers
    ? { ...change, by: [...change.by.filter((id) => id !== event.from), event.from].sort() }
    : change;
}

const installed = (configuration: Configuration) => ({
  configuration,
  accepted: null,
});

const tenureIsOver = stateIn({ tenure: 'over' });

export const changer = first.extend({
  actions: {
    install: first.assign(({ event }) => {
      const { configuration } = stampIn(event);
      return configuration ? { ...installed(configuration), change: null } : {};
    }),
    takeAgain: first.raise(({ event }) => event),
    // who is no voter yet has not been requested
    ask: first.enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'change') return;
      const change: Change = {
        phase: 'asked',
        ballot: context.ballot,
        voters: event.voters,
        by: [],
      };
      enqueue.assign({ change });
      if (!mayPropose({ ...context, change })) enqueue('request');
    }),
    takeAnswer: first.assign(({ context, event }) => ({ change: changeAfter(context, event) })),
    propose: first.assign(({ context: { change } }) =>
      change ? { change: { ...change, phase: 'proposed' } } : {},
    ),
    decide: first.assign(({ context }) => {
      const { change } = context;
      if (!change) return {};
      return {
        ...installed({ number: ownNumber(context) + 1, voters: change.voters }),
        change: { ...change, phase: 'decided', voters: votersOf(context), by: [] },
      };
    }),
    finish: first.assign(({ context: { change } }) =>
      change ? { change: { ...change, phase: 'known' } } : {},
    ),
    reportChange: first.emit(({ context }) =>
      notify({ type: 'changed', number: ownNumber(context), voters: votersOf(context) }),
    ),
    accept: first.assign(({ context, event }) => {
      const accepted = stampIn(event).next;
      return accepted ? { accepted, floor: Math.max(context.floor, accepted.ballot) } : {};
    }),
  },
  guards: {
    isOfLater: ({ context, event }) => numberOf(event, context) > ownNumber(context),
    isOfEarlier: ({ context, event }) => numberOf(event, context) < ownNumber(context),
    mayChange: ({ context: { change } }) => !change,
    hasChange: ({ context: { change } }) => !!change,
    // LQ16: a change is its holder's, who makes one for each ballot
    mustYield: or(['othersWait', 'blockIsUsed', tenureIsOver, 'hasChange']),
    mayStay: and(['othersWait', 'hasFavour', not(or(['blockIsUsed', 'hasChange', tenureIsOver]))]),
    mayPropose: ({ context }) => mayPropose(context),
    isDecided: ({ context }) => isDecided(context),
    newVotersCount: ({ context }) => newVotersCount(context),
    isKnown: ({ context }) => isKnown(context),
    isSettled: ({ context: { change } }) =>
      change?.phase !== 'asked' && change?.phase !== 'proposed',
    mayAccept: ({ context, event }) => {
      const next = stampIn(event).next;
      return !!next && next.ballot === context.vote && context.accepted?.ballot !== next.ballot;
    },
  },
});

export const later = {
  guard: 'isOfLater',
  actions: ['install', 'takeAgain'],
  description: 'VC2',
} as const;

export const idle = changer.createStateConfig({
  on: {
    ...plainIdle.on,
    vote: [later, plainIdle.on.vote],
    refused: [later, plainIdle.on.refused],
  },
});

export const onVote = [
  later,
  { guard: 'isCurrent', actions: ['takeVote', 'takeAnswer'], description: 'LQ3, VC1, VC4' },
  { actions: 'returnThisVote', description: 'LQ7' },
] as const;

const proposing = {
  guard: 'mayPropose',
  actions: ['propose', 'request'],
  description: 'VC4',
} as const;

export const waiting = changer.createStateConfig({
  ...plainWaiting,
  always: [
    proposing,
    { guard: 'isDecided', actions: ['decide', 'request'], description: 'VC5' },
    {
      guard: and(['isProved', 'isSettled']),
      target: 'held',
      actions: 'noteEntry',
      description: 'LQ3, VC4',
    },
  ],
  on: {
    ...plainWaiting.on,
    vote: onVote,
    refused: [
      {
        // not by its votes of the earlier one: it is refused
        guard: and(['isOfLater', 'isCurrent']),
        target: 'waiting',
        reenter: true,
        actions: [
          'install',
          'stopStopwatches',
          'takeBallot',
          'nextRound',
          'startStopwatch',
          'request',
        ],
        description: 'VC2',
      },
      later,
      ...plainWaiting.on.refused,
    ],
  },
});

/** What a holder of votes does of itself, while it makes a change. */
export const changes = [
  proposing,
  {
    guard: and(['isDecided', 'newVotersCount']),
    actions: ['decide', 'request'],
    description: 'VC5',
  },
  { guard: 'isKnown', actions: ['finish', 'reportChange'], description: 'VC6' },
] as const;
export const onChange = [
  { guard: 'mayChange', actions: 'ask', description: 'VC3' },
  { description: 'VC3: one change for each ballot' },
] as const;

const held = changer.createStateConfig({
  ...plainHeld,
  always: [plainHeld.always, ...changes],
  on: {
    ...plainHeld.on,
    vote: onVote,
    refused: [later, plainHeld.on.refused],
    change: onChange,
  },
});

const earlier = {
  guard: 'isOfEarlier',
  actions: ['learn', 'refuse'],
  description: 'VC2',
} as const;

const { free, bound } = plainVoter.states;
const voter = changer.createStateConfig({
  initial: 'free',
  states: {
    free: { ...free, on: { ...free.on, request: [later, earlier, ...free.on.request] } },
    bound: {
      ...bound,
      on: {
        ...bound.on,
        request: [
          later,
          earlier,
          { guard: 'mayAccept', actions: ['accept', 'takeAgain'], description: 'VC5' },
          ...bound.on.request,
        ],
      },
    },
  },
});

export const regions = { even: stopwatch('even'), odd: stopwatch('odd'), voter };

export const changingMachine = changer.createMachine({
  id: 'changing-leased-majority',
  context: ({ input }) => ({ ...contextOf({ input }), change: null }),
  type: 'parallel',
  states: { client: { initial: 'idle', states: { idle, waiting, held } }, ...regions },
});
