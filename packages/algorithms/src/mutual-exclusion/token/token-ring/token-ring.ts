/**
 * Mutual exclusion by a token that goes round a ring for ever (LeLann, IFIP Congress 1977). Nobody asks for anything:
 * 1 message per entry under full load, as many as you like where nobody wants to enter. Reliable channels, any order. Rules T1–T4: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../../mutual-exclusion.js';

/** TOKEN: whoever has it may enter. It carries how many entries there have been. */
export type Message = { readonly type: 'token'; readonly entries: number };

export interface Input {
  /** The next node on the ring. */
  readonly next: NodeId;
  /** Whether this node puts the token on the ring. */
  readonly first: boolean;
}

interface Context extends Input {
  /** While the token is here, how many entries there have been. */
  readonly entries: number;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const takeToken = node.assign(({ event }) => {
  assertEvent(event, 'token');
  return { entries: event.entries };
});

const countEntry = node.assign(({ context }) => ({ entries: context.entries + 1 }));

const passToken = node.enqueueActions(({ context: { next, entries }, enqueue }) => {
  enqueue.emit(send(next, { type: 'token', entries }));
  enqueue.assign({ entries: 0 });
});

export const machine = node
  .extend({
    actions: { takeToken, countEntry, passToken },
    guards: { isFirst: ({ context }) => context.first },
  })
  .createMachine({
    id: 'token-ring',
    context: ({ input }) => ({ ...input, entries: 0 }),
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
          token: { actions: ['takeToken', 'passToken'] }, // T2
        },
      },
      wanted: {
        tags: 'waiting',
        on: {
          token: { target: 'held', actions: ['takeToken', 'countEntry'] }, // T3
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
