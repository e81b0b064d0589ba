import { assign } from 'xstate';
import { machine } from './hunted-token.js';

const nowhere = '';

/** The sketch and no more: the token runs on until it has come to somebody who hunts it, and stays there unless it is hunted meanwhile. */
export const asSketched = machine.provide({
  guards: { tokenIsComing: () => false },
  actions: {
    grantRound: assign({ end: nowhere }),
    countEntry: assign(({ context }) => ({ end: context.self, entries: context.entries + 1 })),
  },
});
