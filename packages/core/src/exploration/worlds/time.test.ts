import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertEvent, emit, enqueueActions, setup } from 'xstate';
import { type Self, tiny } from '../../protocol/examples.contract.js';
import { type Effect, type Received, send } from '../../protocol/node.js';
import { leadsTo, never, type SystemView, sometimes } from '../../protocol/property.js';
import type { Timer } from '../../protocol/step.js';
import { complete } from '../../topology/generators.js';
import { replay } from '../../trace/replay.js';
import { explore } from '../explore.js';
import { finding, kinds } from '../explored.contract.js';
import type { ExploreOptions } from '../options.js';
import { reach, texts } from '../walked.contract.js';
import { type Timing, timeoutsOf, timingOf } from './time.js';
import { Worlds } from './worlds.js';

const timer = (id: string, delay: number): Timer => ({ id, delay, event: { type: id } });
const ids = (timers: readonly Timer[]) => timers.map(({ id }) => id).join('');
const untimed: Timing = { kind: 'untimed' };
const bounded: Timing = { kind: 'bounded', delay: 100 };

describe('the timers that may fire', () => {
  it('are all, untimed', () => {
    const timers = [timer('x', 300), timer('y', 50)];
    expect([ids(timeoutsOf(timers, untimed, true)), ids(timeoutsOf(timers, untimed, false))]).toEqual(['xy', 'xy']);
  });

  it('are the earliest of each node in bounded time, several if they are equal', () => {
    expect(ids(timeoutsOf([timer('x', 300), timer('y', 250), timer('z', 400)], bounded, false))).toBe('y');
    expect(ids(timeoutsOf([timer('x', 300), timer('y', 400), timer('z', 300)], bounded, false))).toBe('xz');
    expect(ids(timeoutsOf([timer('x', 60), timer('y', 50)], bounded, true))).toBe('y');
    expect(ids(timeoutsOf([], bounded, false))).toBe('');
  });

  it('wait until the network is idle if they are longer than a round trip', () => {
    const longest = (delay: number) => ids(timeoutsOf([timer('x', delay)], bounded, true));
    expect([longest(200), longest(201)]).toEqual(['x', '']);
    expect(ids(timeoutsOf([timer('x', 201)], bounded, false))).toBe('x');
    expect(ids(timeoutsOf([timer('x', 300), timer('y', 200)], bounded, true))).toBe('y');
  });

  it('are a subset of the untimed ones in bounded time, and with messages in flight a subset of those when idle; when idle, some timer fires', () => {
    const delays = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(delays, fc.integer({ min: 1, max: 4 }), (delays, delay) => {
        const timers = delays.map((each, index) => timer(String(index), each));
        const rule: Timing = { kind: 'bounded', delay };
        const [busy, idle] = [timeoutsOf(timers, rule, true), timeoutsOf(timers, rule, false)];
        expect(timers).toEqual(expect.arrayContaining([...idle]));
        expect(idle).toEqual(expect.arrayContaining([...busy]));
        expect(idle.length).toBeGreaterThan(0);
      }),
    );
  });

  it('follow what the budget says', () => {
    expect(timingOf({})).toEqual(untimed);
    expect(timingOf({ time: 'bounded' })).toEqual(bounded);
    expect(timingOf({ time: 'bounded', delay: 7 })).toEqual({ kind: 'bounded', delay: 7 });
  });
});

// A node that asks gives up after 300 ms without an answer.

type Talk = { type: 'question' } | { type: 'answer' };

const asker = setup({
  types: {} as { input: Self; context: Self; events: { type: 'ask' } | Received<Talk>; emitted: Effect<Talk> },
  delays: { timeout: 300 },
  actions: {
    question: enqueueActions(({ context, enqueue }) => enqueue.emit(send(context.peers[0] ?? '', { type: 'question' }))),
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
    asking: { tags: 'waiting', entry: 'question', after: { timeout: 'gaveUp' }, on: { answer: 'answered' } },
    gaveUp: {},
    answered: {},
  },
});

const answered = sometimes('answered', (system) => system.node('a').value === 'answered');
const hasGivenUp = (system: SystemView) => system.node('a').value === 'gaveUp';
const gaveUp = sometimes('gave up', hasGivenUp);
const inVain = never('gave up though no node crashed', (system) => hasGivenUp(system) && system.live === system.nodes.length);
const done = leadsTo(
  'a node that asks is done',
  ({ tags }) => tags.has('waiting'),
  ({ tags }) => !tags.has('waiting'),
);

const asking = tiny(asker, {
  name: 'asking',
  messages: { question: { meaning: 'well?' }, answer: { meaning: 'well' } },
  commands: { ask: { kind: 'optional', meaning: 'ask the first peer' } },
  properties: [answered, gaveUp, inVain, done],
});

describe('a node that asks and gives up', () => {
  const exploreIt = (options: ExploreOptions) => explore(asking, complete(2), { initiators: ['a'], ...options });
  const verdictsOf = (options: ExploreOptions) =>
    [answered, gaveUp, inVain, done].map(({ name }) => finding(exploreIt(options), name).verdict).join(' ');
  const longTimers = { time: 'bounded', delay: 100 } as const;

  it('may do either, untimed', () => {
    expect(verdictsOf({})).toBe('reached reached violated holds');
    expect(kinds(exploreIt({}), gaveUp.name)).toEqual(['command', 'timeout']);
  });

  it('never gives up on a live peer, in bounded time', () => {
    expect(verdictsOf(longTimers)).toBe('reached unreached holds holds');
    expect(exploreIt(longTimers).states).toBeLessThan(exploreIt({}).states);
  });

  it('may do either where a round trip can take as long as the timeout', () => {
    expect(verdictsOf({ time: 'bounded', delay: 150 })).toBe(verdictsOf({}));
    expect(verdictsOf({ time: 'bounded', delay: 149 })).toBe(verdictsOf(longTimers));
  });

  it('uses the time model of its protocol by default', () => {
    const assuming = { ...asking, channels: { ...asking.channels, time: 'bounded' as const } };
    const statesOf = (options: ExploreOptions) => explore(assuming, complete(2), { initiators: ['a'], ...options }).states;
    expect(statesOf({})).toBe(exploreIt(longTimers).states);
    expect(statesOf({ time: 'untimed' })).toBe(exploreIt({}).states);
    expect(statesOf({ delay: 150 })).toBe(exploreIt({ time: 'bounded', delay: 150 }).states);
  });

  it('gives up on a crashed peer, and on no other', () => {
    expect(verdictsOf({ ...longTimers, crashes: 1 })).toBe('reached reached holds holds');
    expect(verdictsOf({ crashes: 1 })).toBe('reached reached violated holds');
  });

  it.each<[string, ExploreOptions, readonly string[]]>([
    ['a crash', { crashes: 1 }, ['command', 'crash', 'timeout']],
    ['a loss', { losses: 1 }, ['command', 'drop', 'timeout']],
    ['a split', { partitions: 1 }, ['command', 'cut', 'cut', 'timeout']],
  ])('gives up for %s in a run that replays', (_what, faults, events) => {
    const found = exploreIt({ ...longTimers, ...faults });
    expect(kinds(found, gaveUp.name).toSorted()).toEqual(events.toSorted());
    const { trace } = finding(found, gaveUp.name);
    expect(trace && replay(asking, complete(2), trace)).toEqual({ steps: events.length });
  });

  it('does not wait for messages that cannot arrive', () => {
    expect(verdictsOf({ ...longTimers, partitions: 1 })).toBe('reached reached violated holds');
    expect(verdictsOf({ ...longTimers, partitions: 1, crashes: 1, duplications: 1 })).toBe('reached reached violated holds');
  });

  it('waits for all messages in flight', () => {
    const worlds = new Worlds(asking, complete(3), { ...longTimers, losses: 1, initiators: ['a', 'c'] });
    const alone = ['a ask', 'drop a→b question'];
    expect(texts(worlds, reach(worlds, ...alone))).toEqual(['c ask', 'a timeout']);
    expect(texts(worlds, reach(worlds, ...alone, 'c ask'))).toEqual(['c→a question']);
    expect(texts(worlds, reach(worlds, ...alone, 'c ask', 'c→a question', 'a→c answer'))).toEqual(['a timeout']);
  });

  it('of several nodes gives up in any order', () => {
    const worlds = new Worlds(asking, complete(2), { ...longTimers, losses: 2 });
    const both = reach(worlds, 'a ask', 'drop a→b question', 'b ask', 'drop b→a question');
    expect(texts(worlds, both)).toEqual(['a timeout', 'b timeout']);
  });
});
