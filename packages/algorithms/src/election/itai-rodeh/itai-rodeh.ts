/**
 * Itai–Rodeh election on an anonymous ring (A. Itai, M. Rodeh, Information and Computation 88:1,
 * 1990), in the version without round numbers (W. Fokkink, J. Pang, Journal of Universal Computer
 * Science 12:8, 2006, algorithm A). One-way ring of known size, FIFO; O(n log n) messages on
 * average, and n to announce. Rules IRA1–IRA10: README.md
 */
import {
  type Chosen,
  draw,
  type Effect,
  type NodeId,
  type Received,
  send,
} from '@conclave/core/protocol';
import { and, assertEvent, setup } from 'xstate';
import { type OptionSchemas, whole } from '../../options.js';
import type { Command } from '../election.js';

export type Options = {
  /** How many ids there are to draw from, from 2 on. Default: as many as nodes. */
  readonly ids?: number;
};

export const itaiRodehOptions: OptionSchemas<Options> = {
  ids: whole(2, 'how many ids there are to draw from'),
};

/**
 * ELECTION carries a drawn id, the hops so far, and whether no other node has had the same id;
 * ELECTED the hops from the leader.
 */
export type Message =
  | {
      readonly type: 'election';
      readonly id: number;
      readonly hop: number;
      readonly unique: boolean;
    }
  | { readonly type: 'elected'; readonly hop: number };

interface Input {
  /** The channel to the next node. Nodes have no ids: it is never sent, nor compared. */
  readonly next: NodeId;
  /** The number of nodes of the ring. */
  readonly size: number;
  /** Ids are drawn from 1 to this number. */
  readonly ids: number;
}

interface Context extends Input {
  /** The id that it drew in this round; 0 before the first. */
  readonly id: number;
  /** How many hops before this node the leader is; 0 at the leader itself. */
  readonly leader: number | null;
}

export type Event = Command | Received<Message> | Chosen<number>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const drawId = node.emit(({ context }) =>
  draw(Array.from({ length: context.ids }, (_, place) => place + 1)),
);

const takeId = node.assign(({ event }) => {
  assertEvent(event, 'chosen');
  return { id: event.value };
});

const sendId = node.emit(({ context }) =>
  send(context.next, { type: 'election', id: context.id, hop: 1, unique: true }),
);

const passOn = node.emit(({ context, event }) => {
  assertEvent(event, 'election');
  return send(context.next, {
    type: 'election',
    id: event.id,
    hop: event.hop + 1,
    unique: event.unique,
  });
});

const passOnMarked = node.emit(({ context, event }) => {
  assertEvent(event, 'election');
  return send(context.next, { type: 'election', id: event.id, hop: event.hop + 1, unique: false });
});

const announce = node.emit(({ context }) => send(context.next, { type: 'elected', hop: 1 }));

const lead = node.assign({ leader: 0 });

const learn = node.assign(({ event }) => {
  assertEvent(event, 'elected');
  return { leader: event.hop };
});

const passAnnouncementOn = node.emit(({ context, event }) => {
  assertEvent(event, 'elected');
  return send(context.next, { type: 'elected', hop: event.hop + 1 });
});

export const machine = node
  .extend({
    actions: {
      draw: drawId,
      takeId,
      sendId,
      passOn,
      passOnMarked,
      announce,
      lead,
      learn,
      passAnnouncementOn,
    },
    guards: {
      cameBack: ({ context, event }) => {
        assertEvent(event, ['election', 'elected']);
        return event.hop === context.size;
      },
      unique: ({ event }) => {
        assertEvent(event, 'election');
        return event.unique;
      },
      larger: ({ context, event }) => {
        assertEvent(event, 'election');
        return event.id > context.id;
      },
      equal: ({ context, event }) => {
        assertEvent(event, 'election');
        return event.id === context.id;
      },
    },
  })
  .createMachine({
    id: 'itai-rodeh',
    context: ({ input }) => ({ ...input, id: 0, leader: null }),
    initial: 'asleep',
    states: {
      asleep: {
        on: {
          elect: { target: 'drawing', actions: 'draw', description: 'IRA1' },
          election: { target: 'passive', actions: 'passOn', description: 'IRA3' },
        },
      },
      drawing: {
        tags: 'waiting',
        on: { chosen: { target: 'active', actions: ['takeId', 'sendId'], description: 'IRA2' } },
      },
      active: {
        tags: 'waiting',
        on: {
          elect: { description: 'IRA1: it takes part already' },
          election: [
            {
              guard: and(['cameBack', 'unique']),
              target: 'leader',
              actions: ['lead', 'announce'],
              description: 'IRA7',
            },
            { guard: 'cameBack', target: 'drawing', actions: 'draw', description: 'IRA8' },
            { guard: 'larger', target: 'passive', actions: 'passOn', description: 'IRA4' },
            { guard: 'equal', actions: 'passOnMarked', description: 'IRA5' },
            { description: 'IRA6: extinguished' },
          ],
        },
      },
      passive: {
        tags: 'waiting',
        on: {
          elect: { description: 'IRA1: it takes no part' },
          election: { actions: 'passOn', description: 'IRA3' },
          elected: {
            target: 'follower',
            actions: ['learn', 'passAnnouncementOn'],
            description: 'IRA9',
          },
        },
      },
      leader: {
        tags: ['leader', 'decided'],
        initial: 'announcing',
        on: { elect: { description: 'IRA1: the election is decided' } },
        states: {
          announcing: {
            on: { elected: { guard: 'cameBack', target: 'known', description: 'IRA10' } },
          },
          known: { tags: 'terminated' },
        },
      },
      follower: {
        tags: 'decided',
        on: { elect: { description: 'IRA1: the election is decided' } },
      },
    },
  });
