/**
 * Mutual exclusion by a token that goes round a one-way ring forever (Le Lann, IFIP Congress 1977).
 * Without requests: 1 message per entry under full load, no bound at light load. Reliable channels,
 * any order. Rules TR1–TR4, TR5 for `cancel`: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { cancel, type OptionSchemas, text } from '../../../options.js';
import type { CancellableCommand } from '../../cancel.js';

export type Options = {
  /** The node that starts the token. Default: the network's first node. */
  readonly holder?: NodeId;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const tokenRingOptions: OptionSchemas<Options> = {
  holder: text('the node that starts the token'),
  cancel,
};

/** TOKEN: the receiver may enter. It carries the number of entries so far. */
export type Message = { readonly type: 'token'; readonly entries: number };

interface Input {
  /** The next node on the ring. */
  readonly next: NodeId;
  /** Whether this node starts the token. */
  readonly first: boolean;
}

interface Context extends Input {
  /** While the token is here: the number of entries so far. */
  readonly entries: number;
}

export type Event = CancellableCommand | Received<Message>;

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

const tokenRing = node.extend({
  actions: { takeToken, countEntry, passToken },
  guards: { isFirst: ({ context }) => context.first },
});

export const machine = tokenRing.createMachine({
  id: 'token-ring',
  context: ({ input }) => ({ ...input, entries: 0 }),
  initial: 'starting',
  states: {
    starting: {
      always: [
        { guard: 'isFirst', target: 'released', actions: 'passToken', description: 'TR1' },
        { target: 'released' },
      ],
    },
    released: {
      on: {
        acquire: { target: 'wanted', description: 'TR3' },
        token: { actions: ['takeToken', 'passToken'], description: 'TR2' },
      },
    },
    wanted: {
      tags: 'waiting',
      on: { token: { target: 'held', actions: ['takeToken', 'countEntry'], description: 'TR3' } },
    },
    held: {
      tags: ['critical', 'token'],
      on: { release: { target: 'released', actions: 'passToken', description: 'TR4' } },
    },
  },
});

/** The machine with `cancel`. */
export const cancellableMachine = extend('cancellable-token-ring', machine, {
  wanted: tokenRing.createStateConfig({
    on: { cancel: { target: 'released', description: 'TR5' } },
  }),
});
