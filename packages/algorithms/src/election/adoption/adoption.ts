/**
 * Election by adoption: waves of explorers and echoes, where a larger wave adopts the tree of a
 * smaller one (F. Mattern: Verteilte Basisalgorithmen, 1989). Any connected graph; reliable
 * channels, any order; at most (k + 1)e + n − 1 messages for k initiators. Rules AD1–AD11:
 * README.md
 */

import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { ofNode } from '../../by-node.js';
import type { Command } from '../election.js';

/**
 * EXPLORER spreads the id of an initiator, ECHO returns from an explored part of its tree; ELECTED
 * announces the leader.
 */
export type Message =
  | { readonly type: 'explorer'; readonly id: NodeId }
  | { readonly type: 'echo' }
  | { readonly type: 'elected'; readonly id: NodeId };

export interface Input {
  readonly self: NodeId;
  readonly neighbours: readonly NodeId[];
}

export interface Context extends Input {
  /** The highest id of an initiator that the node knows. */
  readonly highest: NodeId | null;
  /** The neighbour that sent it; a node whose own id is the highest has none. */
  readonly parent: NodeId | null;
  /** For each edge: the id of the last explorer sent over it. */
  readonly marks: Readonly<Record<NodeId, NodeId | null>>;
  /** The edges, except the one to the parent, that are not done. */
  readonly open: readonly NodeId[];
  /** The neighbours that sent an echo: the edges to them are in the tree. */
  readonly children: readonly NodeId[];
  readonly leader: NodeId | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

/** A node's first wave: all edges are open, except the one to the parent. */
const first = ({ neighbours }: Input, parent: NodeId | null, highest: NodeId) => ({
  highest,
  parent,
  marks: Object.fromEntries(neighbours.map((id) => [id, id === parent ? null : highest])),
  open: neighbours.filter((id) => id !== parent),
});

const initiate = node.assign(({ context }) => first(context, null, context.self));

const join = node.assign(({ context, event }) => {
  assertEvent(event, 'explorer');
  return first(context, event.from, event.id);
});

const explore = node.enqueueActions(({ context: { open, highest }, enqueue }) => {
  for (const id of open) enqueue.emit(send(id, { type: 'explorer', id: highest ?? '' }));
});

/** The sender becomes the parent, and the edge to the former parent is explored. */
const adopt = node.enqueueActions(
  ({ context: { neighbours, parent, open, marks }, event, enqueue }) => {
    assertEvent(event, 'explorer');
    const { id, from } = event;
    if (parent !== null) enqueue.emit(send(parent, { type: 'explorer', id }));
    enqueue.assign({
      highest: id,
      parent: from,
      marks: parent === null ? marks : { ...marks, [parent]: id },
      open: neighbours.filter(
        (other) => other !== from && (open.includes(other) || other === parent),
      ),
    });
  },
);

const answer = node.enqueueActions(({ context: { highest, marks }, event, enqueue }) => {
  assertEvent(event, 'explorer');
  enqueue.emit(send(event.from, { type: 'explorer', id: highest ?? '' }));
  enqueue.assign({ marks: { ...marks, [event.from]: highest } });
});

const close = node.assign(({ context, event }) => {
  assertEvent(event, ['explorer', 'echo']);
  return { open: context.open.filter((id) => id !== event.from) };
});

const noteChild = node.assign(({ context: { neighbours, children }, event }) => {
  assertEvent(event, 'echo');
  return { children: neighbours.filter((id) => id === event.from || children.includes(id)) };
});

const echo = node.emit(({ context }) => send(context.parent ?? '', { type: 'echo' }));

const learn = node.assign(({ context, event }) => ({
  leader: event.type === 'elected' ? event.id : context.self,
}));

const announce = node.enqueueActions(({ context: { children, leader }, enqueue }) => {
  for (const id of children) enqueue.emit(send(id, { type: 'elected', id: leader ?? '' }));
});

/** The mark of the edge that an explorer comes over; ids are not empty, so '' is less than all. */
const markOf = ({
  context: { marks },
  event,
}: {
  readonly context: Context;
  readonly event: Event;
}): NodeId => {
  assertEvent(event, 'explorer');
  return ofNode(marks, event.from) ?? '';
};

export const machine = node
  .extend({
    actions: { initiate, join, explore, adopt, answer, close, noteChild, echo, learn, announce },
    guards: {
      outdated: (args) => {
        assertEvent(args.event, 'explorer');
        return args.event.id < markOf(args);
      },
      crossed: (args) => {
        assertEvent(args.event, 'explorer');
        return args.event.id === markOf(args);
      },
      larger: ({ context, event }) => {
        assertEvent(event, 'explorer');
        return event.id > (context.highest ?? '');
      },
      same: ({ context, event }) => {
        assertEvent(event, 'explorer');
        return event.id === context.highest;
      },
      allDone: ({ context }) => context.open.length === 0,
    },
  })
  .createMachine({
    id: 'adoption',
    context: ({ input }) => ({
      ...input,
      highest: null,
      parent: null,
      marks: Object.fromEntries(input.neighbours.map((id) => [id, null])),
      open: [],
      children: [],
      leader: null,
    }),
    initial: 'asleep',
    states: {
      asleep: {
        on: {
          elect: { target: 'exploring.root', actions: ['initiate', 'explore'], description: 'AD1' },
          explorer: { target: 'exploring.child', actions: ['join', 'explore'], description: 'AD2' },
        },
      },
      exploring: {
        tags: 'waiting',
        on: {
          elect: { description: 'AD1: it takes part already' },
          explorer: [
            { guard: 'outdated', description: 'AD3: a larger id has crossed it, or overtaken it' },
            { guard: 'crossed', actions: 'close', description: 'AD4' },
            { guard: 'larger', target: '.child', actions: 'adopt', description: 'AD5' },
            { guard: 'same', actions: ['answer', 'close'], description: 'AD6' },
            { actions: 'answer', description: 'AD7' },
          ],
          echo: { actions: ['close', 'noteChild'], description: 'AD8' },
        },
        states: {
          root: {
            always: {
              guard: 'allDone',
              target: '#leader',
              actions: ['learn', 'announce'],
              description: 'AD10',
            },
          },
          child: {
            always: { guard: 'allDone', target: '#explored', actions: 'echo', description: 'AD9' },
          },
        },
        initial: 'root',
      },
      explored: {
        id: 'explored',
        tags: 'waiting',
        on: {
          elect: { description: 'AD1: it takes part already' },
          explorer: { guard: 'outdated', description: 'AD3: a larger id has overtaken it' },
          elected: { target: 'follower', actions: ['learn', 'announce'], description: 'AD11' },
        },
      },
      leader: {
        id: 'leader',
        tags: ['leader', 'decided'],
        on: {
          elect: { description: 'AD1: the election is decided' },
          explorer: { guard: 'outdated', description: 'AD3: a larger id has overtaken it' },
        },
      },
      follower: {
        tags: 'decided',
        on: {
          elect: { description: 'AD1: the election is decided' },
          explorer: { guard: 'outdated', description: 'AD3: a larger id has overtaken it' },
        },
      },
    },
  });
