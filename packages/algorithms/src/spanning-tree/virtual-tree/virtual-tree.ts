/**
 * A virtual tree at system start: a node asks a registry for addresses, connects to these nodes,
 * and takes the one with the smallest level as its parent; when it loses its parent, it chooses
 * again. The subtree below it is dissolved first, by a diffusing computation (E. W. Dijkstra, C. S.
 * Scholten: Termination Detection for Diffusing Computations, IPL 11:1, 1980), so there is never a
 * cycle. Reliable channels, FIFO. Rules VT1–VT10: README.md
 */
import { and } from 'xstate';
import { member } from './actions.js';

export const machine = member.createMachine({
  id: 'virtual-tree',
  context: ({ input }) => ({
    ...input,
    neighbours: {},
    level: null,
    parent: null,
    pending: [],
    owed: null,
  }),
  initial: 'absent',
  states: {
    absent: {
      on: { join: { target: 'present.registering', actions: 'register', description: 'VT1' } },
    },
    present: {
      initial: 'registering',
      on: {
        connect: { actions: 'accept', description: 'VT3' },
        level: { actions: 'noteLevel', description: 'VT4' },
        lost: { actions: ['noteLoss', 'answerLevel'], description: 'VT7' },
        noted: { actions: 'noteLevel', description: 'VT8: it is the root meanwhile' },
        closed: { actions: 'forget', description: 'VT9' },
        'be-root': {
          target: '.attached',
          actions: ['becomeRoot', 'settle', 'announce'],
          description: 'VT2',
        },
      },
      states: {
        registering: {
          tags: 'waiting',
          on: {
            addresses: [
              {
                guard: 'isFirst',
                target: 'attached',
                actions: ['becomeRoot', 'announce'],
                description: 'VT2',
              },
              { target: 'connecting', actions: 'connect', description: 'VT3' },
            ],
          },
        },
        connecting: {
          tags: 'waiting',
          always: [
            {
              guard: and(['hasAllAnswers', 'hasCandidate']),
              target: 'attached',
              actions: ['choose', 'announce'],
              description: 'VT5',
            },
          ],
          on: {
            level: { actions: ['noteLevel', 'crossOff'], description: 'VT4' },
            closed: { target: 'registering', actions: ['forget', 'register'], description: 'VT9' },
          },
        },
        dissolving: {
          tags: 'waiting',
          always: [
            {
              guard: and(['hasAllAnswers', 'hasCandidate']),
              target: 'attached',
              actions: ['settle', 'choose', 'announce'],
              description: 'VT8, VT5',
            },
            {
              guard: 'hasAllAnswers',
              target: 'registering',
              actions: ['settle', 'register'],
              description: 'VT8',
            },
          ],
          on: { noted: { actions: ['noteLevel', 'crossOff'], description: 'VT8' } },
        },
        attached: {
          tags: 'attached',
          on: {
            leave: { target: '#left', actions: 'close', description: 'VT10' },
            addresses: { description: 'VT2: it is the root meanwhile' },
            lost: [
              {
                guard: 'fromParent',
                target: 'dissolving',
                actions: ['noteLoss', 'oweParent', 'dissolve'],
                description: 'VT6',
              },
              { actions: ['noteLoss', 'answerLevel'], description: 'VT7' },
            ],
            closed: [
              {
                guard: 'fromParent',
                target: 'dissolving',
                actions: ['forget', 'dissolve'],
                description: 'VT6',
              },
              { actions: 'forget', description: 'VT9' },
            ],
          },
        },
      },
    },
    left: {
      id: 'left',
      on: {
        connect: { actions: 'refuse', description: 'VT10' },
        addresses: { description: 'VT10: it has left' },
        'be-root': { description: 'VT10: the registry will hear of it' },
        level: { description: 'VT10: it has left' },
        lost: { description: 'VT10: its closed is on the way' },
        noted: { description: 'VT10: it has left' },
        closed: { description: 'VT10: it has left' },
      },
    },
  },
});
