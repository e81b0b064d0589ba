/**
 * Maekawa's mutual exclusion by quorums (ACM TOCS 3:2, 1985), with Sanders' correction (ACM TOCS
 * 5:3, 1987). 3(K−1) messages per entry at light load, K the size of a quorum; reliable FIFO
 * channels. Rules MK1–MK10, MK11–MK14 for `cancel`: README.md
 */
import { node, quorumNode } from './actions.js';

export const machine = quorumNode.createMachine({
  id: 'maekawa',
  context: ({ input }) => ({
    ...input,
    clock: 0,
    votes: [],
    refusals: [],
    inquiries: [],
    fence: 0,
    lock: null,
    queue: [],
    entries: 0,
  }),
  type: 'parallel',
  states: {
    client: {
      initial: 'released',
      states: {
        released: {
          on: {
            acquire: { target: 'wanted', actions: ['stamp', 'requestVotes'], description: 'MK1' },
            inquire: { description: 'MK8: the vote was given back' },
          },
        },
        wanted: {
          tags: 'waiting',
          initial: 'hoping',
          states: {
            hoping: {
              on: {
                locked: { actions: 'takeVote', description: 'MK5' },
                inquire: [
                  { guard: 'hasTheirVote', actions: 'noteInquiry', description: 'MK7' },
                  { description: 'MK8: the vote was given back' },
                ],
                failed: {
                  target: 'refused',
                  actions: ['noteRefusal', 'relinquish', 'giveUpVotes'],
                  description: 'MK7',
                },
              },
            },
            refused: {
              always: { guard: 'noRefusals', target: 'hoping', description: 'MK7' },
              on: {
                locked: { actions: 'takeVote', description: 'MK5' },
                inquire: [
                  {
                    guard: 'hasTheirVote',
                    actions: ['noteInquiry', 'relinquish', 'giveUpVotes'],
                    description: 'MK7',
                  },
                  { description: 'MK8: the vote was given back' },
                ],
                failed: { actions: 'noteRefusal', description: 'MK7' },
              },
            },
          },
          always: {
            guard: 'hasAllVotes',
            target: 'held',
            actions: 'countEntry',
            description: 'MK5',
          },
        },
        held: {
          tags: 'critical',
          on: {
            inquire: { description: 'MK8: the vote goes back on release' },
            release: {
              target: 'released',
              actions: ['giveBack', 'forgetVotes'],
              description: 'MK6',
            },
          },
        },
      },
    },
    voter: {
      initial: 'free',
      states: {
        free: {
          on: {
            request: { target: 'locked', actions: ['witness', 'lock', 'vote'], description: 'MK2' },
          },
        },
        locked: {
          on: {
            request: [
              {
                guard: 'isOlderThanLock',
                target: 'inquiring',
                actions: ['witness', 'enqueue', 'inquire'],
                description: 'MK4',
              },
              { actions: ['witness', 'enqueue', 'refuse'], description: 'MK3' },
            ],
            released: [
              {
                guard: 'queueIsEmpty',
                target: 'free',
                actions: ['noteEntries', 'lockFirst'],
                description: 'MK10',
              },
              { actions: ['noteEntries', 'lockFirst', 'vote'], description: 'MK10' },
            ],
          },
        },
        inquiring: {
          on: {
            request: [
              {
                guard: 'isOlderThanFirst',
                actions: ['witness', 'refuseFirst', 'enqueue'],
                description: 'MK3',
              },
              { actions: ['witness', 'enqueue', 'refuse'], description: 'MK3' },
            ],
            relinquish: {
              target: 'locked',
              actions: ['requeue', 'lockFirst', 'vote'],
              description: 'MK9',
            },
            released: {
              target: 'locked',
              actions: ['noteEntries', 'lockFirst', 'vote'],
              description: 'MK10',
            },
          },
        },
      },
    },
  },
});

/** Without the deadlock resolution of section 4: a locked voter does not answer. It deadlocks. */
export const naive = machine.provide({
  guards: { isOlderThanLock: () => false },
  actions: { refuse: node.assign({}) },
});
