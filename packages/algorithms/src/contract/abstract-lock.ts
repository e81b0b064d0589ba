/**
 * Mutual exclusion without a network: every protocol of this problem must look like this from
 * outside when no message is in transit.
 */
import type { NodeId } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';

/** `release` names the next holder: the protocol chooses it among the waiting nodes. */
export type LockEvent =
  | { readonly type: 'acquire'; readonly id: NodeId }
  | { readonly type: 'release'; readonly next: NodeId | null };

interface Context {
  readonly holder: NodeId | null;
  /** In alphabetical order: the problem does not determine the next holder. */
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
    guards: { noNodeWaits: ({ context }) => context.waiting.length === 0 },
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
          release: [
            { guard: 'noNodeWaits', target: 'idle', actions: 'leave' },
            { actions: 'handOver' },
          ],
        },
      },
    },
  });

/** The possible next events of the lock among `nodes`. */
export function lockEvents({ holder, waiting }: Context, nodes: readonly NodeId[]): LockEvent[] {
  const idle = nodes.filter((id) => id !== holder && !waiting.includes(id));
  const acquires = idle.map((id): LockEvent => ({ type: 'acquire', id }));
  if (holder === null) return acquires;
  const next: readonly (NodeId | null)[] = waiting.length > 0 ? waiting : [null];
  return [...acquires, ...next.map((id): LockEvent => ({ type: 'release', next: id }))];
}
