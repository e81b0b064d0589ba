/**
 * A token that is searched for over all edges of a spanning tree (F. Mattern: Verteilte
 * Algorithmen, lecture notes, 1999/2000). n−1 messages for the search and one for each edge of the
 * token's path; reliable channels, any order. Rules ST1–ST6: README.md
 */
import { searchToken } from '../building-blocks/search-token.js';

export const machine = searchToken.createMachine({
  id: 'tree-token',
  context: ({ input }) => ({ ...input }),
  on: {
    search: [
      { guard: 'isNews', actions: ['note', 'forward'], description: 'ST2' },
      { description: 'ST2: overtaken by a later search of the same node' },
    ],
  },
  initial: 'released',
  states: {
    released: {
      initial: 'away',
      states: {
        away: {
          always: { guard: 'tokenIsHere', target: 'here' },
          on: {
            acquire: { target: '#wanted', actions: ['countRequest', 'search'], description: 'ST1' },
            token: { actions: ['takeToken', 'passToken'], description: 'ST4' },
          },
        },
        here: {
          tags: 'token',
          on: {
            acquire: {
              target: '#held',
              actions: ['countRequest', 'countEntry'],
              description: 'ST1',
            },
            search: {
              guard: 'isUnserved',
              target: 'away',
              actions: ['note', 'forward', 'passToken'],
              description: 'ST2, ST3',
            },
          },
        },
      },
    },
    wanted: {
      id: 'wanted',
      tags: 'waiting',
      on: { token: { target: 'held', actions: ['takeToken', 'countEntry'], description: 'ST5' } },
    },
    held: {
      id: 'held',
      tags: ['critical', 'token'],
      on: {
        release: [
          {
            guard: 'anotherWaits',
            target: 'released.away',
            actions: 'passToken',
            description: 'ST6',
          },
          { target: 'released.here', description: 'ST6' },
        ],
      },
    },
  },
});
