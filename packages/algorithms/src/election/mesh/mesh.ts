/**
 * Election in an unoriented mesh, after N. Santoro (Design and Analysis of Distributed Algorithms,
 * 2007, section 3.4): the four corners elect one of them along the border. O(n) messages on a × b
 * nodes; reliable channels, FIFO. Rules ME1–ME8: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../election.js';

/**
 * The two neighbours of a border node along the border, given the neighbours of each of its three
 * neighbours. They are on a line with it, so it is their only common neighbour; each of them is in
 * a square with the third one, so it has two common neighbours with that one.
 */
export function alongBorder(
  neighbours: readonly NodeId[],
  beyond: Readonly<Record<NodeId, readonly NodeId[]>>,
): readonly NodeId[] {
  const common = (one: NodeId, other: NodeId) =>
    (beyond[one] ?? []).filter((id) => beyond[other]?.includes(id)).length;
  return neighbours.filter((one) =>
    neighbours.some((other) => other !== one && common(one, other) === 1),
  );
}

/**
 * WAKE-UP starts each node; CANDIDATE carries the id of a corner along the border; ELECTED
 * announces the leader.
 */
export type Message =
  | { readonly type: 'wake-up'; readonly neighbours: readonly NodeId[] }
  | { readonly type: 'candidate'; readonly id: NodeId }
  | { readonly type: 'elected'; readonly id: NodeId };

interface Input {
  readonly self: NodeId;
  readonly neighbours: readonly NodeId[];
}

interface Context extends Input {
  /** At a border node that is learning: the neighbours of those neighbours that it has heard of. */
  readonly beyond: Readonly<Record<NodeId, readonly NodeId[]>>;
  /**
   * At a border node that is learning: the candidates that have come meanwhile, in the order of
   * arrival.
   */
  readonly held: readonly { readonly id: NodeId; readonly from: NodeId }[];
  /**
   * The two neighbours along the border; empty at an interior node, and at a border node that is
   * learning.
   */
  readonly along: readonly NodeId[];
  readonly leader: NodeId | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const wakeNeighbours = node.enqueueActions(({ context: { neighbours }, enqueue }) => {
  for (const id of neighbours) enqueue.emit(send(id, { type: 'wake-up', neighbours }));
});

const meet = node.assign(({ context, event }) => {
  assertEvent(event, 'wake-up');
  return { beyond: { ...context.beyond, [event.from]: event.neighbours } };
});

const hold = node.assign(({ context, event }) => {
  assertEvent(event, 'candidate');
  return { held: [...context.held, { id: event.id, from: event.from }] };
});

const sendId = node.emit(({ context }) =>
  send(context.along[0] ?? context.self, { type: 'candidate', id: context.self }),
);

/** The other neighbour along the border. */
const onward = ({ along, self }: Context, from: NodeId): NodeId =>
  along.find((id) => id !== from) ?? self;

const passAlong = node.emit(({ context, event }) => {
  assertEvent(event, 'candidate');
  return send(onward(context, event.from), { type: 'candidate', id: event.id });
});

const findBorder = node.assign(({ context: { neighbours, beyond } }) => ({
  along: alongBorder(neighbours, beyond),
  beyond: {},
}));

const passHeld = node.enqueueActions(({ context, enqueue }) => {
  for (const { id, from } of context.held)
    enqueue.emit(send(onward(context, from), { type: 'candidate', id }));
  enqueue.assign({ held: [] });
});

const win = node.assign(({ context }) => ({ leader: context.self }));

const announce = node.enqueueActions(({ context, enqueue }) => {
  for (const id of context.neighbours)
    enqueue.emit(send(id, { type: 'elected', id: context.self }));
});

const learn = node.assign(({ event }) => {
  assertEvent(event, 'elected');
  return { leader: event.id };
});

const announceToOthers = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'elected');
  for (const id of context.neighbours)
    if (id !== event.from) enqueue.emit(send(id, { type: 'elected', id: event.id }));
});

export const machine = node
  .extend({
    actions: {
      wakeNeighbours,
      meet,
      hold,
      sendId,
      passAlong,
      findBorder,
      passHeld,
      win,
      announce,
      learn,
      announceToOthers,
    },
    guards: {
      isCorner: ({ context }) => context.neighbours.length === 2,
      isBorder: ({ context }) => context.neighbours.length === 3,
      hasMetAll: ({ context }) => Object.keys(context.beyond).length === 3,
      own: ({ context, event }) => {
        assertEvent(event, 'candidate');
        return event.id === context.self;
      },
      isLarger: ({ context, event }) => {
        assertEvent(event, 'candidate');
        return event.id > context.self;
      },
    },
  })
  .createMachine({
    id: 'mesh',
    context: ({ input }) => ({
      ...input,
      beyond: {},
      held: [],
      along: input.neighbours.length === 2 ? input.neighbours : [],
      leader: null,
    }),
    initial: 'asleep',
    states: {
      asleep: {
        on: {
          elect: { target: 'awake', actions: 'wakeNeighbours', description: 'ME1' },
          'wake-up': [
            {
              guard: 'isBorder',
              target: 'awake',
              actions: ['wakeNeighbours', 'meet'],
              description: 'ME1, ME3',
            },
            { target: 'awake', actions: 'wakeNeighbours', description: 'ME1' },
          ],
        },
      },
      awake: {
        tags: 'waiting',
        initial: 'placing',
        on: {
          elect: { description: 'ME1: it takes part already' },
          'wake-up': { description: 'ME1: it is awake' },
          elected: {
            target: 'follower',
            actions: ['learn', 'announceToOthers'],
            description: 'ME7',
          },
        },
        states: {
          placing: {
            always: [
              { guard: 'isCorner', target: 'corner', actions: 'sendId', description: 'ME2' },
              { guard: 'isBorder', target: 'learning', description: 'ME3' },
              { target: 'interior', description: 'ME7' },
            ],
          },
          corner: {
            on: {
              candidate: [
                {
                  guard: 'own',
                  target: '#leader',
                  actions: ['win', 'announce'],
                  description: 'ME6',
                },
                { guard: 'isLarger', actions: 'passAlong', description: 'ME5' },
                { description: 'ME5: extinguished' },
              ],
            },
          },
          learning: {
            always: {
              guard: 'hasMetAll',
              target: 'relaying',
              actions: ['findBorder', 'passHeld'],
              description: 'ME3, ME4',
            },
            on: {
              'wake-up': { actions: 'meet', description: 'ME3' },
              candidate: { actions: 'hold', description: 'ME4' },
            },
          },
          relaying: { on: { candidate: { actions: 'passAlong', description: 'ME4' } } },
          interior: {},
        },
      },
      leader: {
        id: 'leader',
        tags: ['leader', 'decided'],
        on: {
          elect: { description: 'ME8: the election is decided' },
          'wake-up': { description: 'ME8: the election is decided' },
          candidate: { description: 'ME8: the election is decided' },
          elected: { description: 'ME8: its own announcement' },
        },
      },
      follower: {
        tags: 'decided',
        on: {
          elect: { description: 'ME8: the election is decided' },
          'wake-up': { description: 'ME8: the election is decided' },
          candidate: { description: 'ME8: the election is decided' },
          elected: { description: 'ME8: it knows the leader' },
        },
      },
    },
  });
