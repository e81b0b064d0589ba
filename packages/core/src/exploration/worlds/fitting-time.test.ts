/** The tick that fits the timers of a system is known before its first step in exact time. */
import { describe, expect, it } from 'vitest';
import { assign, enqueueActions, setup } from 'xstate';
import { calls, centralLock, type Self, tiny } from '../../protocol/examples.contract.js';
import { complete, star } from '../../topology/generators.js';
import { explore } from '../explore/explore.js';
import { systems } from '../fixtures/systems.contract.js';
import { fittingTime } from './fitting-time.js';
import { ticksIn, timeOf } from './time.js';
import { Worlds } from './worlds.js';

/** Its timers: by a number, by a name, raised by an action, and by a context that grows. */
const patient = setup({
  types: {} as {
    input: Self;
    context: Self & { tries: number };
    events: { type: 'go' } | { type: 'late' };
  },
  actions: {
    more: assign({ tries: ({ context }) => context.tries + 1 }),
    raiseLate: enqueueActions(({ enqueue }) =>
      enqueue.raise({ type: 'late' }, { id: 'late', delay: 24 }),
    ),
  },
  delays: {
    named: () => 36,
    growing: ({ context }) => 60 + 4 * context.tries,
    needsEvent: ({ event }) => Reflect.get(event, 'none').length,
  },
}).createMachine({
  context: ({ input }) => ({ ...input, tries: 0 }),
  initial: 'idle',
  states: {
    idle: { meta: { raises: ['late'] }, on: { go: { target: 'raised', actions: 'raiseLate' } } },
    raised: { on: { late: 'named' } },
    named: { after: { named: 'numbered' } },
    numbered: { after: { 48: 'growing' } },
    growing: { after: { growing: { target: 'growing', reenter: true, actions: 'more' } } },
    never: { after: { needsEvent: 'idle' } },
  },
});
const timers = tiny(patient, {
  name: 'timers',
  commands: { go: { kind: 'optional', meaning: 'go' } },
});
const exact = (least: number, most: number) => ({ kind: 'exact', delay: [least, most] }) as const;

describe('the tick that fits', () => {
  it.each<[string, Parameters<typeof fittingTime>, number | undefined]>([
    ['no exact time', [centralLock, star(3), {}], undefined],
    ['the delays of messages', [centralLock, star(3), { time: exact(6, 9) }], 3],
    ['the timers, too', [calls, complete(2), { time: exact(100, 200) }], 10],
    ['timers however they are given', [timers, complete(2), { time: exact(120, 240) }], 4],
    ['timers that drift', [calls, complete(2), { time: { ...exact(100, 200), drift: 0.2 } }], 4],
    ['as it is given', [calls, complete(2), { time: { ...exact(100, 200), tick: 0.5 } }], 0.5],
  ])('%s', (_what, given, tick) => {
    const time = fittingTime(...given);
    expect(time === 'untimed' ? undefined : time.tick).toBe(tick);
  });

  it('is that of a search, or a divisor of it', () => {
    const inTime = systems.filter(
      ([, protocol, , options]) => timeOf(protocol, options) !== 'untimed',
    );
    expect(inTime.length).toBeGreaterThan(4);
    for (const [, protocol, topology, options] of inTime) {
      const { tick = 0 } = explore(protocol, topology, options);
      const { clockwork } = new Worlds(protocol, topology, {
        time: fittingTime(protocol, topology, { time: timeOf(protocol, options) }),
      });
      expect(ticksIn(tick, clockwork?.tick ?? 0)).toBeGreaterThan(0);
    }
  });

  it('refuses what is no model of time', () => {
    for (const time of [null, 'yesterday', { kind: 'exact' }])
      expect(() => Reflect.apply(fittingTime, undefined, [calls, complete(2), { time }])).toThrow(
        /Budget/,
      );
  });
});
