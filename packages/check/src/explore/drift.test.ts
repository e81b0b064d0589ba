/**
 * Clocks that drift, in exact time: oracles with known bounds, and what the model covers beyond
 * real clocks.
 */

import type { ExactTime } from '@conclave/core/protocol';
import {
  always,
  defineProtocol,
  type Effect,
  leadsTo,
  type NodeId,
  type Received,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { complete, star } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { parseTrace, replay, type TraceLine, traceText } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { emit, setup } from 'xstate';
import { calls, minimalProtocol, type Self } from '../../../core/src/protocol/examples.contract.js';
import type { TraceEvent } from '../../../core/src/trace/trace.js';
import { finding, reach, texts } from '../fixtures/explored.contract.js';
import { truthOf } from '../fixtures/truth.contract.js';
import { follow } from '../follow/follow.js';
import { clocksApart } from '../verdicts/shared-clock.js';
import { walk } from '../walk/walk.js';
import { driftInterval } from '../worlds/time.js';
import { Worlds } from '../worlds/worlds.js';
import { explore } from './explore.js';

const exact = (drift: number, more: Partial<ExactTime> = {}): ExactTime => ({
  kind: 'exact',
  delay: [0, 0],
  drift,
  ...more,
});

describe('a timer on a clock that drifts', () => {
  const ticks = (count: number) => Array.from({ length: count }, () => 'tick');
  const called = ['a call', 'drop a→b ping(1)'];
  const worlds = new Worlds(calls, complete(2), {
    losses: 1,
    initiators: ['a'],
    time: exact(0.2, { tick: 1 }),
  });
  const at = (moment: number) => texts(worlds, reach(worlds, ...called, ...ticks(moment)));

  it('fires from its earliest moment to its latest, beyond which no time passes', () => {
    expect(at(7)).toEqual(['tick']);
    for (const moment of [8, 9, 10, 11]) expect(at(moment)).toEqual(['a timeout', 'tick']);
    expect(at(12)).toEqual(['a timeout']);
  });

  it('is armed again for the whole interval', () => {
    const after = (moment: number) =>
      texts(
        worlds,
        reach(
          worlds,
          ...called,
          ...ticks(9),
          'a timeout',
          'a→b ping(1)',
          'b→a pong(1)',
          ...ticks(moment),
        ),
      );
    expect(after(0)).not.toContain('a timeout');
    const again = (moment: number) =>
      texts(
        unanswered,
        reach(
          unanswered,
          'a call',
          'drop a→b ping(1)',
          ...ticks(9),
          'a timeout',
          'drop a→b ping(1)',
          ...ticks(moment),
        ),
      );
    const unanswered = new Worlds(calls, complete(2), {
      losses: 2,
      initiators: ['a'],
      time: exact(0.2, { tick: 1 }),
    });
    expect([7, 8, 12].map(again)).toEqual([['tick'], ['a timeout', 'tick'], ['a timeout']]);
  });

  it('fires at once if its delay is 0, and exactly at its time without drift', () => {
    expect(driftInterval(0, 0.5)).toEqual([0, 0]);
    expect(driftInterval(10, 0)).toEqual([10, 10]);
  });

  it('has bounds that are exact', () => {
    expect(driftInterval(10_000, 0.01)).toEqual([9_900, 10_100]);
    expect(driftInterval(0.3, 0.1)).toEqual([0.27, 0.33]);
    expect(driftInterval(1e12, 1e-6)).toEqual([1e12 - 1e6, 1e12 + 1e6]);
    expect(driftInterval(1000, 0.999999)).toEqual([0.001, 1999.999]);
  });

  it('needs a tick that divides its earliest and its latest moment', () => {
    const found = explore(calls, complete(2), {
      initiators: ['a'],
      time: { kind: 'exact', delay: [0, 8], drift: 0.2 },
    });
    expect([found.complete, found.tick]).toEqual([true, 4]);
    expect(() => explore(calls, complete(2), { time: exact(0.2, { tick: 8 }) })).toThrow(
      'A timer of 10 ms fires after 8 to 12 ms, which are no multiples of the tick of 8 ms. Give tick: 4 with the exact time.',
    );
    expect(() => explore(calls, complete(2), { time: exact(0.000_001) })).toThrow(
      'Exact time: with a drift of 0.000001 a timer of 10 ms may fire at moments that are no whole microseconds. Give a drift with fewer digits.',
    );
  });

  it.each([-0.1, 1, NaN, Infinity, 0.000_000_5])('refuses a drift of %s', (drift) => {
    expect(() => explore(calls, complete(2), { time: exact(drift) })).toThrow(
      `drift is ${drift}. Give a number from 0 to below 1, in whole millionths.`,
    );
  });

  it('of no drift changes nothing', () => {
    const options = { initiators: ['a'], losses: 1, crashes: 1 };
    const without = explore(calls, complete(2), {
      ...options,
      time: { kind: 'exact', delay: [0, 6] },
    });
    const { seconds: _, ...zero } = explore(calls, complete(2), {
      ...options,
      time: { kind: 'exact', delay: [0, 6], drift: 0 },
    });
    const { seconds: __, ...plain } = without;
    expect(zero).toEqual(plain);
  });

  it('is assumed in words', () => {
    const { assumptions } = explore(calls, complete(2), { time: exact(0.2), commands: 0 });
    expect(assumptions).toContain(
      'that a message takes 0 ms, that a timer takes 0.8 to 1.2 times its delay, each on its own, and that steps take no time',
    );
  });
});

// A lease: the voter grants one node at a time, until its own timer ends. The holder counts from
// the moment at which it asked.

type Message = { type: 'ask' } | { type: 'grant' };
type Command = { type: 'acquire' };

const voter = setup({
  types: {} as {
    input: { lease: number };
    context: { lease: number };
    events: Received<Message>;
    emitted: Effect<Message>;
  },
  actions: {
    grant: emit(({ event }) => send((event as Received<Message>).from, { type: 'grant' })),
  },
  delays: { lease: ({ context }) => context.lease },
}).createMachine({
  context: ({ input }) => input,
  initial: 'free',
  states: {
    free: { on: { ask: { target: 'given', actions: 'grant' } } },
    given: { on: { ask: {} }, after: { lease: 'free' } },
  },
});

interface Holder {
  readonly voter: NodeId;
  readonly lease: number;
}
const holder = setup({
  types: {} as {
    input: Holder;
    context: Holder;
    events: Command | Received<Message>;
    emitted: Effect<Message>;
  },
  actions: { ask: emit(({ context }) => send(context.voter, { type: 'ask' })) },
  delays: { lease: ({ context }) => context.lease },
}).createMachine({
  context: ({ input }) => input,
  initial: 'out',
  states: {
    out: { on: { acquire: 'leased', grant: {} } },
    leased: {
      entry: 'ask',
      after: { lease: 'out' },
      initial: 'asking',
      states: {
        asking: { tags: 'waiting', on: { grant: 'inside' } },
        inside: { tags: 'critical' },
      },
    },
  },
});

const exclusion = always('at most one node holds', (system) => system.count('critical') <= 1);
const lease = (held: number, given: number) =>
  defineProtocol<Message, Command>({
    name: 'lease',
    title: 'Lease',
    problem: 'mutual-exclusion',
    citation: 'C. Gray, D. Cheriton: Leases. SOSP 1989',
    topology: needs.star,
    channels: { order: 'fifo', loss: false, duplication: false },
    roles: {
      voter: { machine: voter, input: () => ({ lease: given }) },
      holder: {
        machine: holder,
        input: (_self, { nodes: [first = ''] }) => ({ voter: first, lease: held }),
      },
    },
    roleOf: (id, { nodes }) => (id === nodes[0] ? 'voter' : 'holder'),
    messages: { ask: { meaning: 'may I?' }, grant: { meaning: 'for a while' } },
    commands: {
      acquire: { kind: 'optional', meaning: 'enter', when: ({ value }) => value === 'out' },
    },
    properties: [
      exclusion,
      sometimes('a node holds', (system) => system.count('critical') > 0),
      leadsTo(
        'a lease ends',
        ({ tags }) => tags.has('critical'),
        ({ tags }) => !tags.has('critical'),
      ),
    ],
  });

describe('a lease', () => {
  proof(
    'excludes if and only if the longest lease of the holder ends before the shortest of the voter and the two messages',
    () => {
      const met = { holds: 0, violated: 0, equal: 0 };
      for (const drift of [0, 0.25, 0.5])
        for (const held of [4, 8])
          for (const given of [4, 8, 12, 16])
            for (const least of [0, 2]) {
              const [longest, shortest] = [held * (1 + drift), given * (1 - drift) + 2 * least];
              const protocol = lease(held, given);
              const time = exact(drift, { delay: [least, least + 1] });
              const found = explore(protocol, star(3), { time });
              const verdict = longest < shortest ? 'holds' : 'violated';
              if (longest === shortest) met.equal++;
              met[verdict]++;
              expect(found.complete).toBe(true);
              const verdicts = protocol.properties.map(({ name }) => finding(found, name).verdict);
              expect({ drift, held, given, least, verdicts }).toEqual({
                drift,
                held,
                given,
                least,
                verdicts: [verdict, 'reached', 'holds'],
              });
              const { trace, clocksApart: apart } = finding(found, exclusion.name);
              if (!trace) continue;
              expect(apart).toBeUndefined(); // each node has one timer at a time
              const again = parseTrace(traceText(trace));
              expect(replay(protocol, star(3), again)).toEqual({ steps: trace.lines.length });
              expect(follow(protocol, star(3), again, { time })).toMatchObject({
                steps: trace.lines.length,
              });
            }
      expect(met).toMatchInlineSnapshot(`
      {
        "equal": 7,
        "holds": 26,
        "violated": 22,
      }
    `);
    },
  );

  proof('breaks at the bound itself, and a walk finds it', () => {
    const verdict = (given: number) =>
      finding(
        explore(lease(12, given), star(3), { time: exact(0.2, { tick: 0.2 }) }),
        exclusion.name,
      ).verdict;
    expect([18, 18.5].map(verdict)).toEqual(['violated', 'holds']); // 12 · 1.2 = 14.4 = 18 · 0.8
    const walked = walk(lease(12, 8), star(3), {
      time: exact(0.2),
      seed: 1,
      walks: 200,
      steps: 100,
    });
    expect(walked.properties.find(({ name }) => name === exclusion.name)?.verdict).toBe('violated');
  });

  it('without drift is followed only within its bounds', () => {
    const { trace } = finding(
      explore(lease(8, 10), star(3), { time: exact(0.25) }),
      exclusion.name,
    );
    const followed = (drift: number) =>
      trace && follow(lease(8, 10), star(3), trace, { time: exact(drift) }).steps;
    expect(followed(0.25)).toBe(trace?.lines.length);
    expect(() => followed(0.1)).toThrow(/^Line \d+, '.*' is not possible: /);
    expect(() => followed(0)).toThrow(/^Line \d+, '.*' is not possible: /);
  });
});

describe('timers that run at the same time', () => {
  const two = setup({
    types: {} as {
      input: Self;
      context: Self;
      events: { type: 'go' } | Received<{ type: 'm' }>;
      emitted: Effect<{ type: 'm' }>;
    },
    actions: { tell: emit(({ context }) => send(context.peers[0] ?? '', { type: 'm' })) },
  }).createMachine({
    context: ({ input }) => input,
    type: 'parallel',
    states: {
      x: {
        initial: 'on',
        states: {
          on: {
            tags: 'waiting',
            on: { go: { target: 'on', reenter: true } },
            after: { 4: { target: 'off', actions: 'tell' } },
          },
          off: { on: { go: 'on' } },
        },
      },
      y: {
        initial: 'on',
        states: {
          on: { on: { m: { target: 'on', reenter: true } }, after: { 8: 'off' } },
          off: { on: { m: {} } },
        },
      },
    },
  });
  const protocol = minimalProtocol(two, {
    messages: { m: { meaning: 'm' } },
    commands: { go: { kind: 'optional', meaning: 'arm the first timer again' } },
  });

  proof('have the worlds of the definition, also if they are armed again', () => {
    const options = {
      time: exact(0.5, { delay: [0, 2] }),
      initiators: ['a'],
      order: 'any',
    } as const;
    const {
      complete: isComplete,
      states,
      transitions,
      depth,
    } = explore(protocol, complete(2), options);
    const truth = truthOf(protocol, complete(2), options);
    expect(isComplete).toBe(true);
    expect({ states, transitions, depth }).toEqual({
      states: truth.states,
      transitions: truth.transitions,
      depth: truth.depth,
    });
    expect(states).toBeGreaterThan(500);
  });
});

describe('two timers of one node', () => {
  const both = setup({
    types: {} as {
      input: Self;
      context: Self;
      events: Received<{ type: 'm' }>;
      emitted: Effect<{ type: 'm' }>;
    },
  }).createMachine({
    context: ({ input }) => input,
    on: { m: {} },
    initial: 'both',
    states: { both: { after: { 10: 'short', 12: 'long' } }, short: {}, long: {} },
  });
  const isLong = sometimes('the longer one fires first', (system) =>
    system.nodes.some(({ value }) => value === 'long'),
  );
  const protocol = minimalProtocol(both, {
    messages: { m: { meaning: 'm' } },
    commands: {},
    properties: [isLong],
  });
  const verdict = (drift: number) =>
    finding(explore(protocol, complete(2), { time: exact(drift) }), isLong.name).verdict;

  it('are told to drift apart where no single clock fires them like that', () => {
    const found = (drift: number) =>
      finding(explore(protocol, complete(2), { time: exact(drift) }), isLong.name);
    expect(found(0.1).clocksApart).toEqual(['a']);
    const line = (
      time: number,
      event: TraceEvent,
      effects: TraceLine['effects'] = [],
    ): TraceLine => ({ time, node: 'a', event, effects });
    const both = [
      { kind: 'start', timer: 'short', delay: 10 },
      { kind: 'start', timer: 'long', delay: 12 },
    ] as const;
    const apart = (...later: readonly TraceLine[]) =>
      clocksApart({ header: new Map(), lines: [line(0, { kind: 'start' }, both), ...later] }, 0.1);
    const fires = (timer: string, time: number) => line(time, { kind: 'timeout', timer });
    expect(apart(fires('short', 9), fires('long', 10.8))).toEqual([]);
    expect(apart(fires('short', 11), fires('long', 13.2))).toEqual([]);
    expect(apart(fires('short', 9), fires('long', 11.2))).toEqual([]); // the clock becomes slower
    // 2 ms of the clock in 2.3 ms
    expect(apart(fires('short', 9), fires('long', 11.3))).toEqual(['a']);
    expect(apart(fires('short', 11), fires('long', 12.7))).toEqual(['a']); // 2 ms in 1.7 ms
    expect(apart(fires('long', 10.8))).toEqual(['a']);
    expect(apart(fires('short', 8.9))).toEqual(['a']);
    const cancel = (time: number) =>
      line(time, { kind: 'deliver', call: 'm', from: 'b' }, [{ kind: 'cancel', timer: 'short' }]);
    expect(apart(cancel(9), fires('long', 11))).toEqual([]);
    // 11 ms of the clock have passed when the shorter one is cancelled
    expect(apart(cancel(10), fires('long', 10.8))).toEqual(['a']);
    expect(apart(line(10, { kind: 'crash' }), line(40, { kind: 'restart' }))).toEqual([]);
    expect(apart(line(40, { kind: 'crash' }))).toEqual(['a']);
  });

  it('drift apart in the model, although no clock lets the longer one fire first', () => {
    expect(verdict(0)).toBe('unreached');
    expect(verdict(0.05)).toBe('unreached'); // 10 · 1.05 < 12 · 0.95
    expect(verdict(0.1)).toBe('reached'); // 10 · 1.1 > 12 · 0.9
  });
});
