/**
 * Election by the minimum spanning tree of Gallager, Humblet and Spira (TOPLAS 5:1, 1983). Any
 * connected graph, FIFO; at most 2e + 5n⌊log₂ n⌋ messages, and n − 2 to announce. Rules GHS1–GHS15:
 * README.md
 */
import { and, not } from 'xstate';
import { node } from './actions.js';

export const machine = node.createMachine({
  id: 'gallager-humblet-spira',
  context: ({ input }) => ({
    ...input,
    edges: Object.fromEntries(Object.keys(input.weights).map((id) => [id, 'basic'])),
    level: 0,
    fragment: null,
    inBranch: null,
    testEdge: null,
    best: null,
    findCount: 0,
    deferred: [],
    leader: null,
  }),
  initial: 'sleeping',
  states: {
    sleeping: {
      on: {
        elect: [
          { guard: 'isAlone', target: 'leader', actions: 'learn', description: 'GHS1' },
          { target: 'fragment', actions: 'wakeUp', description: 'GHS1' },
        ],
        connect: { target: 'fragment', actions: ['wakeUp', 'defer'], description: 'GHS2' },
        test: { target: 'fragment', actions: ['wakeUp', 'defer'], description: 'GHS2' },
      },
    },
    fragment: {
      tags: 'waiting',
      initial: 'found',
      always: { guard: 'oneIsReady', actions: 'examine', description: 'GHS3' },
      on: {
        elect: { description: 'GHS1: it takes part already' },
        test: [
          { guard: 'fromHigherLevel', actions: 'defer', description: 'GHS3' },
          { guard: not('fromOwnFragment'), actions: 'accept', description: 'GHS8' },
          { actions: ['rejectEdge', 'reject'], description: 'GHS8' },
        ],
      },
      states: {
        find: {
          initial: 'probing',
          on: {
            connect: [
              {
                guard: 'fromLowerLevel',
                actions: ['addBranch', 'initiateFind'],
                description: 'GHS4',
              },
              { actions: 'defer', description: 'GHS3' },
            ],
            report: [
              { guard: 'overInBranch', actions: 'defer', description: 'GHS3' },
              { actions: ['noteReport', 'countReport'], description: 'GHS10' },
            ],
          },
          states: {
            probing: {
              always: [
                { guard: 'hasBasicEdge', target: 'testing', actions: 'test', description: 'GHS7' },
                { target: 'collecting', description: 'GHS7' },
              ],
            },
            testing: {
              on: {
                accept: {
                  target: 'collecting',
                  actions: ['noteOutgoing', 'endTest'],
                  description: 'GHS9',
                },
                reject: {
                  target: 'probing',
                  actions: ['rejectEdge', 'endTest'],
                  description: 'GHS9',
                },
                test: {
                  guard: and(['fromOwnFragment', 'overTestEdge']),
                  target: 'probing',
                  actions: ['rejectEdge', 'endTest'],
                  description: 'GHS8',
                },
              },
            },
            collecting: {
              always: {
                guard: 'allReported',
                target: '#found',
                actions: 'report',
                description: 'GHS11',
              },
            },
          },
        },
        found: {
          id: 'found',
          on: {
            connect: [
              {
                guard: 'fromLowerLevel',
                actions: ['addBranch', 'initiateFound'],
                description: 'GHS4',
              },
              { guard: 'overBranch', actions: 'merge', description: 'GHS5' },
              { actions: 'defer', description: 'GHS3' },
            ],
            initiate: [
              { guard: 'toFind', target: 'find', actions: ['join', 'spread'], description: 'GHS6' },
              { actions: ['join', 'spread'], description: 'GHS6' },
            ],
            report: [
              { guard: 'largerThanBest', actions: 'changeRoot', description: 'GHS12' },
              {
                guard: 'smallerThanBest',
                description: 'GHS12: the smaller one is on the other side of the core',
              },
              {
                guard: 'fromSmallerId',
                target: '#leader',
                actions: ['learn', 'tell'],
                description: 'GHS14',
              },
              { target: '#follower', actions: ['learn', 'tell'], description: 'GHS14' },
            ],
            'change-root': { actions: 'changeRoot', description: 'GHS13' },
            elected: { target: '#follower', actions: ['learn', 'tell'], description: 'GHS15' },
          },
        },
      },
    },
    leader: {
      id: 'leader',
      tags: ['leader', 'decided'],
      on: { elect: { description: 'GHS1: the election is decided' } },
    },
    follower: {
      id: 'follower',
      tags: 'decided',
      on: { elect: { description: 'GHS1: the election is decided' } },
    },
  },
});
