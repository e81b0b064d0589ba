/**
 * Maekawa's algorithm with a request that the application may withdraw. Rules MK11–MK14: README.md
 */
import { extend } from '../../../composition/extended.js';
import { quorumNode } from './actions.js';
import { machine } from './maekawa.js';

/**
 * The machine with `cancel`. The voters confirm, so that no answer to a withdrawn request counts
 * for the next one.
 */
export const cancellableMachine = extend(
  'cancellable-maekawa',
  machine,
  {
    client: quorumNode.createStateConfig({
      states: {
        wanted: {
          on: {
            cancel: {
              target: 'withdrawing',
              actions: ['withdrawAll', 'forgetRequest'],
              description: 'MK11',
            },
          },
        },
        withdrawing: {
          tags: 'withdrawing',
          always: { guard: 'allConfirmed', target: 'released', description: 'MK13' },
          on: {
            withdrawn: { actions: 'crossOff', description: 'MK13' },
            locked: { description: 'MK13: withdraw gives the vote back' },
            failed: { description: 'MK13: answer to the withdrawn request' },
            inquire: { description: 'MK13: withdraw gives the vote back' },
          },
        },
      },
    }),
    voter: quorumNode.createStateConfig({
      states: {
        locked: {
          on: {
            withdraw: [
              { guard: 'isQueued', actions: ['dequeue', 'confirm'], description: 'MK12' },
              {
                guard: 'queueIsEmpty',
                target: 'free',
                actions: ['lockFirst', 'confirm'],
                description: 'MK12',
              },
              { actions: ['lockFirst', 'vote', 'confirm'], description: 'MK12' },
            ],
          },
        },
        inquiring: {
          on: {
            request: {
              guard: 'isYoungerThanLock',
              actions: ['witness', 'enqueue', 'refuse'],
              description: 'MK14',
            },
            withdraw: [
              { guard: 'isQueued', actions: ['dequeue', 'confirm'], description: 'MK12' },
              {
                guard: 'queueIsEmpty',
                target: 'free',
                actions: ['lockFirst', 'confirm'],
                description: 'MK12',
              },
              { target: 'locked', actions: ['lockFirst', 'vote', 'confirm'], description: 'MK12' },
            ],
            released: {
              guard: 'queueIsEmpty',
              target: 'free',
              actions: ['noteEntries', 'lockFirst'],
              description: 'MK14',
            },
          },
        },
      },
    }),
  },
  { unconfirmed: [] },
);
