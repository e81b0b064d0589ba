/**
 * The hygienic solution to the dining philosophers (Chandy and Misra, ACM TOPLAS 6:4, 1984, section
 * 4). Any connected network, any order; at most 2d messages per entry of a node with d neighbours.
 * Rules DP1–DP6: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../../mutual-exclusion/mutual-exclusion.js';

/**
 * REQUEST is the request token of the fork between sender and receiver. FORK is that fork, clean,
 * with the largest fencing token of its sender.
 */
export type Message =
  | { readonly type: 'request' }
  | { readonly type: 'fork'; readonly entries: number };

export interface Input {
  readonly neighbours: readonly NodeId[];
  /** The neighbours whose fork is here. */
  readonly forks: readonly NodeId[];
}

interface Context extends Input {
  /** The forks that came since the node became hungry. All others are dirty. */
  readonly clean: readonly NodeId[];
  /** The neighbours whose request tokens wait here for their forks. */
  readonly requested: readonly NodeId[];
  /** The largest fencing token that this node knows; in its critical section, its own. */
  readonly entries: number;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

interface Given {
  readonly context: Context;
  readonly event: Event;
}

const senderOf = (event: Event): NodeId => {
  assertEvent(event, ['request', 'fork']);
  return event.from;
};

/** Sets of ids are kept in order, so that equal sets are equal arrays. */
const withId = (ids: readonly NodeId[], id: NodeId) => [...ids, id].sort();
const without = (ids: readonly NodeId[], gone: readonly NodeId[]) =>
  ids.filter((id) => !gone.includes(id));

const fork = ({ entries }: Context) => ({ type: 'fork', entries }) as const;

const requestMissing = node.enqueueActions(({ context, enqueue }) => {
  for (const id of without(context.neighbours, context.forks))
    enqueue.emit(send(id, { type: 'request' }));
});

const giveFork = node.enqueueActions(({ context, event, enqueue }) => {
  const to = senderOf(event);
  enqueue.emit(send(to, fork(context)));
  enqueue.assign({ forks: without(context.forks, [to]) });
});

const requestBack = node.emit(({ event }) => send(senderOf(event), { type: 'request' }));

const keepRequest = node.assign(({ context, event }) => ({
  requested: withId(context.requested, senderOf(event)),
}));

const takeFork = node.assign(({ context, event }) => {
  assertEvent(event, 'fork');
  return {
    forks: withId(context.forks, event.from),
    clean: withId(context.clean, event.from),
    entries: Math.max(context.entries, event.entries),
  };
});

const soilForks = node.assign(({ context }) => ({ clean: [], entries: context.entries + 1 }));

const giveRequested = node.enqueueActions(({ context, enqueue }) => {
  for (const id of context.requested) enqueue.emit(send(id, fork(context)));
  enqueue.assign({ forks: without(context.forks, context.requested), requested: [] });
});

export const machine = node
  .extend({
    actions: {
      requestMissing,
      giveFork,
      requestBack,
      keepRequest,
      takeFork,
      soilForks,
      giveRequested,
    },
    guards: {
      hasAllForks: ({ context }: Given) => context.forks.length === context.neighbours.length,
      forkIsDirty: ({ context, event }: Given) =>
        without(context.forks, context.clean).includes(senderOf(event)),
    },
  })
  .createMachine({
    id: 'dining-philosophers',
    context: ({ input }) => ({ ...input, clean: [], requested: [], entries: 0 }),
    initial: 'thinking',
    states: {
      thinking: {
        on: {
          acquire: { target: 'hungry', actions: 'requestMissing', description: 'DP1' },
          request: { actions: 'giveFork', description: 'DP2' },
        },
      },
      hungry: {
        tags: 'waiting',
        always: {
          guard: 'hasAllForks',
          target: 'eating',
          actions: 'soilForks',
          description: 'DP5',
        },
        on: {
          request: [
            { guard: 'forkIsDirty', actions: ['giveFork', 'requestBack'], description: 'DP2, DP3' },
            { actions: 'keepRequest', description: 'DP4' },
          ],
          fork: { actions: 'takeFork', description: 'DP5' },
        },
      },
      eating: {
        tags: 'critical',
        on: {
          request: { actions: 'keepRequest', description: 'DP4' },
          release: { target: 'thinking', actions: 'giveRequested', description: 'DP6' },
        },
      },
    },
  });
