import {
  type Effect,
  leadsTo,
  never,
  type Received,
  type SystemView,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { complete, star } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign, emit, enqueueActions, setup } from 'xstate';
import {
  calls,
  centralLock,
  minimalProtocol,
  type Self,
} from '../../../core/src/protocol/examples.contract.js';
import { explore } from '../explore/explore.js';
import type { ExploreOptions } from '../explore/options.js';
import { finding, kinds, reach, texts } from '../fixtures/explored.contract.js';
import { systems } from '../fixtures/systems.contract.js';
import { fittingTime } from './fitting-time.js';
import { ticksIn, timeOf } from './time.js';
import { Worlds } from './worlds.js';

// A node that asks gives up after 300 ms without an answer.

type Talk = { type: 'question' } | { type: 'answer' };

const asker = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'ask' } | Received<Talk>;
    emitted: Effect<Talk>;
  },
  delays: { timeout: 300 },
  actions: {
    question: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(send(context.peers[0] ?? '', { type: 'question' })),
    ),
    answer: emit(({ event }) => {
      assertEvent(event, 'question');
      return send(event.from, { type: 'answer' });
    }),
  },
}).createMachine({
  context: ({ input }) => input,
  initial: 'idle',
  on: { question: { actions: 'answer' }, answer: {} },
  states: {
    idle: { on: { ask: 'asking' } },
    asking: {
      tags: 'waiting',
      entry: 'question',
      after: { timeout: 'gaveUp' },
      on: { answer: 'answered' },
    },
    gaveUp: {},
    answered: {},
  },
});

const answered = sometimes('answered', (system) => system.node('a').value === 'answered');
const hasGivenUp = (system: SystemView) => system.node('a').value === 'gaveUp';
const gaveUp = sometimes('gave up', hasGivenUp);
const inVain = never(
  'gave up though no node crashed',
  (system) => hasGivenUp(system) && system.live === system.nodes.length,
);
const done = leadsTo(
  'a node that asks is done',
  ({ tags }) => tags.has('waiting'),
  ({ tags }) => !tags.has('waiting'),
);

const asking = minimalProtocol(asker, {
  name: 'asking',
  messages: { question: { meaning: 'well?' }, answer: { meaning: 'well' } },
  commands: { ask: { kind: 'optional', meaning: 'ask the first peer' } },
  properties: [answered, gaveUp, inVain, done],
});

describe('a node that asks and gives up', () => {
  const exploreIt = (options: ExploreOptions) =>
    explore(asking, complete(2), { initiators: ['a'], ...options });
  const verdictsOf = (options: ExploreOptions) =>
    [answered, gaveUp, inVain, done]
      .map(({ name }) => finding(exploreIt(options), name).verdict)
      .join(' ');
  const within = (most: number, least = 0) =>
    ({ time: { kind: 'exact', delay: [least, most] } }) as const;
  const fast = within(100);

  it('may do either, untimed', () => {
    expect(verdictsOf({})).toBe('reached reached violated holds');
    expect(kinds(exploreIt({}), gaveUp.name)).toEqual(['command', 'timeout']);
  });

  it('never gives up on a live peer that answers in time', () => {
    expect(verdictsOf(fast)).toBe('reached unreached holds holds');
  });

  proof(
    'may do either exactly if the longest round trip takes at least as long as the timeout',
    () => {
      expect(verdictsOf(within(150))).toBe('reached reached violated holds');
      expect(verdictsOf(within(149))).toBe('reached unreached holds holds');
      expect(verdictsOf(within(150, 150))).toBe('reached reached violated holds');
      expect(verdictsOf(within(151, 151))).toBe('unreached reached violated holds');
      expect(
        verdictsOf({
          time: {
            kind: 'exact',
            delay: [0, 1000],
            messages: { question: [0, 200], answer: [0, 99] },
          },
        }),
      ).toBe('reached unreached holds holds');
      expect(
        verdictsOf({
          time: { kind: 'exact', delay: [0, 1000], links: { 'a→b': [0, 200], 'b→a': [0, 100] } },
        }),
      ).toBe('reached reached violated holds');
    },
  );

  it('has the times of a run in its trace', () => {
    const trace = finding(exploreIt(within(150)), inVain.name).trace;
    expect(trace?.lines.map(({ time, event }) => [time, event.kind])).toEqual([
      [0, 'command'],
      [150, 'deliver'],
      [300, 'timeout'],
    ]);
  });

  proof(
    'takes the greatest common divisor of all times as its step, and a finer one changes no verdict',
    () => {
      expect(exploreIt(within(100)).tick).toBe(100);
      expect(exploreIt(within(140)).tick).toBe(20);
      expect(exploreIt(within(0.25)).tick).toBe(0.25);
      expect(exploreIt({ time: { kind: 'exact', delay: [0, 0] } }).tick).toBe(300);
      for (const most of [100, 150, 200]) {
        const { time } = within(most);
        expect(verdictsOf({ time: { ...time, tick: 10 } })).toBe(verdictsOf({ time }));
      }
      expect(() => exploreIt({ time: { ...within(100).time, tick: 25 } })).not.toThrow();
      expect(() => exploreIt({ time: { ...within(100).time, tick: 200 } })).toThrow(
        '100 ms is no multiple of the tick of 200 ms',
      );
      expect(() => exploreIt({ time: { ...within(0).time, tick: 200 } })).toThrow(
        'A timer of 300 ms is no multiple of the tick of 200 ms. Give tick: 100 with the exact time.',
      );
      expect(() => exploreIt(within(1 / 3))).toThrow('whole microseconds');
    },
  );

  proof('is told if its times have a needlessly small common divisor', () => {
    expect(exploreIt(within(100)).diagnosis.fineTime).toBeUndefined();
    expect(exploreIt(within(101)).diagnosis.fineTime).toEqual({ tick: 1, longest: 300 });
    expect(exploreIt({ time: { kind: 'exact', delay: [0, 1001] } }).diagnosis.fineTime).toEqual({
      tick: 1,
      longest: 1001,
    });
  });

  it('uses the time model of its protocol by default', () => {
    const assuming = { ...asking, channels: { ...asking.channels, ...fast } };
    const statesOf = (options: ExploreOptions) =>
      explore(assuming, complete(2), { initiators: ['a'], ...options }).states;
    expect(statesOf({})).toBe(exploreIt(fast).states);
    expect(statesOf({ time: 'untimed' })).toBe(exploreIt({}).states);
    expect(statesOf(within(150))).toBe(exploreIt(within(150)).states);
  });

  it('gives up on a crashed peer, and on no other', () => {
    expect(verdictsOf({ ...fast, crashes: 1 })).toBe('reached reached holds holds');
    expect(verdictsOf({ crashes: 1 })).toBe('reached reached violated holds');
  });

  it.each<[string, ExploreOptions, readonly string[]]>([
    [
      'a crash in the middle of the answer',
      { crashes: 1 },
      ['command', 'deliver', 'crash', 'drop', 'timeout'],
    ],
    [
      'a crash between steps',
      { crashes: 1, atomicSteps: true },
      ['command', 'crash', 'drop', 'timeout'],
    ],
    ['a loss', { losses: 1 }, ['command', 'drop', 'timeout']],
    ['a split', { partitions: 1 }, ['command', 'cut', 'cut', 'drop', 'timeout']],
  ])('gives up for %s in a run that replays', (_what, faults, events) => {
    const found = exploreIt({ ...fast, ...faults });
    expect(kinds(found, gaveUp.name).toSorted()).toEqual(events.toSorted());
    const { trace } = finding(found, gaveUp.name);
    expect(trace && replay(asking, complete(2), trace)).toEqual({ steps: events.length });
  });

  it('has its timers fire at their time, and messages arrive within theirs', () => {
    const worlds = new Worlds(asking, complete(2), {
      ...within(200, 100),
      losses: 1,
      initiators: ['a'],
    });
    const asked = ['a ask'];
    expect(texts(worlds, reach(worlds, ...asked))).toEqual(['drop a→b question', 'tick']);
    expect(texts(worlds, reach(worlds, ...asked, 'tick'))).toEqual([
      'a→b question',
      'drop a→b question',
      'tick',
    ]);
    expect(texts(worlds, reach(worlds, ...asked, 'tick', 'tick'))).toEqual([
      'a→b question',
      'drop a→b question',
    ]);
    expect(texts(worlds, reach(worlds, ...asked, 'drop a→b question', 'tick', 'tick'))).toEqual([
      'tick',
    ]);
    expect(
      texts(worlds, reach(worlds, ...asked, 'drop a→b question', 'tick', 'tick', 'tick')),
    ).toEqual(['a timeout']);
  });

  it.each<[string, ExploreOptions, string]>([
    [
      'a delay that ends before it begins',
      within(1, 2),
      'time.delay is a list. Give [least, most]',
    ],
    [
      'a stay in states that there are not',
      { time: { ...fast.time, stays: { calm: [0, 1] } } },
      "no state has the tag 'calm'. There are waiting",
    ],
    [
      'a link that there is not',
      { time: { ...fast.time, links: { 'a→z': [0, 1] } } },
      "'a→z' is no link of 'complete:2'. There are a→b, b→a",
    ],
    [
      'a message that there is not',
      { time: { ...fast.time, messages: { quest: [0, 1] } } },
      "'quest' is no message. There are question, answer",
    ],
    [
      'a time that time cannot leave',
      { time: { ...fast.time, stays: { waiting: [0, 100] } }, losses: 1 },
      'Time stops: in (a: asking',
    ],
  ])('refuses %s', (_what, options, why) => {
    expect(() => exploreIt(options)).toThrow(why);
  });
});

// The tick that fits the timers of a system is known before its first step in exact time.

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
const timers = minimalProtocol(patient, {
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
