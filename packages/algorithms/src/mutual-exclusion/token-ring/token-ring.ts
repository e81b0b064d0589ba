/**
 * Mutual exclusion by a token that goes round a ring for ever (LeLann, IFIP Congress 1977). Nobody asks for anything:
 * 1 message per entry under full load, as many as you like where nobody wants to enter. Reliable channels, any order. Rules T1–T4: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { setup } from 'xstate';
import type { Command } from '../mutual-exclusion.js';

/** TOKEN: whoever has it may enter. */
export type Message = { readonly type: 'token' };

export interface Input {
  /** The next node on the ring. */
  readonly next: NodeId;
  /** Whether this node puts the token on the ring. */
  readonly first: boolean;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Input; events: Event; emitted: Effect<Message> },
});

const passToken = node.emit(({ context }) => send(context.next, { type: 'token' }));

export const machine = node.extend({ actions: { passToken }, guards: { isFirst: ({ context }) => context.first } }).createMachine({
  id: 'token-ring',
  context: ({ input }) => input,
  initial: 'starting',
  states: {
    starting: {
      always: [
        { guard: 'isFirst', target: 'released', actions: 'passToken' }, // T1
        { target: 'released' },
      ],
    },
    released: {
      on: {
        acquire: 'wanted',
        token: { actions: 'passToken' }, // T2
      },
    },
    wanted: {
      tags: 'waiting',
      on: {
        token: 'held', // T3
      },
    },
    held: {
      tags: ['critical', 'token'],
      on: {
        release: { target: 'released', actions: 'passToken' }, // T4
      },
    },
  },
});
