import { isDeepStrictEqual } from 'node:util';
import { type Message, send } from '@conclave/core/protocol';
import { complete, ring, star } from '@conclave/core/topology';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMachine, emit } from 'xstate';
import {
  calls,
  cards,
  centralLock,
  minimalProtocol,
  withMachine,
} from '../../../core/src/protocol/examples.contract.js';
import { reach, texts } from '../fixtures/explored.contract.js';
import type { Budget } from './budget.js';
import { canonical, sameData } from './canonical.js';
import { viewOf } from './local-node.js';
import type { World } from './world.js';
import { worldKey } from './world-key.js';
import { Worlds } from './worlds.js';

const calling = (budget: Budget = {}) =>
  new Worlds(calls, complete(2), { initiators: ['a'], ...budget });

describe('the actions of a world', () => {
  it('are the optional commands initially, and then the consequences of each action', () => {
    const worlds = new Worlds(calls, complete(2));
    expect(texts(worlds, worlds.initial)).toEqual(['a call', 'b call']);
    expect(texts(worlds, reach(worlds, 'a call'))).toEqual(['b call', 'a→b ping(1)', 'a timeout']);
    expect(texts(worlds, reach(worlds, 'a call', 'a→b ping(1)'))).toEqual([
      'b call',
      'b→a pong(1)',
      'a timeout',
    ]);
    expect(texts(worlds, reach(worlds, 'a call', 'a→b ping(1)', 'b→a pong(1)'))).toEqual([
      'b call',
    ]);
  });

  it('end with the budget, and begin at its initiators', () => {
    expect(texts(calling({ commands: 0 }), calling().initial)).toEqual(['a call']);
    expect(texts(calling({ commands: 0 }), calling({ commands: 0 }).initial)).toEqual([]);
    const twice = calling({ commands: 2 });
    const round = (n: number) => ['a call', `a→b ping(${n})`, `b→a pong(${n})`];
    expect(texts(twice, reach(twice, ...round(1)))).toEqual(['a call']);
    expect(texts(twice, reach(twice, ...round(1), ...round(2)))).toEqual([]);
  });

  it('include obligatory commands whenever a state accepts them, with any budget', () => {
    const worlds = new Worlds(centralLock, star(2), { commands: 1 });
    expect(texts(worlds, worlds.initial)).toEqual(['b acquire']);
    const held = reach(worlds, 'b acquire', 'b→a request', 'a→b grant');
    expect(texts(worlds, held)).toEqual(['b release']);
    expect(held.remaining.commands).toEqual({ a: [1], b: [0] });
    expect(
      worlds.next(held, { type: 'command', node: 'b', command: { type: 'release' } }).remaining
        .commands,
    ).toEqual({ a: [1], b: [0] });
  });

  it('include given commands with their fields; without inputs, they need examples', () => {
    const machine = createMachine({ on: { put: {}, stop: {} } });
    const put = { kind: 'optional', fields: ['x'], meaning: 'put' } as const;
    const box = minimalProtocol(machine, {
      commands: { put, stop: { kind: 'optional', meaning: 'stop' } },
    });
    expect(() => new Worlds(box, complete(1))).toThrow(
      "The optional command 'put' of Tiny has fields, but no example of them: it would never come. Give their values as examples",
    );
    const commands = [1, 2].map((x) => ({ type: 'put', x }));
    const worlds = new Worlds(box, complete(1), { inputs: commands });
    expect(worlds.actions(worlds.initial)).toEqual(
      commands.map((command) => ({ type: 'command', node: 'a', command })),
    );
    const [first, second] = worlds.actions(worlds.initial);
    expect(first && worlds.actions(worlds.next(worlds.initial, first))).toEqual([second]);
    expect(second && worlds.actions(worlds.next(worlds.initial, second))).toEqual([first]);
  });

  it('include losses and duplications within the budget', () => {
    const worlds = calling({ losses: 1, duplications: 1 });
    const sent = reach(worlds, 'a call');
    expect(texts(worlds, sent)).toEqual([
      'a→b ping(1)',
      'drop a→b ping(1)',
      'duplicate a→b ping(1)',
      'a timeout',
    ]);
    expect(texts(worlds, reach(worlds, 'a call', 'drop a→b ping(1)'))).toEqual(['a timeout']);
    const duplicated = reach(worlds, 'a call', 'duplicate a→b ping(1)');
    expect(duplicated.channels).toEqual({
      'a→b': [
        { type: 'ping', n: 1 },
        { type: 'ping', n: 1 },
      ],
    });
    expect(texts(worlds, duplicated)).toEqual(['a→b ping(1)', 'drop a→b ping(1)', 'a timeout']);
    const spent = reach(worlds, 'a call', 'duplicate a→b ping(1)', 'drop a→b ping(1)');
    expect([spent.remaining.losses, spent.remaining.duplications]).toEqual([0, 0]);
    expect(texts(worlds, spent)).toEqual(['a→b ping(1)', 'a timeout']);
  });

  it('leave a crashed node only its restart; messages to it are dropped outside the budget', () => {
    const worlds = calling({ crashes: 1, restarts: 1, commands: 2 });
    const down = reach(worlds, 'a call', 'a crash');
    expect(texts(worlds, down)).toEqual(['a→b ping(1)', 'a restart']);
    const answered = reach(worlds, 'a call', 'a crash', 'a→b ping(1)');
    expect(texts(worlds, answered)).toEqual(['drop b→a pong(1)', 'a restart']);
    expect(reach(worlds, 'a call', 'a crash', 'a→b ping(1)', 'drop b→a pong(1)')).toMatchObject({
      channels: {},
      remaining: { losses: 0 },
    });
    const back = reach(worlds, 'a call', 'a crash', 'a restart');
    expect(back.nodes.a).toMatchObject({
      value: 'idle',
      context: { calls: 1, tries: 0 },
      timers: [],
    });
    expect([back.crashed, back.remaining.crashes, back.remaining.restarts]).toEqual([[], 0, 0]);
    expect(texts(worlds, back)).toEqual(['a call', 'a→b ping(1)']);
    expect(texts(calling({ crashes: 1 }), reach(calling({ crashes: 1 }), 'b crash'))).toEqual([
      'a call',
    ]);
  });

  it('are only choices while one is open; choices that an answer leads to come first', () => {
    const worlds = new Worlds(cards, complete(2), { initiators: ['b'] });
    expect(texts(worlds, worlds.initial)).toEqual(['a chooses 1', 'a chooses 2']);
    expect(texts(worlds, reach(worlds, 'a chooses 2'))).toEqual(['b chooses 1', 'b chooses 2']);
    const started = ['a chooses 2', 'b chooses 1', 'a→b drew(2)', 'b→a drew(1)'];
    expect(texts(worlds, reach(worlds, ...started))).toEqual(['b play']);
    expect(texts(worlds, reach(worlds, ...started, 'b play'))).toEqual([
      'b chooses high',
      'b chooses low',
    ]);
    expect(texts(worlds, reach(worlds, ...started, 'b play', 'b chooses low'))).toEqual([
      'b chooses left',
      'b chooses right',
    ]);
    expect(texts(worlds, reach(worlds, ...started, 'b play', 'b chooses high'))).toEqual([
      'b chooses king',
      'b chooses ace',
    ]);
    const done = reach(
      worlds,
      ...started,
      'b play',
      'b chooses high',
      'b chooses ace',
      'b chooses left',
    );
    expect(done.nodes.b?.context.drawn).toEqual([1, 'high', 'ace', 'left']);
    expect(texts(worlds, done)).toEqual(['b→a drew(high)', 'b→a drew(ace)', 'b→a drew(left)']);
  });
});

describe('order', () => {
  const twins = createMachine({
    on: {
      go: { actions: ['one', 'two', 'one'].map((type) => emit(send('b', { type }))) },
      one: {},
      two: {},
    },
  });
  const sent = { meaning: 'sent' };
  const protocol = minimalProtocol(twins, {
    messages: { one: sent, two: sent },
    commands: { go: { kind: 'optional', meaning: 'go' } },
  });
  const worlds = (order?: 'fifo' | 'any', duplications = 0) =>
    new Worlds(protocol, complete(2), {
      initiators: ['a'],
      duplications,
      ...(order ? { order } : {}),
    });

  it('fifo offers the oldest message of a channel, any each different one', () => {
    expect(texts(worlds('fifo'), reach(worlds('fifo'), 'a go'))).toEqual(['a→b one']);
    expect(texts(worlds('any'), reach(worlds('any'), 'a go'))).toEqual(['a→b one', 'a→b two']);
    expect(texts(worlds('fifo'), reach(worlds('fifo'), 'a go', 'a→b one'))).toEqual(['a→b two']);
    expect(texts(worlds('any'), reach(worlds('any'), 'a go', 'a→b two'))).toEqual(['a→b one']);
  });

  it('is by default the order that the protocol assumes', () => {
    expect(worlds().order).toBe('any');
    expect(
      new Worlds({ ...protocol, channels: { ...protocol.channels, order: 'fifo' } }, complete(2))
        .order,
    ).toBe('fifo');
  });

  it('fifo is kept by a duplication', () => {
    const duplicated = reach(worlds('fifo', 1), 'a go', 'duplicate a→b one');
    expect(duplicated.channels['a→b']?.map(({ type }) => type)).toEqual([
      'one',
      'one',
      'two',
      'one',
    ]);
  });

  it('distinguishes worlds under fifo only', () => {
    const world = reach(worlds('any'), 'a go');
    const turned: World = {
      ...world,
      channels: {
        'a→b': [...(world.channels['a→b'] ?? [])].reverse().slice(1).concat({ type: 'one' }),
      },
    };
    const other: World = {
      ...world,
      channels: { 'a→b': [{ type: 'two' }, { type: 'one' }, { type: 'one' }] },
    };
    expect(worldKey(other, 'any')).toBe(worldKey(world, 'any'));
    expect(worldKey(other, 'fifo')).not.toBe(worldKey(world, 'fifo'));
    expect(worldKey(turned, 'any')).toBe(worldKey(world, 'any'));
    const fewer: World = { ...world, channels: { 'a→b': [{ type: 'two' }, { type: 'one' }] } };
    expect(worldKey(fewer, 'any')).not.toBe(worldKey(world, 'any'));
  });
});

describe('errors', () => {
  it.each<[Budget, string]>([
    [{ commands: -1 }, "Budget: commands is -1. Give a whole number, 0 or more, or 'unlimited'."],
    [{ losses: 0.5 }, 'Budget: losses is 0.5. Give a whole number, 0 or more.'],
    [{ duplications: NaN }, 'Budget: duplications is NaN. Give a whole number, 0 or more.'],
    [{ crashes: -2 }, 'Budget: crashes is -2. Give a whole number, 0 or more.'],
    [{ restarts: Infinity }, 'Budget: restarts is Infinity. Give a whole number, 0 or more.'],
    [{ partitions: -1 }, 'Budget: partitions is -1. Give a whole number, 0 or more.'],
    [
      JSON.parse('{ "delay": 5 }'),
      "Budget: there is no option 'delay'. It knows commands, initiators, inputs, losses, duplications, crashes, restarts, partitions, atomicSteps, unsent, mayCrash, unexpected, order, time.",
    ],
    [
      JSON.parse('{ "time": { "kind": "exact" } }'),
      'Budget: time.delay is missing. It knows kind, delay, messages, links, stays, drift, tick.',
    ],
    [
      JSON.parse('{ "time": "slow" }'),
      "Budget: time is 'slow'. Give 'untimed', or exact time such as { kind: 'exact', delay: [1, 10] }.",
    ],
    [{ initiators: ['a', 'z'] }, "The initiator 'z' is no node of 'complete:2'. Its nodes: a, b."],
    [{ inputs: [{ type: 'toString' }] }, "The command 'toString' is none of call"],
    [{ inputs: [{ type: 'call' }, { type: 'call' }] }, "The command 'call' is listed twice"],
  ])('an impossible budget: %j', (budget, message) => {
    expect(() => new Worlds(calls, complete(2), budget)).toThrow(
      expect.objectContaining({ code: 'bad-input', message }),
    );
  });

  it('an unknown model of time in the protocol', () => {
    const hasty = { ...calls, channels: { ...calls.channels, time: JSON.parse('"soon"') } };
    expect(() => new Worlds(hasty, complete(2))).toThrow(
      "The protocol's time is \"soon\". Give 'untimed', or exact time such as",
    );
  });

  it('a budget for an obligatory command', () => {
    expect(() => new Worlds(centralLock, star(2), { inputs: [{ type: 'release' }] })).toThrow(
      expect.objectContaining({
        code: 'bad-input',
        message: "The command 'release' is obligatory, and needs no budget",
      }),
    );
  });

  it('a network with too many splits', () => {
    expect(() => new Worlds(centralLock, star(13), { partitions: 1 })).toThrow(
      expect.objectContaining({
        code: 'bad-input',
        message: "'star:13' has up to 4095 splits. Explore partitions on at most 12 nodes.",
      }),
    );
    const worlds = new Worlds(centralLock, star(12), { partitions: 1, commands: 0 });
    expect(worlds.actions(worlds.initial)).toHaveLength(2 ** 11 - 1);
  });

  it('a network that the protocol refuses', () => {
    expect(() => new Worlds(calls, ring(3))).toThrow(
      expect.objectContaining({ code: 'bad-topology' }),
    );
  });

  it('an impossible action', () => {
    const worlds = calling();
    const message: Message = { type: 'ping' };
    for (const type of ['deliver', 'drop', 'duplicate'] as const)
      expect(() => worlds.next(worlds.initial, { type, from: 'a', to: 'b', message })).toThrow(
        expect.objectContaining({
          code: 'bad-input',
          message: "No such 'ping' is in flight from a to b",
        }),
      );
    expect(() => worlds.next(worlds.initial, { type: 'timeout', node: 'a', timer: 't' })).toThrow(
      "Node a has no armed timer 't'",
    );
    expect(() =>
      worlds.next(worlds.initial, { type: 'command', node: 'z', command: { type: 'call' } }),
    ).toThrow("The network 'complete:2' has no node 'z'");
    expect(() => worlds.actions({ ...worlds.initial, nodes: {} })).toThrow(
      "The world has no node 'a'",
    );
    expect(() => viewOf(calls, complete(3), worlds.initial)).toThrow("The world has no node 'c'");
    expect(() => viewOf(calls, complete(2), worlds.initial).node('z')).toThrow(
      "The system has no node 'z'",
    );
  });

  it('a machine that breaks the node contract', () => {
    const lost = withMachine(
      calls,
      createMachine({ on: { call: { actions: emit(send('z', { type: 'ping' })) } } }),
    );
    const worlds = new Worlds(lost, complete(2));
    expect(() => reach(worlds, 'a call')).toThrow(
      expect.objectContaining({
        code: 'bad-protocol',
        message:
          "Node a sends 'ping' to z, to which it has no channel in 'complete:2'. It was in '' when it was told 'call'",
      }),
    );
    const deaf = new Worlds(
      withMachine(
        calls,
        createMachine({ on: { call: { actions: emit(send('b', { type: 'ping' })) } } }),
      ),
      complete(2),
      { initiators: ['a'] },
    );
    expect(() => reach(deaf, 'a call', 'a→b ping')).toThrow(/does not handle 'ping' \(from a\)/);
  });
});

/** The same data, with the keys of every object in reverse order. */
const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, item]) => [key, turned(item)]));
};

// −0 becomes 0
const data = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));
const small = fc.oneof(
  fc.constantFrom(null, 0, '', [], {}, [null], { a: null }, { a: [] }, { a: {} }, '[]', '0', {
    a: 0,
    b: 1,
  }),
  data,
);

describe('canonical text', () => {
  it('reads as JSON with sorted keys', () => {
    expect(canonical({ b: 1, a: [1, { d: null, c: 'x"' }] })).toBe(
      '{"a":[1,{"c":"x\\"","d":null}],"b":1}',
    );
    expect(canonical({ a: undefined, b: 1 })).toBe('{"b":1}');
  });

  it('is equal exactly for equal data, in any order of keys', () => {
    fc.assert(
      fc.property(
        data,
        (value) => canonical(turned(value)) === canonical(value) && sameData(turned(value), value),
      ),
    );
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(canonical(a) === canonical(b)).toBe(isDeepStrictEqual(a, b));
        expect(sameData(a, b)).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });
});
