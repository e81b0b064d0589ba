/**
 * Mutual exclusion by a token on a directed acyclic graph (F. Mattern's lecture notes, a
 * generalisation of A7 to any connected graph). At most 2(n−1) messages per entry, and those that
 * tell neighbours; reliable channels, any order. Rules AG1–AG11, GR1–GR3 for `greedy`: README.md
 */
import { type AnyStateMachine, and, not } from 'xstate';
import { inBunches } from '../building-blocks/greedy.js';
import { context, node } from './actions.js';

const id = 'acyclic-graph';

type Arrival = 'takeToken' | 'countVisit' | 'tell' | 'tellNumber' | 'turnEdges';

type Passing = 'passToken' | 'passTokenAndRemember';

/**
 * The token goes on at once. What a node does when it arrives and when it is passed on depends on
 * the variant.
 */
const immediate = (arrive: readonly Arrival[], passToken: Passing) =>
  node.createStateConfig({
    initial: 'released',
    states: {
      released: {
        initial: 'away',
        states: {
          away: {
            always: { guard: 'tokenIsHere', target: 'here' },
            on: {
              acquire: { target: '#wanted', actions: ['enqueueSelf', 'ask'], description: 'AG1' },
              request: { target: 'asked', actions: ['enqueue', 'ask'], description: 'AG2' },
            },
          },
          asked: {
            on: {
              acquire: { target: '#wanted', actions: 'enqueueSelf', description: 'AG1' },
              request: { actions: 'enqueue', description: 'AG2' },
              token: { target: 'passing', actions: arrive, description: 'AG6' },
            },
          },
          passing: {
            always: [
              { guard: 'oneWaits', target: 'away', actions: passToken, description: 'AG4' },
              { target: 'asked', actions: [passToken, 'ask'], description: 'AG4' },
            ],
          },
          here: {
            tags: 'token',
            on: {
              acquire: { target: '#held', actions: 'enter', description: 'AG1' },
              request: { target: 'passing', actions: 'enqueue', description: 'AG3' },
            },
          },
        },
      },
      wanted: {
        id: 'wanted',
        tags: 'waiting',
        on: {
          request: { actions: 'enqueue', description: 'AG2' },
          token: [
            {
              guard: 'ownTurn',
              target: 'held',
              actions: [...arrive, 'enter'],
              description: 'AG5, AG6',
            },
            { actions: [...arrive, passToken, 'ask'], description: 'AG4, AG6' },
          ],
        },
      },
      held: {
        id: 'held',
        tags: ['critical', 'token'],
        on: {
          request: { actions: 'enqueue', description: 'AG2' },
          release: [
            { guard: 'queueIsEmpty', target: 'released.here', description: 'AG5' },
            { target: 'released.passing', description: 'AG5' },
          ],
        },
      },
    },
  });

/** The token stays until the neighbours that are told have answered. */
const acknowledged = node.createStateConfig({
  initial: 'released',
  states: {
    released: {
      initial: 'away',
      states: {
        away: {
          always: { guard: 'tokenIsHere', target: 'here' },
          on: {
            acquire: { target: '#wanted', actions: ['enqueueSelf', 'ask'], description: 'AG1' },
            request: { target: 'asked', actions: ['enqueue', 'ask'], description: 'AG2' },
            reversed: { actions: ['pointBack', 'acknowledge'], description: 'AG7, AG8' },
          },
        },
        asked: {
          on: {
            acquire: { target: '#wanted', actions: 'enqueueSelf', description: 'AG1' },
            request: { actions: 'enqueue', description: 'AG2' },
            token: {
              target: 'settling',
              actions: ['takeToken', 'tell', 'awaitAnswers', 'turnEdges'],
              description: 'AG6',
            },
            reversed: { actions: ['pointBack', 'acknowledge'], description: 'AG7, AG8' },
          },
        },
        settling: {
          tags: 'token',
          always: [
            {
              guard: and(['allAcknowledged', 'oneWaits']),
              target: 'away',
              actions: 'passToken',
              description: 'AG4, AG8',
            },
            {
              guard: 'allAcknowledged',
              target: 'asked',
              actions: ['passToken', 'ask'],
              description: 'AG4, AG8',
            },
          ],
          on: {
            acquire: { target: '#wanted.settling', actions: 'enqueueSelf', description: 'AG1' },
            request: { actions: 'enqueue', description: 'AG2' },
            acknowledged: { actions: 'crossOff', description: 'AG8' },
          },
        },
        here: {
          tags: 'token',
          on: {
            acquire: { target: '#held', actions: 'enter', description: 'AG1' },
            request: { target: 'settling', actions: 'enqueue', description: 'AG3' },
            acknowledged: { actions: 'crossOff', description: 'AG8' },
          },
        },
      },
    },
    wanted: {
      id: 'wanted',
      tags: 'waiting',
      initial: 'asked',
      states: {
        asked: {
          on: {
            request: { actions: 'enqueue', description: 'AG2' },
            token: [
              {
                guard: 'ownTurn',
                target: '#held',
                actions: ['takeToken', 'tell', 'awaitAnswers', 'turnEdges', 'enter'],
                description: 'AG5, AG6',
              },
              {
                target: 'settling',
                actions: ['takeToken', 'tell', 'awaitAnswers', 'turnEdges'],
                description: 'AG6',
              },
            ],
            reversed: { actions: ['pointBack', 'acknowledge'], description: 'AG7, AG8' },
          },
        },
        settling: {
          tags: 'token',
          always: {
            guard: 'allAcknowledged',
            target: 'asked',
            actions: ['passToken', 'ask'],
            description: 'AG4, AG8',
          },
          on: {
            request: { actions: 'enqueue', description: 'AG2' },
            acknowledged: { actions: 'crossOff', description: 'AG8' },
          },
        },
      },
    },
    held: {
      id: 'held',
      tags: ['critical', 'token'],
      on: {
        request: { actions: 'enqueue', description: 'AG2' },
        acknowledged: { actions: 'crossOff', description: 'AG8' },
        release: [
          { guard: 'queueIsEmpty', target: 'released.here', description: 'AG5' },
          { target: 'released.settling', description: 'AG5' },
        ],
      },
    },
  },
});

/** What a node does about the news of a reversal, wherever it is. */
const believe = { reversed: { actions: 'pointBack', description: 'AG7' } } as const;

const compare = {
  reversed: [
    { guard: 'isNews', actions: 'pointBack', description: 'AG7' },
    { description: 'AG7: the token has been here since' },
  ],
} as const;

/** Over which outgoing edge a node asks: the first, or the one that the host chooses. */
const overEdge = (
  variant: ReturnType<typeof immediate> | typeof acknowledged,
  on: typeof believe | typeof compare | Record<never, never> = {},
) => ({
  first: node.createMachine({
    id,
    context,
    ...variant,
    on: { ...on, ask: { actions: 'askFirst' } },
  }),
  any: node.createMachine({
    id,
    context,
    ...variant,
    on: {
      ...on,
      ask: { actions: 'offerEdges' },
      chosen: { actions: 'askChosen', description: 'AG1, AG2' },
    },
  }),
});

/** By the options `reversal` and `edge`: nodes that know their edges. */
export const statecharts = {
  travelled: overEdge(immediate(['takeToken', 'turnEdges'], 'passToken')),
  all: overEdge(immediate(['takeToken', 'tell', 'turnEdges'], 'passToken'), believe),
  acknowledged: overEdge(acknowledged),
  numbered: overEdge(
    immediate(['takeToken', 'countVisit', 'tellNumber', 'turnEdges'], 'passTokenAndRemember'),
    compare,
  ),
};

/** The machine with `greedy`, of one of these. */
export const greedyMachine = (machine: AnyStateMachine): AnyStateMachine =>
  inBunches(machine, { othersWait: not('queueIsEmpty') });
