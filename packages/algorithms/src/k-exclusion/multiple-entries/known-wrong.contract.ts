/** Known-wrong versions of the machine, which several tests run. */
import { assertEvent, assign } from 'xstate';
import { countOf } from '../../mutual-exclusion/token/building-blocks/token-knowledge.js';
import { machine } from './multiple-entries.js';

/** It enters although k nodes have not replied. */
export const oneTooMany = machine.provide({
  guards: {
    enoughReplies: ({ context: { peers, missing, entries } }) =>
      peers.filter((peer) => countOf(missing, peer) > 0).length <= entries,
  },
});

/** Each request begins with one missing reply per node: late ones count for it. */
export const withoutMemory = machine.provide({
  actions: {
    stamp: assign(({ context: { clock, peers }, event }) => {
      assertEvent(event, 'acquire');
      return {
        clock: clock + 1,
        requestedAt: clock + 1,
        missing: Object.fromEntries(peers.map((peer) => [peer, 1])),
      };
    }),
  },
});
