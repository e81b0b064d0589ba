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
  idle,
  held as plainHeld,
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
    // who is no voter yet has not been requested
    ask: first.enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'change' || context.change) return;
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
  },
});

const waits = stateIn({ client: 'waiting' });
const later = { guard: 'isOfLater', actions: 'install', description: 'VC2' } as const;

/**
 * What a node knows of the voters, and what its client does for a change. It comes first: by what
 * it has taken over, the other regions act on the same event.
 */
export const configuration = changer.createStateConfig({
  initial: 'known',
  states: {
    known: {
      always: [
        {
          // who keeps its votes returns them instead
          guard: and(['mayPropose', or([waits, stateIn({ client: 'held' })])]),
          actions: ['propose', 'request'],
          description: 'VC4',
        },
        {
          guard: and(['isDecided', or([waits, 'newVotersCount'])]),
          actions: ['decide', 'request'],
          description: 'VC5',
        },
        { guard: 'isKnown', actions: ['finish', 'reportChange'], description: 'VC6' },
      ],
      on: { request: later, vote: later, refused: later },
    },
  },
});

export const onVote = [
  { guard: 'isCurrent', actions: ['takeVote', 'takeAnswer'], description: 'LQ3, VC1, VC4' },
  { actions: 'returnThisVote', description: 'LQ7' },
] as const;

export const waiting = changer.createStateConfig({
  ...plainWaiting,
  always: {
    guard: and(['isProved', 'isSettled']),
    target: 'held',
    actions: 'noteEntry',
    description: 'LQ3, VC4',
  },
  on: { ...plainWaiting.on, vote: onVote },
});

export const onChange = {
  actions: 'ask',
  description: 'VC3: one change for each ballot',
} as const;

const held = changer.createStateConfig({
  ...plainHeld,
  on: { ...plainHeld.on, vote: onVote, change: onChange },
});

const earlier = {
  guard: 'isOfEarlier',
  actions: ['learn', 'refuse'],
  description: 'VC2',
} as const;

const { free, bound } = plainVoter.states;
const [again, ...others] = bound.on.request;
const voter = changer.createStateConfig({
  initial: 'free',
  states: {
    free: { ...free, on: { ...free.on, request: [earlier, ...free.on.request] } },
    bound: {
      ...bound,
      on: {
        ...bound.on,
        request: [
          earlier,
          { ...again, actions: ['accept', 'learn', 'voteAgain'], description: 'LQ8, VC5' },
          ...others,
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
  states: {
    configuration,
    client: { initial: 'idle', states: { idle, waiting, held } },
    ...regions,
  },
});
