/** Tiny systems which crashes in the middle of steps, or clocks, bring into many states. */

import {
  type Chosen,
  choose,
  type Effect,
  never,
  type Received,
  send,
} from '@conclave/core/protocol';
import { star } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { setup } from 'xstate';
import {
  minimalProtocol,
  type Self,
  selfAndPeers,
} from '../../../../core/src/protocol/examples.contract.js';

// Sends at its start, and two messages to each peer on command; the number of its epoch survives a
// crash.

type Cry = { type: 'cry'; epoch: number } | { type: 'echo' } | { type: 'gone' };

const crier = setup({
  types: {} as {
    input: Self & { epoch?: number };
    context: Self & { epoch: number; heard: number };
    events: { type: 'shout' } | Received<Cry>;
    emitted: Effect<Cry>;
  },
});
const greet = crier.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.peers) enqueue.emit(send(peer, { type: 'echo' }));
});
const cry = crier.enqueueActions(({ context, enqueue }) => {
  enqueue.assign({ epoch: context.epoch + 1 });
  for (const peer of context.peers) {
    enqueue.emit(send(peer, { type: 'cry', epoch: context.epoch + 1 }));
    enqueue.emit(send(peer, { type: 'echo' }));
  }
});
const hear = crier.assign(({ context, event }) => ({
  heard: Math.max(context.heard, 'epoch' in event ? event.epoch : 0),
}));

/** Each node sends at its start, too. */
export const criers = minimalProtocol(
  crier.extend({ actions: { greet, cry, hear } }).createMachine({
    context: ({ input }) => ({
      self: input.self,
      peers: input.peers,
      epoch: input.epoch ?? 0,
      heard: 0,
    }),
    initial: 'calm',
    entry: 'greet',
    on: { cry: { actions: 'hear' }, echo: {}, gone: '.alone' },
    states: {
      calm: { on: { shout: { actions: 'cry' } } },
      alone: { tags: 'waiting', on: { shout: {} } },
    },
  }),
  {
    name: 'criers',
    channels: { order: 'fifo', loss: false, duplication: false },
    messages: {
      cry: { fields: ['epoch'], meaning: 'hear me' },
      echo: { meaning: 'and again' },
      gone: { meaning: 'the sender is gone' },
    },
    commands: { shout: { kind: 'optional', meaning: 'cry' } },
  },
);
const [role] = Object.values(criers.roles);
/** Criers that remember their epoch, and whose network tells of crashes. */
export const mourners = {
  ...criers,
  crashNotice: 'gone',
  roles: role ? { node: { ...role, stable: ['epoch'] } } : {},
};

// Draws two numbers in one step, and counts them on stable storage.

const drawer = setup({
  types: {} as {
    input: { drawn?: number };
    context: { drawn: number };
    events: { type: 'draw' } | Chosen;
    emitted: Effect;
  },
});
const drawTwo = drawer.enqueueActions(({ enqueue }) => {
  enqueue.emit(choose('left', 'right'));
  enqueue.emit(choose('left', 'right'));
});
const count = drawer.assign(({ context }) => ({ drawn: context.drawn + 1 }));
const drawing = drawer.extend({ actions: { drawTwo, count } }).createMachine({
  context: ({ input }) => ({ drawn: input.drawn ?? 0 }),
  initial: 'up',
  states: { up: { on: { draw: { actions: 'drawTwo' }, chosen: { actions: 'count' } } } },
});

/** A node that goes down between two answers has counted one of them. */
export const drawers = minimalProtocol(drawing, {
  name: 'drawers',
  roles: { node: { machine: drawing, input: () => ({}), stable: ['drawn'] } },
  commands: { draw: { kind: 'optional', meaning: 'draw two' } },
  properties: [
    never('a node that is down has drawn one', ({ nodes }) =>
      nodes.some((node) => node.crashed && node.context.drawn === 1),
    ),
  ],
});

// The centre of a star beats every four ticks; a leaf that hears nothing for six suspects it.

type Beat = { type: 'beat' };

const heart = setup({
  types: {} as { input: Self; context: Self; events: Received<Beat>; emitted: Effect<Beat> },
});
const beat = heart.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.peers) enqueue.emit(send(peer, { type: 'beat' }));
});
const beating = heart.extend({ actions: { beat } }).createMachine({
  context: ({ input }) => input,
  initial: 'beating',
  states: { beating: { entry: 'beat', after: { 4: { target: 'beating', reenter: true } } } },
});
const listening = heart.createMachine({
  context: ({ input }) => input,
  initial: 'trusts',
  states: {
    trusts: { on: { beat: { target: 'trusts', reenter: true } }, after: { 6: 'suspects' } },
    suspects: { tags: 'waiting', on: { beat: 'trusts' } },
  },
});

export const heartbeats = minimalProtocol(beating, {
  name: 'heartbeats',
  topology: needs.star,
  channels: { order: 'fifo', loss: true, duplication: false },
  roles: {
    heart: { machine: beating, input: selfAndPeers },
    listener: { machine: listening, input: selfAndPeers },
  },
  roleOf: (node, topology) =>
    node === star(topology.nodes.length).nodes[0] ? 'heart' : 'listener',
  messages: { beat: { meaning: 'I am alive' } },
  properties: [
    never(
      'a live heart is suspected',
      (system) => system.live === system.nodes.length && system.count('waiting') > 0,
    ),
  ],
});
