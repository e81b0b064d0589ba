/**
 * A token that is made when it is first needed, as a resource not known beforehand would need one:
 * a node that finds no token makes it. This is wrong: F. Mattern's lecture notes (Verteilte
 * Algorithmen, 1999/2000) ask who guarantees that no other node makes one at the same time.
 */
import {
  always,
  defineProtocol,
  type Effect,
  type NodeId,
  type Received,
  send,
} from '@conclave/core/protocol';
import { needs } from '@conclave/core/topology';
import { assertEvent, setup } from 'xstate';
import { type Command, commands, properties } from '../../mutual-exclusion.js';

/** ASK: do you have the token? NONE: no. The receiver of TOKEN may enter. */
type Message = { readonly type: 'ask' | 'none' | 'token' };

interface Input {
  readonly peers: readonly NodeId[];
}

interface Context extends Input {
  /** The nodes that have not answered yet. */
  readonly awaiting: readonly NodeId[];
  /** The nodes that get the token next. */
  readonly queue: readonly NodeId[];
}

const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Command | Received<Message>;
    emitted: Effect<Message>;
  },
});

const machine = node
  .extend({
    actions: {
      askAll: node.enqueueActions(({ context, enqueue }) => {
        for (const peer of context.peers) enqueue.emit(send(peer, { type: 'ask' }));
        enqueue.assign({ awaiting: context.peers });
      }),
      deny: node.emit(({ event }) => {
        assertEvent(event, 'ask');
        return send(event.from, { type: 'none' });
      }),
      crossOff: node.assign(({ context, event }) => {
        assertEvent(event, 'none');
        return { awaiting: context.awaiting.filter((id) => id !== event.from) };
      }),
      enqueue: node.assign(({ context, event }) => {
        assertEvent(event, 'ask');
        return { queue: [...context.queue, event.from] };
      }),
      passToken: node.enqueueActions(({ context, enqueue }) => {
        const [next, ...others] = context.queue;
        if (next !== undefined) enqueue.emit(send(next, { type: 'token' }));
        for (const id of others) enqueue.emit(send(id, { type: 'none' }));
        enqueue.assign({ queue: [] });
      }),
    },
    guards: {
      noneHasIt: ({ context }) => context.awaiting.length === 0,
      noneAsks: ({ context }) => context.queue.length === 0,
    },
  })
  .createMachine({
    id: 'made-token',
    context: ({ input }) => ({ ...input, awaiting: [], queue: [] }),
    initial: 'without',
    states: {
      without: {
        on: { acquire: { target: 'asking', actions: 'askAll' }, ask: { actions: 'deny' } },
      },
      asking: {
        tags: 'waiting',
        always: { guard: 'noneHasIt', target: 'held', description: 'makes the token' },
        on: { ask: { actions: 'deny' }, none: { actions: 'crossOff' }, token: 'held' },
      },
      held: {
        tags: ['critical', 'token'],
        on: {
          ask: { actions: 'enqueue' },
          none: { description: 'the token came from another node' },
          release: [
            { guard: 'noneAsks', target: 'here' },
            { target: 'without', actions: 'passToken' },
          ],
        },
      },
      here: {
        tags: 'token',
        on: {
          acquire: 'held',
          ask: { target: 'without', actions: ['enqueue', 'passToken'] },
          none: { description: 'as in held' },
        },
      },
    },
  });

export const oneMadeToken = always(
  'there is at most one token, in a node or on its way',
  (system) => system.count('token') + system.inFlight('token').length <= 1,
);

export const madeToken = defineProtocol<Message, Command>({
  name: 'made-token',
  title: 'A token made on demand',
  problem: 'mutual-exclusion',
  citation: 'F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000',
  topology: needs.complete,
  channels: { order: 'any', loss: false, duplication: false },
  roles: { node: { machine, input: (self, topology) => ({ peers: topology.successors(self) }) } },
  messages: {
    ask: { meaning: 'do you have the token?' },
    none: { meaning: 'no' },
    token: { meaning: 'the receiver may enter' },
  },
  commands,
  properties: [...properties, oneMadeToken],
});
