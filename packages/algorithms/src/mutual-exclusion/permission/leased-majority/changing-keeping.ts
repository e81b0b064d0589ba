/** The options `voters` and `keep`: a holder that makes no change keeps its votes. */
import { or } from 'xstate';
import { changer, configuration, onChange, onVote, regions, waiting } from './changing.js';
import {
  back,
  greedyRelease,
  held as plainHeld,
  keeping as plainKeeping,
  staying as plainStaying,
  renewals,
  tenure,
} from './keeping.js';
import { contextOf, idle } from './leased-majority.js';

const held = changer.createStateConfig({
  ...plainHeld,
  on: { ...plainHeld.on, vote: onVote, change: onChange },
});

const keeping = changer.createStateConfig({
  ...plainKeeping,
  on: { ...plainKeeping.on, vote: onVote },
});

const staying = changer.createStateConfig({
  ...plainStaying,
  always: { guard: or(['isUnproved', 'hasChange']), ...back, description: 'LQ16' },
  on: { ...plainStaying.on, vote: onVote },
});

/** With `keep`. */
export const changingKeepingMachine = changer.createMachine({
  id: 'changing-keeping-leased-majority',
  context: ({ input }) => ({ ...contextOf({ input }), change: null, again: 0, favours: 0 }),
  type: 'parallel',
  states: {
    configuration,
    client: { initial: 'idle', states: { idle, waiting, held, keeping } },
    renewals,
    tenure,
    ...regions,
  },
});

/** With `keep` and `greedy`. */
export const changingGreedyMachine = changer.createMachine({
  id: 'changing-greedy-leased-majority',
  context: ({ input }) => ({ ...contextOf({ input }), change: null, again: 0, favours: 0 }),
  type: 'parallel',
  states: {
    configuration,
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
    renewals,
    tenure,
    ...regions,
  },
});
