import { start, step } from '@conclave/core/internal/protocol';
import { atMost, choose, notify, send } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import {
  assign,
  createMachine,
  type EventObject,
  emit,
  enqueueActions,
  log,
  raise,
  type UnknownMachineConfig,
} from 'xstate';
import { partProperty } from './part.js';
import type { Appearance } from './projection.js';
import { compose, region } from './region.js';
import { busy, nothing, sole, takes } from './regions.contract.js';

type Step = ReturnType<typeof step>;

describe('region', () => {
  const cannot = "Machine 'm' cannot be a region 'part': ";

  it.each([
    [
      'a final state',
      { initial: 'x', states: { x: { type: 'final' } } },
      "state 'm.x' is final or waits for one that is",
    ],
    [
      'onDone',
      { initial: 'x', states: { x: {} }, onDone: {} },
      "state 'm' is final or waits for one that is",
    ],
    ['an invoked actor', { invoke: { src: 'x' } }, "state 'm' invokes an actor"],
    ['a wildcard', { on: { 'job.*': {} } }, "state 'm' handles 'job.*'"],
    [
      'an event of XState',
      { on: { 'xstate.init': {} } },
      "state 'm' handles 'xstate.init', an event of XState's own",
    ],
    [
      'a way to the root',
      { initial: 'x', states: { x: { on: { go: '#m' } } } },
      "state 'm.x' leads to the machine itself",
    ],
    [
      'a root that is entered again',
      { on: { go: { reenter: true } } },
      "state 'm' leads to the machine itself",
    ],
    ['a plain function', { entry: () => {} }, "state 'm' acts by a plain function"],
    ['a log', { entry: log('x') }, "state 'm' acts by xstate.log"],
    [
      'two defaults',
      { initial: 'x', states: { x: {}, h: { type: 'history', target: ['x'] } } },
      "state 'm.h' has several default states",
    ],
  ] satisfies [string, object, string][])('refuses %s', (_what, config, why) => {
    expect(() =>
      region('part', createMachine({ id: 'm', ...(config as UnknownMachineConfig) })),
    ).toThrow(cannot + why);
  });

  it('refuses what is hidden in an implementation', () => {
    const made = (implementations: object) => () =>
      region('part', createMachine({ id: 'm' }, implementations));
    expect(made({ actions: { shout: () => {} } })).toThrow(
      `${cannot}action 'shout' acts by a plain function. The actions of a part are assign`,
    );
    expect(made({ actors: { child: nothing } })).toThrow(`${cannot}it brings actors of its own`);
    expect(made({ guards: { isAnswered: () => true } })).toThrow(
      `${cannot}it has a guard 'isAnswered', as each region has`,
    );
    const strange = Object.assign(() => true, { check: () => true });
    Object.defineProperty(strange, 'name', { value: 'strange' });
    expect(made({ guards: { odd: strange } })).toThrow(
      `${cannot}guard 'odd' uses the guard strange, which only XState knows`,
    );
  });

  it('refuses what survives the exit of a part that is entered again', () => {
    const made = (config: object) => () =>
      region('part', createMachine({ id: 'm', ...config }), { again: true });
    expect(made({ initial: 'x', states: { x: {}, h: { type: 'history' } } })).toThrow(
      `${cannot}state 'm.h' remembers what was before the exit. Keep it in the context.`,
    );
    const late = `${cannot}state 'm' raises an event after a delay, which its exit does not cancel. Use after.`;
    expect(made({ entry: raise({ type: 'go' }, { id: 'late', delay: 5 }) })).toThrow(late);
    expect(made({ entry: raise({ type: 'go' }) })).not.toThrow();
    const hidden = {
      entry: enqueueActions(({ enqueue }) =>
        enqueue.raise({ type: 'go' }, { id: 'late', delay: 5 }),
      ),
    };
    expect(() =>
      start(sole(createMachine({ id: 'm', context: {}, ...hidden }), { again: true }), 'a', {}),
    ).toThrow(late);
  });

  it('stamps the messages of a part, and guards its events', () => {
    const part = createMachine({
      id: 'm',
      context: { dated: 3 },
      entry: emit(send('b', { type: 'hello' })),
      on: {
        go: [
          { guard: ({ event }) => event.by === 2, actions: emit(send('b', { type: 'two' })) },
          { actions: emit(send('b', { type: 'any' })) },
        ],
      },
    });
    const appearance: Appearance = { stamp: ({ dated }) => ({ dated }), needs: { go: 'isOpen' } };
    const whole = sole(part, appearance).provide({
      guards: { isOpen: ({ event }: { readonly event: EventObject }) => 'open' in event },
    });
    const first = start(whole, 'a', {});
    expect(first.effects).toEqual([send('b', { type: 'hello', dated: 3 })]);
    const go = (event: object) => ({ ...event, type: 'go' });
    const sent = (event: object) => step(whole, 'a', first.state, go(event)).effects;
    expect(sent({ open: true, by: 2 })).toEqual([send('b', { type: 'two', dated: 3 })]);
    expect(sent({ open: true })).toEqual([send('b', { type: 'any', dated: 3 })]);
    for (const by of [1, 2]) expect(takes(whole, first.state, go({ by }))).toBe(false);
  });

  it('keeps descriptions, which carry the numbers of rules', () => {
    const { states = {} } = region('part', busy).state;
    expect(states.idle).toMatchObject({ on: { 'part-ring': [{ description: 'it rings' }] } });
  });

  it('refuses a name that is not one word', () => {
    expect(() => region('the-part', busy)).toThrow(
      "Machine 'busy' cannot be a region 'the-part': its name is not one word in small letters",
    );
  });

  it('gives the answer of the host to the part that asked for a choice, and to no other', () => {
    const asking = createMachine({
      id: 'asking',
      context: { got: 0 },
      entry: emit(choose(1, 2)),
      on: {
        chosen: [
          { guard: ({ event }) => event.value === 2, actions: assign({ got: 2 }) },
          { actions: assign({ got: ({ event }) => event.value }) },
        ],
      },
    });
    const whole = compose(nothing, { one: asking, two: asking });
    const chosen = (value: object) => ({ type: 'chosen', value });
    const first = start(whole, 'a', {});
    expect(first.effects).toEqual([choose({ one: 1 }, { one: 2 }), choose({ two: 1 }, { two: 2 })]);
    const second = step(whole, 'a', first.state, chosen({ one: 2 }));
    expect(second.state.context).toEqual({ one: { got: 2 }, two: { got: 0 } });
    const third = step(whole, 'a', second.state, chosen({ two: 1 }));
    expect(third.state.context).toEqual({ one: { got: 2 }, two: { got: 1 } });
  });

  it('has no cost per command: only the whole gets commands', () => {
    expect(() => partProperty('part', atMost(3, { per: 'acquire' }))).toThrow(
      "'at most 3 messages per acquire' is not a property of the part 'part': only the whole gets the command 'acquire'. Count the messages of the whole with atMost",
    );
  });

  it('knows the states with a tag', () => {
    const { has } = region('part', busy);
    const waits = createMachine({
      on: { ask: { guard: has('waiting'), actions: emit(notify({ type: 'waits' })) } },
    });
    const whole = compose(
      createMachine({ id: 'both', type: 'parallel', context: {}, states: { own: waits.config } }),
      { part: busy },
    );
    const first = start(whole, 'a', { part: { patience: 1 } });
    const told = (from: Step) => step(whole, 'a', from.state, { type: 'ask' }).effects.length;
    expect(takes(whole, first.state, { type: 'ask' })).toBe(false);
    expect(told(step(whole, 'a', first.state, { type: 'part-ring' }))).toBe(1);
    expect(() => has('critical')).toThrow(
      "Machine 'busy' cannot be a region 'part': it has no state tagged 'critical'. Tag the states that",
    );
  });
});
