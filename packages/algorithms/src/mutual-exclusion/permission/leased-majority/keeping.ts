/**
 * The option `keep`: the lease outlives the stay. A client that leaves keeps its votes, and enters
 * again without a message. Rules LQ15–LQ17, and GR1–GR3 for `greedy`: README.md
 */
import { and, not, or, stateIn } from 'xstate';
import {
  answersOfHolder,
  contextOf,
  idle,
  member,
  stopwatch,
  voter,
  waiting,
} from './leased-majority.js';

const keeper = member.extend({
  guards: {
    hasLock: or([stateIn({ client: 'held' }), stateIn({ client: 'keeping' })]),
    isKeeping: stateIn({ client: 'keeping' }),
    mustYield: or(['othersWait', 'blockIsUsed', stateIn({ tenure: 'over' })]),
  },
});
const lacksMajority = not('thisRoundCounts');

export const held = keeper.createStateConfig({
  tags: 'critical',
  always: {
    guard: 'isUnproved',
    target: 'idle',
    actions: [
      'reportLoss',
      'noteExit',
      'returnVotes',
      'forgetVotes',
      'forgetEntries',
      'stopStopwatches',
    ],
    description: 'LQ4',
  },
  on: {
    ...answersOfHolder,
    renew: [
      {
        guard: 'thisRoundCounts',
        actions: ['nextRound', 'startStopwatch', 'request'],
        description: 'LQ2',
      },
      { actions: 'request', description: 'LQ2' },
    ],
    release: [
      {
        guard: 'mustYield',
        target: 'idle',
        actions: ['noteExit', 'returnVotes', 'forgetVotes', 'forgetEntries', 'stopStopwatches'],
        description: 'LQ5',
      },
      { target: 'keeping', description: 'LQ15' },
    ],
  },
});

export const back = {
  target: 'idle',
  actions: ['noteExit', 'returnVotes', 'forgetVotes', 'forgetEntries', 'stopStopwatches'],
} as const;

export const keeping = keeper.createStateConfig({
  always: { guard: or(['isUnproved', 'mustYield']), ...back, description: 'LQ16' },
  on: {
    acquire: { target: 'held', actions: 'countEntry', description: 'LQ15' },
    yield: { ...back, description: 'LQ17' },
    vote: [
      { guard: 'isCurrent', actions: 'takeVote', description: 'LQ3' },
      { actions: 'returnThisVote', description: 'LQ7' },
    ],
    inquire: [
      { guard: 'isCurrent', ...back, description: 'LQ16' },
      { actions: 'returnThisVote', description: 'LQ7' },
    ],
    refused: { description: 'LQ6: it has the lock' },
    renew: [
      { guard: lacksMajority, ...back, description: 'LQ16' },
      { actions: ['nextRound', 'startStopwatch', 'request'], description: 'LQ15' },
    ],
  },
});

/** Counts on from entry to entry; one that each entry started anew would never end. */
export const renewals = keeper.createStateConfig({
  initial: 'off',
  states: {
    off: { always: { guard: 'hasLock', target: 'running', description: 'LQ15' } },
    running: {
      on: { stopped: 'off' },
      after: {
        renewal: { target: 'running', reenter: true, actions: 'renew', description: 'LQ15' },
      },
    },
  },
});

/** The time since the client has left first with its votes. */
export const tenure = keeper.createStateConfig({
  initial: 'off',
  states: {
    off: { always: { guard: 'isKeeping', target: 'running', description: 'LQ16' } },
    running: {
      on: { stopped: 'off' },
      after: { keep: { target: 'over', description: 'LQ16' } },
    },
    over: { on: { stopped: 'off' } },
  },
});

export const keepingMachine = keeper.createMachine({
  id: 'keeping-leased-majority',
  context: ({ input }) => ({ ...contextOf({ input }), again: 0 }),
  type: 'parallel',
  states: {
    client: { initial: 'idle', states: { idle, waiting, held, keeping } },
    even: stopwatch('even'),
    odd: stopwatch('odd'),
    renewals,
    tenure,
    voter,
  },
});

export const first = keeper.extend({
  actions: {
    countFavour: keeper.assign(({ context: { favours = 0 } }) => ({ favours: favours + 1 })),
    forgetEntries: keeper.assign({ again: 0, favours: 0 }),
  },
  guards: {
    hasFavour: ({ context: { favours = 0, greedy = 0 } }) => favours < greedy,
    mayStay: and(['othersWait', 'hasFavour', not('blockIsUsed'), not(stateIn({ tenure: 'over' }))]),
  },
  delays: { turn: 0 },
});

/** The option `greedy`: others wait, and the client keeps its votes for one turn of its host. */
export const staying = first.createStateConfig({
  always: { guard: 'isUnproved', ...back, description: 'LQ16' },
  on: {
    acquire: { target: 'held', actions: ['countEntry', 'countFavour'], description: 'GR2' },
    yield: { ...back, description: 'LQ17' },
    ...answersOfHolder,
    renew: { description: 'LQ15: the votes go back in a moment' },
  },
  after: { turn: { ...back, description: 'GR3' } },
});

/** What a holder with `greedy` does when its application releases. */
export const greedyRelease = [
  { guard: 'mayStay', target: 'staying', description: 'GR1' },
  ...held.on.release,
] as const;

/** The machine with `greedy`, of one with `keep`. */
export const greedyKeepingMachine = first.createMachine({
  id: 'greedy-leased-majority',
  context: ({ input }) => ({ ...contextOf({ input }), again: 0, favours: 0 }),
  type: 'parallel',
  states: {
    client: {
      initial: 'idle',
      states: {
        idle,
        waiting,
        held: { ...held, on: { ...held.on, release: greedyRelease } },
        keeping,
        staying,
      },
    },
    even: stopwatch('even'),
    odd: stopwatch('odd'),
    renewals,
    tenure,
    voter,
  },
});
