/** Mutual exclusion itself, without any network: what every protocol of this problem must look like from outside once messages have settled. */
import type { NodeId } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';

/** `release` says who comes next: the protocol's choice among those that wait. */
export type LockEvent = { readonly type: 'acquire'; readonly id: NodeId } | { readonly type: 'release'; readonly next: NodeId | null };

interface Context {
  readonly holder: NodeId | null;
  /** In alphabetical order: the problem does not say who is next. */
  readonly waiting: readonly NodeId[];
}

const lock = setup({ types: {} as { context: Context; events: LockEvent } });

const enter = lock.assign(({ event }) => {
  assertEvent(event, 'acquire');
  return { holder: event.id };
});

const wait = lock.assign(({ context, event }) => {
  assertEvent(event, 'acquire');
  return { waiting: [...context.waiting, event.id].sort() };
});

const handOver = lock.assign(({ context, event }) => {
  assertEvent(event, 'release');
  return { holder: event.next, waiting: context.waiting.filter((id) => id !== event.next) };
});

const leave = lock.assign({ holder: null });

export const abstractLock = lock
  .extend({
    actions: { enter, wait, handOver, leave },
    guards: { nobodyWaits: ({ context }) => context.waiting.length === 0 },
  })
  .createMachine({
    id: 'abstract-lock',
    context: { holder: null, waiting: [] },
    initial: 'idle',
    states: {
      idle: { on: { acquire: { target: 'held', actions: 'enter' } } },
      held: {
        on: {
          acquire: { actions: 'wait' },
          release: [{ guard: 'nobodyWaits', target: 'idle', actions: 'leave' }, { actions: 'handOver' }],
        },
      },
    },
  });

/** What may happen next to the lock among `nodes`. */
export function lockEvents({ holder, waiting }: Context, nodes: readonly NodeId[]): LockEvent[] {
  const idle = nodes.filter((id) => id !== holder && !waiting.includes(id));
  const acquires = idle.map((id): LockEvent => ({ type: 'acquire', id }));
  if (holder === null) return acquires;
  const next: readonly (NodeId | null)[] = waiting.length > 0 ? waiting : [null];
  return [...acquires, ...next.map((id): LockEvent => ({ type: 'release', next: id }))];
}
