/**
 * A centre that counts until it is stopped, and beyond 40 sends to one leaf only: few random walks
 * get that far.
 */
import { enqueueActions, setup } from 'xstate';
import { tiny } from '../../../protocol/examples.contract.js';
import { type Effect, type Received, send } from '../../../protocol/node.js';
import * as needs from '../../../topology/needs.js';
import { leavesAlike } from '../../fixtures/symmetric.contract.js';

const counting = setup({
  types: {} as {
    context: { n: number };
    events: { type: 'go' } | { type: 'stop' } | Received<{ type: 'hint' }>;
    emitted: Effect<{ type: 'hint' }>;
  },
  actions: {
    count: enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ n: context.n + 1 });
      if (context.n >= 40) enqueue.emit(send('b', { type: 'hint' }));
    }),
  },
}).createMachine({
  context: { n: 0 },
  initial: 'counting',
  on: { hint: {} },
  states: { counting: { on: { go: { actions: 'count' }, stop: 'over' } }, over: {} },
});

export const longTimer = tiny(counting, {
  name: 'long-timer',
  topology: needs.star,
  messages: { hint: { meaning: 'you are the first' } },
  commands: {
    go: { kind: 'optional', meaning: 'count on' },
    stop: { kind: 'optional', meaning: 'count no more' },
  },
  symmetry: leavesAlike,
});
