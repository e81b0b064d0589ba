/**
 * Machines for the tests of regions: one that uses everything that may be in a machine which becomes
 * a region of a larger one, and two frames to put it in. A projection must rename each event, guard,
 * action, timer and target of it; a feature that this machine lacks would not be tested.
 */
import { step } from '@conclave/core/internal';
import {
  ConclaveError,
  type Effect,
  type LocalState,
  type Message,
  notify,
  send,
} from '@conclave/core/protocol';
import {
  type AnyStateMachine,
  and,
  assign,
  cancel,
  createMachine,
  type EventObject,
  emit,
  not,
  or,
  raise,
  setup,
  stateIn,
  type UnknownMachineConfig,
} from 'xstate';
import type { Appearance } from './projection.js';
import { region } from './region.js';

/** Whether the current state takes an event, as a step of its node does. */
export function accepts(machine: AnyStateMachine, state: LocalState, event: EventObject): boolean {
  try {
    step(machine, 'a', state, event);
    return true;
  } catch (error) {
    if (error instanceof ConclaveError && error.code === 'unhandled') return false;
    throw error;
  }
}

/** A frame without regions, to which they are added. */
export const emptyMachine = createMachine({
  id: 'alone',
  type: 'parallel',
  context: {},
  states: {},
});

/** A frame of one state, which is the machine. */
export function asSolePart(machine: AnyStateMachine, appearance: Appearance = {}): AnyStateMachine {
  const { state, implementations, context } = region('part', machine, {
    ...appearance,
    sole: true,
  });
  const config: UnknownMachineConfig = {
    id: 'alone',
    initial: 'part',
    context: ({ input }: { readonly input: unknown }) => ({ ...context(input) }),
    states: { part: state },
  };
  return createMachine(config, implementations);
}

const typed = setup({
  types: {} as {
    input: { readonly patience: number };
    context: { readonly patience: number; readonly seen: number; readonly last: string };
    events: { readonly type: 'go' | 'stop' | 'ring' | 'wake' | 'tick'; readonly by?: number };
    emitted: Effect<Message, Message>;
  },
  actions: {
    add: assign({
      seen: ({ context, event }, { by }: { by: number }) => context.seen + by + (event.by ?? 0),
      last: 'added',
    }),
    note: assign(({ event }) => ({ last: event.type })),
    reset: assign({ seen: 0 }),
    say: emit(({ context }) => send('b', { type: 'said', seen: context.seen })),
    tell: emit(notify({ type: 'told' })),
  },
  guards: {
    many: ({ context }) => context.seen > 4,
    atLeast: ({ context }, { least }: { least: number }) => context.seen >= least,
  },
  delays: { patience: ({ context }) => context.patience * 10 },
});

/** Uses everything that a projection supports; its id is `busy`. */
export const fullMachine = typed
  .extend({
    actions: {
      both: typed.enqueueActions(({ context, event, enqueue, check }) => {
        if (check('many')) enqueue.emit(send('c', { type: event.type }));
        else enqueue({ type: 'add', params: { by: context.seen } });
        enqueue.raise({ type: 'wake' });
        enqueue.cancel('late');
        enqueue.raise({ type: 'tick' }, { id: 'late', delay: 3 });
        enqueue.assign({ last: 'both' });
        enqueue('note');
      }),
      hush: typed.enqueueActions(({ enqueue }) => enqueue.cancel('late')),
    },
  })
  .createMachine({
    id: 'busy',
    context: ({ input }) => ({ ...{ patience: 7, seen: 0, last: '' }, ...input }),
    entry: 'note',
    initial: 'idle',
    states: {
      idle: {
        tags: 'quiet',
        on: {
          go: {
            target: '#active',
            actions: { type: 'add', params: ({ context }) => ({ by: context.patience }) },
          },
          ring: { target: 'sleeping', description: 'it rings' },
          stop: {},
        },
      },
      sleeping: {
        tags: ['quiet', 'waiting'],
        entry: raise(({ context }) => ({ type: 'tick', by: context.seen }), {
          id: 'nap',
          delay: 'patience',
        }),
        exit: [cancel('nap'), 'hush'],
        after: {
          5: { guard: 'many', target: 'idle', actions: 'say' },
          patience: [{ guard: not('many'), target: 'active.back' }, { target: 'idle' }],
        },
        on: {
          wake: { target: '.', reenter: true, actions: 'note' },
          go: { target: 'active.back' },
        },
      },
      active: {
        id: 'active',
        type: 'parallel',
        exit: 'tell',
        states: {
          left: {
            initial: 'low',
            states: {
              low: {
                on: { wake: { target: 'high', guard: { type: 'atLeast', params: { least: 3 } } } },
              },
              high: {
                always: {
                  guard: and([
                    stateIn('#second'),
                    or(['many', stateIn({ active: { right: 'first' } })]),
                  ]),
                  target: 'low',
                },
              },
              before: { type: 'history', target: 'high' },
            },
            on: { go: { actions: ['both', 'say'] }, tick: '.before' },
          },
          right: {
            initial: 'first',
            states: {
              first: { on: { ring: 'second' } },
              second: { id: 'second', tags: 'loud', on: { ring: [{ target: 'first' }] } },
            },
          },
          back: { type: 'history', history: 'deep' },
        },
        on: { stop: { target: '#busy.idle', actions: [assign({ last: 'stopped' }), 'reset'] } },
      },
    },
  });
