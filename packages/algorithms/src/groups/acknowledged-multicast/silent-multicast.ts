/**
 * The acknowledged multicast whose members send on at the silence of the origin: 3(n−1) messages
 * per multicast without loss. AM8: README.md
 */
import { contextOf, member } from './member.js';

export const silentMachine = member.createMachine({
  id: 'acknowledged-multicast',
  context: ({ input }) => contextOf(input),
  entry: 'resume', // AM10
  initial: 'settled',
  on: {
    multicast: { actions: ['number', 'sendToAll', 'awaitAnswers'], description: 'AM1' },
    data: [
      {
        guard: 'isNew',
        actions: ['keep', 'acknowledge', 'awaitOrigin', 'deliver', 'forget'],
        description: 'AM2, AM3, AM8',
      },
      { guard: 'isAwaited', actions: ['crossOff', 'forget'], description: 'AM4' },
      { actions: 'acknowledge', description: 'AM5' },
    ],
  },
  states: {
    settled: {
      always: { guard: 'isAwaiting', target: 'awaiting' },
      on: { ack: { description: 'AM4: known' }, stable: { description: 'AM8: known' } },
    },
    awaiting: {
      tags: 'waiting',
      meta: { raises: ['overdue'] },
      always: { guard: 'isSettled', target: 'settled' },
      on: {
        ack: [
          {
            guard: 'completes',
            actions: ['crossOff', 'announce', 'forget'],
            description: 'AM4, AM8',
          },
          { guard: 'isAwaited', actions: ['crossOff', 'forget'], description: 'AM4' },
          { description: 'AM4: known' },
        ],
        stable: { actions: ['settle', 'forget'], description: 'AM8' },
        overdue: [
          { guard: 'mayRetransmit', actions: 'retransmit', description: 'AM6, AM8' },
          { actions: ['giveUp', 'forget'], description: 'AM7' },
        ],
      },
    },
  },
});
