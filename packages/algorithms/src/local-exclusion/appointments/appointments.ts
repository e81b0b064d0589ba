/**
 * Appointments among several participants: each participant's calendar is a resource, and calendars
 * are taken in the order of ids (Havender, IBM Systems Journal 7:2, 1968; Dijkstra, Acta
 * Informatica 1:2, 1971). 3(k−1) messages for k participants; any connected network, any order.
 * Rules AP1–AP6: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';

/** `with`: the other participants, who are neighbours of the organiser. */
export type Command =
  | { readonly type: 'acquire'; readonly with: 'neighbours' | readonly NodeId[] }
  | { readonly type: 'release' };

/** From the organiser to a participant, and back. */
export type Message =
  | { readonly type: 'request' }
  | { readonly type: 'granted'; readonly entries: number }
  | { readonly type: 'returned'; readonly entries: number };

export interface Input {
  readonly self: NodeId;
  readonly neighbours: readonly NodeId[];
}

interface Context extends Input {
  /**
   * The participants of the appointment that this node wants or has, itself included, in the order
   * of ids.
   */
  readonly participants: readonly NodeId[];
  /** Those whose calendars are missing. The first one is asked. */
  readonly missing: readonly NodeId[];
  /**
   * The organiser's fencing token; while it waits, the largest number that came with a calendar.
   */
  readonly fence: number;
  /** The organiser that has this node's calendar. */
  readonly holder: NodeId | null;
  /** The organisers that wait for this node's calendar. */
  readonly queue: readonly NodeId[];
  /** The largest fencing token of an appointment in this node's calendar. */
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

/**
 * Sends a message to some nodes. To the node itself it is an internal event, which the other region
 * takes within the same step.
 */
const tell = (whom: (given: Given) => readonly NodeId[], what: (context: Context) => Message) =>
  node.enqueueActions(({ context, event, enqueue }) => {
    for (const to of whom({ context, event }))
      if (to === context.self) enqueue.raise({ ...what(context), from: to });
      else enqueue.emit(send(to, what(context)));
  });

const plan = node.assign(({ context: { self, neighbours }, event }) => {
  assertEvent(event, 'acquire');
  const others = event.with === 'neighbours' ? neighbours : event.with;
  const participants = [...new Set([self, ...others])].sort();
  return { participants, missing: participants, fence: 0 };
});

const note = node.assign(({ context, event }) => {
  assertEvent(event, 'granted');
  return { missing: context.missing.slice(1), fence: Math.max(context.fence, event.entries) };
});

const countEntry = node.assign(({ context }) => ({ fence: context.fence + 1 }));

const forget = node.assign({ participants: [] });

const enter = node.assign(({ event }) => {
  assertEvent(event, 'request');
  return { holder: event.from };
});

const enqueue = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { queue: [...context.queue, event.from] };
});

const noteEntries = node.assign(({ event }) => {
  assertEvent(event, 'returned');
  return { entries: event.entries };
});

const enterFirst = node.assign(({ context }) => ({
  holder: context.queue[0] ?? null,
  queue: context.queue.slice(1),
}));

export const machine = node
  .extend({
    actions: {
      plan,
      ask: tell(
        ({ context }) => context.missing.slice(0, 1),
        () => ({ type: 'request' }),
      ),
      note,
      countEntry,
      giveBack: tell(
        ({ context }) => context.participants,
        ({ fence }) => ({ type: 'returned', entries: fence }),
      ),
      forget,
      enter,
      grant: tell(
        ({ context: { holder } }) => (holder === null ? [] : [holder]),
        ({ entries }) => ({ type: 'granted', entries }),
      ),
      enqueue,
      noteEntries,
      enterFirst,
    },
    guards: {
      isLast: ({ context }: Given) => context.missing.length === 1,
      queueIsEmpty: ({ context }: Given) => context.queue.length === 0,
    },
  })
  .createMachine({
    id: 'appointments',
    context: ({ input }) => ({
      ...input,
      participants: [],
      missing: [],
      fence: 0,
      holder: null,
      queue: [],
      entries: 0,
    }),
    type: 'parallel',
    states: {
      organiser: {
        initial: 'released',
        states: {
          released: {
            on: { acquire: { target: 'wanted', actions: ['plan', 'ask'], description: 'AP1' } },
          },
          wanted: {
            tags: 'waiting',
            on: {
              granted: [
                {
                  guard: 'isLast',
                  target: 'held',
                  actions: ['note', 'countEntry'],
                  description: 'AP4',
                },
                { actions: ['note', 'ask'], description: 'AP3' },
              ],
            },
          },
          held: {
            tags: 'critical',
            on: {
              release: { target: 'released', actions: ['giveBack', 'forget'], description: 'AP5' },
            },
          },
        },
      },
      calendar: {
        initial: 'free',
        states: {
          free: {
            on: { request: { target: 'taken', actions: ['enter', 'grant'], description: 'AP2' } },
          },
          taken: {
            on: {
              request: { actions: 'enqueue', description: 'AP2' },
              returned: [
                {
                  guard: 'queueIsEmpty',
                  target: 'free',
                  actions: ['noteEntries', 'enterFirst'],
                  description: 'AP6',
                },
                { actions: ['noteEntries', 'enterFirst', 'grant'], description: 'AP6' },
              ],
            },
          },
        },
      },
    },
  });
