/**
 * Reliable multicast with acknowledgements, to a known group: FIFO per sender, relayed at first
 * receipt (V. Hadzilacos, S. Toueg, 1994). Complete network, any order, loss, duplication; n(n−1)
 * messages per multicast without loss. Rules AM1–AM6: README.md
 */
import { contextOf, member } from './member.js';

/** Sends on at the first receipt, or never. */
export const machine = member.createMachine({
  id: 'acknowledged-multicast',
  context: ({ input }) => contextOf(input),
  entry: 'resume', // AM10
  initial: 'settled',
  on: {
    multicast: { actions: ['number', 'sendToAll', 'awaitAnswers'], description: 'AM1' },
    data: [
      {
        guard: 'isNew',
        actions: ['keep', 'acknowledge', 'relay', 'awaitAnswers', 'deliver', 'forget'],
        description: 'AM2, AM3',
      },
      { guard: 'isAwaited', actions: ['crossOff', 'forget'], description: 'AM4' },
      { actions: 'acknowledge', description: 'AM5' },
    ],
  },
  states: {
    settled: {
      always: { guard: 'isAwaiting', target: 'awaiting' },
      on: { ack: { description: 'AM4: known' } },
    },
    awaiting: {
      tags: 'waiting',
      meta: { raises: ['overdue'] },
      always: { guard: 'isSettled', target: 'settled' },
      on: {
        ack: [
          { guard: 'isAwaited', actions: ['crossOff', 'forget'], description: 'AM4' },
          { description: 'AM4: known' },
        ],
        overdue: [
          { guard: 'mayRetransmit', actions: 'retransmit', description: 'AM6' },
          { actions: ['giveUp', 'forget'], description: 'AM7' },
        ],
      },
    },
  },
});
