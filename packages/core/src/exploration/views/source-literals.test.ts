import { expect, it } from 'vitest';
import { assign, emit, setup } from 'xstate';
import { literalsOf } from './source-literals.js';

it('finds the numbers and texts of guards and actions, and none of comments or of XState', () => {
  const machine = setup({
    types: {} as { context: { count: number } },
    actions: {
      // an action of its own, not 7
      add: assign({ count: ({ context }) => context.count + 11 /* not 8 */ }),
      tell: emit({ type: 'told' }),
    },
    guards: { isLate: ({ context }) => context.count >= 1_200 && `${context.count}` !== "it's 5" },
  }).createMachine({
    context: () => ({ count: 13 }),
    on: {
      add: { guard: ({ event }) => event.type === 'x2', actions: ['add', 'tell'] },
      late: { guard: 'isLate', actions: assign(({ context }) => ({ count: context.count - 0.5 })) },
    },
    after: { 1000: {} },
  });
  const { numbers, texts } = literalsOf(machine);
  expect([...numbers].sort((a, b) => a - b)).toEqual([0.5, 11, 13, 1200]);
  expect([...texts].sort()).toEqual(expect.arrayContaining(["it's 5", 'x2']));
});
