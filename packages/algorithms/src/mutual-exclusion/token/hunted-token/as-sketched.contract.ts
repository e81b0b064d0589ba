import { assign } from 'xstate';
import { machine } from './hunted-token.js';

const nowhere = '';

/**
 * The literal sketch: the token moves to the next node that hunts it, and stays there unless
 * another hunt has arrived meanwhile.
 */
export const asSketched = machine.provide({
  guards: { tokenIsComing: () => false },
  actions: {
    grantRound: assign({ end: nowhere }),
    countEntry: assign(({ context }) => ({ end: context.self, entries: context.entries + 1 })),
  },
});
