/** Which differences of a mutant step properties can see. */
import { describe, expect, it } from 'vitest';
import { emit, setup } from 'xstate';
import { type Self, tiny } from '../protocol/examples.contract.js';
import { type Effect, type Message, notify, send } from '../protocol/node.js';
import { everyStep, type Property } from '../protocol/property.js';
import { complete } from '../topology/generators.js';
import { mutate } from './mutate.js';

const ring = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'shut' } | { type: 'told' };
    emitted: Effect<Message, Message>;
  },
  actions: {
    ringBell: emit(notify({ type: 'bell' })),
    tell: emit(({ context }) => send(context.peers[0] ?? '', { type: 'told' })),
  },
}).createMachine({
  id: 'ring',
  context: ({ input }) => input,
  initial: 'open',
  states: {
    open: { on: { shut: { target: 'shut', actions: ['tell', 'ringBell'] }, told: {} } },
    shut: { tags: 'shut', on: { told: {} } },
  },
});
const rings = (...properties: readonly Property[]) =>
  mutate(
    tiny(ring, {
      messages: { told: { meaning: 'it is shut' } },
      commands: { shut: { kind: 'optional', meaning: 'shut it' } },
      properties,
    }),
    {
      systems: [{ topology: complete(2) }],
      operators: ['drop-action', 'duplicate-action', 'misdirect-send'],
    },
  );

const fatesOf = ({ mutants }: Pick<ReturnType<typeof mutate>, 'mutants'>) =>
  mutants.map(({ id, fate, by }) => [id, fate, ...(by === undefined ? [] : [by])].join(', '));

describe('in the steps of mutants,', () => {
  it('notifications count if a step property reads them', () => {
    expect(fatesOf(rings())).toContain('open: shut ringBell drop-action, equivalent');
    const once = 'the bell rings at most once';
    const { mutants } = rings(everyStep(once, ({ notified }) => notified.length <= 1));
    expect(fatesOf({ mutants }).filter((fate) => fate.includes('ringBell'))).toEqual([
      'open: shut ringBell drop-action, survived',
      `open: shut ringBell duplicate-action, killed, ${once}`,
      'open: shut ringBell misdirect-send, equivalent',
    ]);
    expect(mutants.find(({ id }) => id === 'open: shut ringBell drop-action')?.difference).toEqual({
      system: 'complete:2',
      run: ['- a  shut  open → shut  ⇒ b: told, notify bell', '+ a  shut  open → shut  ⇒ b: told'],
      differs: 'the notifications of the application differ',
    });
  });

  it('the neighbours, which only mutants store, are no difference, even if a property reads whole contexts', () => {
    const whole = everyStep(
      'contexts stay',
      ({ before, after }) =>
        Object.keys(before.context).length === Object.keys(after.context).length,
    );
    expect(fatesOf(rings(whole))).toContain('open: shut tell misdirect-send, equivalent');
  });
});
