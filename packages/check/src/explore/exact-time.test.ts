/** What could go wrong in exact time: each case once gave a wrong verdict, an error or none. */

import {
  always,
  type Chosen,
  choose,
  type Effect,
  eventually,
  leadsTo,
  type Received,
  send,
} from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { emit, setup } from 'xstate';
import { minimalProtocol, type Self } from '../../../core/src/protocol/examples.contract.js';
import { everyMessageHandled, noStepFails } from '../../../core/src/protocol/handles.js';
import { finding } from '../fixtures/explored.contract.js';
import { mutate } from '../mutation/mutate.js';
import { walk } from '../walk/walk.js';
import { Worlds } from '../worlds/worlds.js';
import { explore } from './explore.js';
import type { ExploreOptions } from './options.js';

const within = (least: number, most: number) =>
  ({ time: { kind: 'exact', delay: [least, most] } }) as const;
const done = leadsTo(
  'a node that waits is done',
  ({ tags }) => tags.has('waiting'),
  ({ tags }) => !tags.has('waiting'),
);

const gambler = (options: readonly string[]) =>
  setup({
    types: {} as {
      input: Self;
      context: Self;
      events: { type: 'go' } | Received<{ type: 'm' }> | Chosen<string>;
      emitted: Effect<{ type: 'm' }>;
    },
    guards: { isDone: ({ event }) => (event as Chosen<string>).value === 'done' },
    actions: { flip: emit(() => choose(...options)) },
  }).createMachine({
    context: ({ input }) => input,
    initial: 'idle',
    on: { m: {} },
    states: {
      idle: { on: { go: 'flipping' } },
      flipping: {
        tags: 'waiting',
        entry: 'flip',
        on: {
          chosen: [
            { guard: 'isDone', target: 'settled' },
            { target: 'flipping', reenter: true },
          ],
        },
      },
      settled: {},
    },
  });
const gamble = (options: readonly string[]) =>
  minimalProtocol(gambler(options), {
    messages: { m: { meaning: 'm' } },
    commands: { go: { kind: 'optional', meaning: 'go' } },
    properties: [done],
  });

describe('infinitely many choices at one moment', () => {
  it('are no run in which time diverges', () => {
    const found = explore(gamble(['again', 'done']), complete(2), {
      ...within(1, 2),
      initiators: ['a'],
    });
    expect(finding(found, done.name).verdict).toBe('holds');
  });
  it('are an error if nothing else is possible', () => {
    expect(() =>
      explore(gamble(['again']), complete(2), { ...within(1, 2), initiators: ['a'] }),
    ).toThrow('Time stops');
  });
});

const toggler = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'go' } | { type: 'flip' } | { type: 'flop' };
    emitted: Effect<{ type: 'm' }>;
  },
  actions: { tell: emit(({ context }) => send(context.peers[0] ?? '', { type: 'm' })) },
}).createMachine({
  context: ({ input }) => input,
  type: 'parallel',
  states: {
    switch: {
      initial: 'off',
      states: { off: { tags: 'off', on: { flip: 'on' } }, on: { tags: 'on', on: { flop: 'off' } } },
    },
    work: {
      initial: 'idle',
      states: {
        idle: { on: { go: { target: 'told', actions: 'tell' }, m: {} } },
        told: { tags: 'waiting' },
      },
    },
  },
});

it('a message that is unhandled while something else goes on is a violation, and no error', () => {
  const protocol = minimalProtocol(toggler, {
    messages: { m: { meaning: 'm' } },
    commands: {
      go: { kind: 'optional', meaning: 'go' },
      flip: { kind: 'obligatory', meaning: 'flip', when: ({ tags }) => tags.has('off') },
      flop: { kind: 'obligatory', meaning: 'flop', when: ({ tags }) => tags.has('on') },
    },
    properties: [done],
  });
  const found = explore(protocol, complete(2), within(1, 1));
  expect(
    found.properties.find(({ name }) => name.includes('handle') || name.includes('message'))
      ?.verdict,
  ).toBe('violated');
});

const stuck = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'go' } | Received<{ type: 'm' }>;
    emitted: Effect<{ type: 'm' }>;
  },
}).createMachine({
  context: ({ input }) => input,
  initial: 'idle',
  on: { m: {} },
  states: { idle: { on: { go: 'stuck' } }, stuck: { tags: 'waiting' } },
});
const stopping = minimalProtocol(stuck, {
  messages: { m: { meaning: 'm' } },
  commands: { go: { kind: 'optional', meaning: 'go' } },
  properties: [done],
});
const limited = {
  time: { kind: 'exact', delay: [0, 1], stays: { waiting: [0, 2] } },
  initiators: ['a'],
} as const;

describe('a world that time cannot leave', () => {
  it('is an error', () => {
    expect(() => explore(stopping, complete(2), limited)).toThrow('Time stops');
  });
  it('is one also if only a crash leads out of it', () => {
    expect(() =>
      explore(stopping, complete(2), { ...limited, crashes: 1, mayCrash: ({ id }) => id === 'a' }),
    ).toThrow('Time stops');
  });
  it('is no deadlock in a walk', () => {
    const found = walk(stopping, complete(2), { ...limited, seed: 1, walks: 5, steps: 20 });
    expect(found.properties.map(({ verdict }) => verdict)).not.toContain('violated');
  });
});

const patient = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'go' } | Received<{ type: 'm' }>;
    emitted: Effect<{ type: 'm' }>;
  },
  actions: { tell: emit(({ context }) => send(context.peers[0] ?? '', { type: 'm' })) },
}).createMachine({
  context: ({ input }) => input,
  initial: 'idle',
  on: { m: {} },
  states: {
    idle: { on: { go: 'asking' } },
    asking: { tags: 'waiting', entry: 'tell', after: { 300: 'done' } },
    done: {},
  },
});
const waiting = minimalProtocol(patient, {
  messages: { m: { meaning: 'm' } },
  commands: { go: { kind: 'optional', meaning: 'go' } },
  properties: [
    done,
    always('no node is away', (system) => system.nodes.every(({ value }) => value !== 'away')),
  ],
});

describe('a timer that needs a finer tick', () => {
  proof('does not end a mutation analysis', () => {
    const report = mutate(waiting, {
      systems: [{ topology: complete(2), budget: within(0, 200) }],
    });
    expect(report.counts.killed).toBeGreaterThan(0);
  });
  it('with coverage, and depth-first', () => {
    const plain = explore(waiting, complete(2), within(0, 200));
    expect(plain.tick).toBe(100);
    expect(explore(waiting, complete(2), { ...within(0, 200), coverage: true }).states).toBe(
      plain.states,
    );
    expect(explore(waiting, complete(2), { ...within(0, 200), search: 'depth' }).states).toBe(
      plain.states,
    );
  });
});

proof(
  'a limit that is reached while it is decided whether time diverges does not lose what the search has found',
  () => {
    const wrong = always('no node waits', (system) => system.count('waiting') === 0);
    const protocol = { ...waiting, properties: [done, wrong] };
    const found = (most: number) => {
      let calls = 0;
      const options = {
        time: { ...within(0, 60).time, tick: 10 },
        limits: { stop: () => ++calls > most },
      };
      return { ...explore(protocol, complete(2), options), calls };
    };
    const all = found(Infinity);
    const lost: number[] = [];
    for (let most = all.calls - 1; most > 3; most--) if (found(most).states === 0) lost.push(most);
    expect(lost).toEqual([]);
  },
);

it('timers keep their time when another one is armed again', () => {
  const two = setup({
    types: {} as {
      input: Self;
      context: Self;
      events: { type: 'go' } | Received<{ type: 'm' }>;
      emitted: Effect<{ type: 'm' }>;
    },
  }).createMachine({
    context: ({ input }) => input,
    type: 'parallel',
    on: { m: {} },
    states: {
      x: {
        initial: 'on',
        states: {
          on: { on: { go: { target: 'on', reenter: true } }, after: { 3: 'off' } },
          off: { on: { go: 'on' } },
        },
      },
      y: { initial: 'on', states: { on: { after: { 5: 'off' } }, off: {} } },
    },
  });
  const protocol = minimalProtocol(two, {
    messages: { m: { meaning: 'm' } },
    commands: { go: { kind: 'optional', meaning: 'go' } },
  });
  const worlds = new Worlds(protocol, complete(2), {
    ...within(1, 1),
    initiators: ['a'],
    commands: 2,
  });
  let world = worlds.initial;
  const tick = (times: number) => {
    for (let time = 0; time < times; time++) world = worlds.next(world, { type: 'tick' });
  };
  const go = () => {
    world = worlds.next(world, { type: 'command', node: 'a', command: { type: 'go' } });
  };
  const left = () =>
    Object.fromEntries(
      (world.nodes.a?.timers ?? []).map(({ delay }, i) => [
        delay,
        world.clocks?.nodes.a?.timers[i],
      ]),
    );
  tick(2);
  go();
  expect(left()).toEqual({ 3: 3, 5: 3 });
  tick(1);
  go();
  expect(left()).toEqual({ 3: 3, 5: 2 });
});

// In exact time: an action that fails is found as such, also where time could not go on, or cannot
// elsewhere.

const node = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'greet' } | { type: 'sleep' } | Received<{ type: 'hello' }>;
    emitted: Effect<{ type: 'hello' }>;
  },
});
/** A node may greet the other one, which does not handle that, or sleep. */
const sleeper = node
  .extend({
    actions: { greet: node.emit(({ context }) => send(context.peers[0] ?? '', { type: 'hello' })) },
  })
  .createMachine({
    context: ({ input }) => input,
    initial: 'awake',
    states: {
      awake: { on: { greet: { target: 'greeted', actions: 'greet' }, sleep: 'asleep' } },
      greeted: {},
      asleep: { tags: 'asleep' },
      absent: { on: { hello: {} } },
    },
  });
const system = minimalProtocol(sleeper, {
  messages: { hello: { meaning: 'hello' } },
  commands: {
    greet: { kind: 'optional', meaning: 'greet' },
    sleep: { kind: 'optional', meaning: 'sleep' },
  },
  properties: [eventually('a is not awake', ({ node }) => node('a').value !== 'awake')],
});
const found = (options: ExploreOptions = {}) =>
  explore(system, complete(2), {
    time: { kind: 'exact', delay: [5, 5], stays: { asleep: [0, 5] } },
    initiators: ['a'],
    inputs: [{ type: 'greet' }],
    ...options,
  });

describe('a message that has to arrive now and is not handled', () => {
  it.each<[string, ExploreOptions]>([
    ['is all that can happen', {}],
    ['is all that can happen besides a crash', { crashes: 1 }],
    ['is due while time stops elsewhere', { inputs: [{ type: 'sleep' }, { type: 'greet' }] }],
    [
      'is due while time stops elsewhere, which is found first',
      { inputs: [{ type: 'sleep' }, { type: 'greet' }], search: 'depth' },
    ],
  ])('%s', (_what, options) => {
    const { verdict, trace } = finding(found(options), everyMessageHandled);
    expect(verdict).toBe('violated');
    expect(trace?.header.get('fault')).toBe(
      "Node b in 'awake' does not handle 'hello' (from a). List it under on, or ignore it with hello: {}.",
    );
    expect(finding(found(options), noStepFails).verdict).toBe('incomplete');
    expect(finding(found(options), 'a is not awake').verdict).toBe('incomplete');
  });

  it('is told apart from time that stops by itself', () => {
    expect(() => found({ inputs: [{ type: 'sleep' }] })).toThrow(/^Time stops: in \(a: asleep /);
  });
});
