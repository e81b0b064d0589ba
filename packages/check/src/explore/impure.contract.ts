/** A machine that may depend on more than its state, and the error for it. */
import { send } from '@conclave/core/protocol';
import { expect } from 'vitest';
import { assign, enqueueActions, setup } from 'xstate';
import { minimalProtocol, type Self } from '../../../core/src/protocol/examples.contract.js';

export const impure = (message: string | RegExp) =>
  expect.objectContaining({ code: 'impure', message: expect.stringMatching(message) });

/** A node that collects what it receives, by this action, and forwards it if a guard allows. */
export function collector(
  actions: { readonly keep: (context: { queue: string[] }) => unknown },
  passes: () => boolean = () => true,
) {
  const machine = setup({
    types: {} as {
      input: Self;
      context: Self & { queue: string[] };
      events: { type: 'go' } | { type: 'hi'; from: string };
    },
    actions: {
      keep: assign(({ context }) => {
        actions.keep(context);
        return {};
      }),
      greet: enqueueActions(({ context, enqueue }) => {
        for (const peer of context.peers) enqueue.emit(send(peer, { type: 'hi' }) as never);
      }),
    },
    guards: { passes },
  }).createMachine({
    context: ({ input }) => ({ ...input, queue: [] }),
    initial: 'idle',
    states: {
      idle: {
        on: {
          go: { guard: 'passes', target: 'idle', actions: ['greet'] },
          hi: { actions: ['keep'] },
        },
      },
    },
  });
  return minimalProtocol(machine, {
    messages: { hi: { meaning: 'hello' } },
    commands: { go: { kind: 'optional', meaning: 'greet' } },
    waiting: false,
  });
}
