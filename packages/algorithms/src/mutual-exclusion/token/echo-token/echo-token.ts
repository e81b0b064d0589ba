/**
 * A token that is searched for by echo waves over any connected network (F. Mattern: Verteilte
 * Algorithmen, lecture notes, 1999/2000; the wave: E. J. H. Chang, IEEE TSE 8:4, 1982). 2e messages
 * for the search and one for each edge of the token's path; reliable channels, any order. Rules
 * ST1–ST6 and EC1–EC3: README.md
 */
import { send } from '@conclave/core/protocol';
import { and, assertEvent } from 'xstate';
import { searchToken } from '../building-blocks/search-token.js';
import { countOf } from '../building-blocks/token.js';

const awaitAll = searchToken.assign(({ context: { self, neighbours, pendingReplies } }) => ({
  pendingReplies: { ...pendingReplies, [self]: neighbours.length },
}));

const awaitOthers = searchToken.assign(({ context: { neighbours, pendingReplies }, event }) => {
  assertEvent(event, 'search');
  return { pendingReplies: { ...pendingReplies, [event.initiator]: neighbours.length - 1 } };
});

const crossOff = searchToken.assign(({ context: { pendingReplies = {} }, event }) => {
  assertEvent(event, ['search', 'echo']);
  return {
    pendingReplies: {
      ...pendingReplies,
      [event.initiator]: countOf(pendingReplies, event.initiator) - 1,
    },
  };
});

const answer = searchToken.emit(({ context, event }) => {
  assertEvent(event, ['search', 'echo']);
  const { initiator, k, from } = event;
  return send(context.nextHop[initiator] ?? from, { type: 'echo', initiator, k });
});

export const machine = searchToken
  .extend({
    actions: { awaitAll, awaitOthers, crossOff, answer },
    guards: {
      isLeaf: ({ context }) => context.neighbours.length === 1,
      isPending: ({ context: { requested, pendingReplies = {} }, event }) => {
        assertEvent(event, ['search', 'echo']);
        return (
          event.k === countOf(requested, event.initiator) &&
          countOf(pendingReplies, event.initiator) > 0
        );
      },
      isLastReply: ({ context: { self, pendingReplies = {} }, event }) => {
        assertEvent(event, ['search', 'echo']);
        return event.initiator !== self && countOf(pendingReplies, event.initiator) === 1;
      },
    },
  })
  .createMachine({
    id: 'echo-token',
    context: ({ input }) => ({ ...input }),
    on: {
      search: [
        {
          guard: and(['isNews', 'isLeaf']),
          actions: ['note', 'awaitOthers', 'answer'],
          description: 'ST2, EC1',
        },
        { guard: 'isNews', actions: ['note', 'awaitOthers', 'forward'], description: 'ST2' },
        {
          guard: and(['isPending', 'isLastReply']),
          actions: ['crossOff', 'answer'],
          description: 'EC1',
        },
        { guard: 'isPending', actions: 'crossOff', description: 'EC1, EC2' },
        { description: 'EC3: of an earlier wave' },
      ],
      echo: [
        {
          guard: and(['isPending', 'isLastReply']),
          actions: ['crossOff', 'answer'],
          description: 'EC1',
        },
        { guard: 'isPending', actions: 'crossOff', description: 'EC1, EC2' },
        { description: 'EC3: of an earlier wave' },
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
              acquire: {
                target: '#wanted',
                actions: ['countRequest', 'awaitAll', 'search'],
                description: 'ST1',
              },
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
              search: [
                {
                  guard: and(['isUnserved', 'isLeaf']),
                  target: 'away',
                  actions: ['note', 'awaitOthers', 'answer', 'passToken'],
                  description: 'ST2, ST3, EC1',
                },
                {
                  guard: 'isUnserved',
                  target: 'away',
                  actions: ['note', 'awaitOthers', 'forward', 'passToken'],
                  description: 'ST2, ST3',
                },
              ],
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
