/**
 * Reliable multicast with negative acknowledgements: receivers ask for gaps, session messages tell
 * the largest numbers, as in SRM (S. Floyd, V. Jacobson, C. Liu, S. McCanne, L. Zhang, IEEE/ACM
 * Transactions on Networking 5:6, 1997); a message is kept until it is stable. Complete network,
 * any order, loss and duplication; (k+3)(n−1) messages for k multicasts of one sender in one
 * period. Rules NM1–NM11: README.md
 */
import { member } from './actions.js';

export const machine = member.createMachine({
  id: 'negative-multicast',
  type: 'parallel',
  context: ({ input }) => ({ ...input, attempt: 0 }),
  states: {
    receiver: {
      initial: 'complete',
      on: {
        multicast: { actions: ['number', 'deliver', 'discard'], description: 'NM1' },
        data: [
          { guard: 'isDuplicate', description: 'NM3: a duplicate' },
          { actions: ['ask', 'hold', 'deliver', 'discard'], description: 'NM2, NM4' },
        ],
        nack: { actions: 'retransmit', description: 'NM5' },
        summary: [
          { guard: 'showsGap', actions: ['ask', 'learn', 'discard'], description: 'NM9' },
          { actions: ['learn', 'discard', 'report'], description: 'NM9' },
        ],
        report: [
          { guard: 'showsGap', actions: ['ask', 'learn', 'discard'], description: 'NM10' },
          { actions: ['learn', 'discard'], description: 'NM10' },
        ],
      },
      states: {
        complete: { always: { guard: 'lacks', target: 'incomplete', description: 'NM6' } },
        incomplete: {
          tags: 'waiting',
          always: { guard: 'lacksNothing', target: 'complete', description: 'NM6' },
          after: {
            retry: {
              target: 'incomplete',
              reenter: true,
              actions: 'askAgain',
              description: 'NM6',
            },
          },
        },
      },
    },
    sender: {
      initial: 'stable',
      states: {
        stable: {
          always: [
            { guard: 'ownUnstable', target: 'announcing', description: 'NM7' },
            { guard: 'someUnstable', target: 'standby', description: 'NM8' },
          ],
        },
        announcing: {
          always: {
            guard: 'ownStable',
            target: 'stable',
            actions: 'reportAll',
            description: 'NM11',
          },
          after: {
            period: {
              target: 'announcing',
              reenter: true,
              actions: 'summarize',
              description: 'NM7',
            },
          },
        },
        standby: {
          always: [
            { guard: 'ownUnstable', target: 'announcing', description: 'NM7' },
            { guard: 'allStable', target: 'stable', description: 'NM10' },
          ],
          initial: 'listening',
          states: {
            listening: {
              on: { summary: { target: 'listening', reenter: true, description: 'NM8' } },
              after: { patience: { target: 'probing', actions: 'probe', description: 'NM8' } },
            },
            probing: {
              on: {
                summary: { target: 'listening', description: 'NM8' },
                report: { guard: 'isFromOnlySender', target: 'listening', description: 'NM8' },
              },
              after: { retry: { target: 'listening', actions: 'summarize', description: 'NM8' } },
            },
          },
        },
      },
    },
  },
});
