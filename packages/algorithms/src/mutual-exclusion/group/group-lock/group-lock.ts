/**
 * Mutual exclusion over a group: requests and releases are multicasts in total order, and views
 * tell who has crashed (state machine approach: L. Lamport, CACM 21:7, 1978; F. B. Schneider,
 * Computing Surveys 22:4, 1990; groups: K. P. Birman, T. A. Joseph, SOSP 1987). 2(n−1) to 2n
 * messages per entry. Rules GL1–GL6: README.md
 */
import type { Effect, NodeId } from '@conclave/core/protocol';
import { setup } from 'xstate';
import { compose } from '../../../composition/region.js';
import type { Input as GroupInput } from '../../../detectors/membership/member.js';
import { machine as membership } from '../../../detectors/membership/membership.js';
import { type OptionSchemas, whole } from '../../../options.js';
import type { Command } from '../../mutual-exclusion.js';

export type Options = {
  /**
   * A member acknowledges each `window`-th message of the sequencer, so that members can forget.
   * Default 16.
   */
  readonly window?: number;
};

export const groupLockOptions: OptionSchemas<Options> = {
  window: whole(
    1,
    'a member acknowledges each message of the sequencer with a multiple of this number',
  ),
};

/** A request as every member has it: its node, and its place in the order of all requests. */
type Request = { readonly node: NodeId; readonly ticket: number };

/** What members multicast. */
type Word = 'request' | 'release';

/** What the group is told, and what it tells: a multicast that is delivered, and a view. */
type GroupEvent =
  | { readonly type: 'group-multicast'; readonly data: Word }
  | { readonly type: 'group-deliver'; readonly from: NodeId; readonly data: Word }
  | { readonly type: 'group-view'; readonly members: readonly NodeId[] };

interface Input {
  readonly self: NodeId;
  readonly group: GroupInput;
}

interface Context {
  readonly self: NodeId;
  /** The requests that wait or have entered, in the order in which they were delivered. */
  readonly queue: readonly Request[];
  /** How many requests have been delivered. */
  readonly tickets: number;
}

const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Command | GroupEvent;
    emitted: Effect<never>;
  },
});

/** Without the requests of nodes that `isGone`. */
const queueWithout = ({ queue }: Context, isGone: (id: NodeId) => boolean) => ({
  queue: queue.filter(({ node: id }) => !isGone(id)),
});

const lock = node.extend({
  actions: {
    multicastRequest: node.raise({ type: 'group-multicast', data: 'request' }),
    multicastRelease: node.raise({ type: 'group-multicast', data: 'release' }),
    enqueue: node.assign(({ context: { queue, tickets }, event }) =>
      event.type === 'group-deliver'
        ? { queue: [...queue, { node: event.from, ticket: tickets + 1 }], tickets: tickets + 1 }
        : {},
    ),
    removeOwn: node.assign(({ context }) => queueWithout(context, (id) => id === context.self)),
    removeSender: node.assign(({ context, event }) =>
      event.type === 'group-deliver' ? queueWithout(context, (id) => id === event.from) : {},
    ),
    removeAbsent: node.assign(({ context, event }) =>
      event.type === 'group-view' ? queueWithout(context, (id) => !event.members.includes(id)) : {},
    ),
  },
  guards: {
    isFirst: ({ context: { self, queue } }) => queue[0]?.node === self,
    isRequest: ({ event }) => event.type === 'group-deliver' && event.data === 'request',
    isOwn: ({ context, event }) => event.type === 'group-deliver' && event.from === context.self,
  },
});

const client = lock.createStateConfig({
  initial: 'released',
  states: {
    released: {
      on: { acquire: { target: 'wanted', actions: 'multicastRequest', description: 'GL1' } },
    },
    wanted: { tags: 'waiting', always: { guard: 'isFirst', target: 'held', description: 'GL3' } },
    held: {
      tags: 'critical',
      on: {
        release: {
          target: 'released',
          actions: ['removeOwn', 'multicastRelease'],
          description: 'GL4',
        },
      },
    },
  },
});

/** The queue, of which each member has a copy. */
const requests = lock.createStateConfig({
  meta: { raises: ['group-deliver', 'group-view'] },
  on: {
    'group-deliver': [
      { guard: 'isRequest', actions: 'enqueue', description: 'GL2' },
      { guard: 'isOwn', description: 'GL4: it is removed already' },
      { actions: 'removeSender', description: 'GL5' },
    ],
    'group-view': { actions: 'removeAbsent', description: 'GL6' },
  },
});

export const machine = compose(
  lock.createMachine({
    id: 'group-lock',
    type: 'parallel',
    context: ({ input }) => ({ self: input.self, queue: [], tickets: 0 }),
    states: { client, requests },
  }),
  { group: membership },
  { group: { told: ['deliver', 'view'], unused: ['join', 'leave', 'snapshot'] } },
);
