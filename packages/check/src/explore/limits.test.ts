/** What stays open when a search ends early, and the standard checks. */

import { always, eventually, leadsTo, sometimes } from '@conclave/core/protocol';
import { complete, star, topology } from '@conclave/core/topology';
import { traceText } from '@conclave/core/trace';
import { protocolOf } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it, vi } from 'vitest';
import { centralLock } from '../../../core/src/protocol/examples.contract.js';
import { finding, greetings, verdicts } from '../fixtures/explored.contract.js';
import { exploreSystem } from '../plain/plain.js';
import { LimitReached, Watch } from '../search/limits/limits.js';
import { mostMemory } from '../search/limits/memory.js';
import { standardProperties } from '../worlds/standard-properties.js';
import { explore, exploreResumably } from './explore.js';

describe('limits', () => {
  const properties = [
    ...centralLock.properties,
    always('no node ever asks', (system) => system.inFlight('request').length === 0),
  ];
  const all = explore(centralLock, star(4), { properties });

  it.each([
    ['states', { states: 50 }],
    ['states', { states: 0 }],
    ['memory', { memory: 0 }],
    ['seconds', { seconds: 0 }],
    ['depth', { depth: 3 }],
  ] as const)('of %s, once reached, leave nothing to hold: %o', (limit, limits) => {
    const found = explore(centralLock, star(4), { properties, limits });
    expect(found).toMatchObject({ complete: false, limit });
    expect(found.states).toBeLessThan(all.states);
    for (const { verdict } of found.properties)
      expect(['incomplete', 'violated', 'reached']).toContain(verdict);
    expect(finding(found, 'a waiting node enters').verdict).toBe('incomplete');
  });

  it.each([{}, { search: 'depth' }] as const)('end a search at stop: %o', (options) => {
    let asked = 0;
    const stop = () => ++asked > 20;
    const found = explore(centralLock, star(6), { properties, limits: { stop }, ...options });
    expect(found).toMatchObject({ complete: false, limit: 'interrupted' });
    expect(found.states).toBeGreaterThan(1);
    expect(finding(found, 'a waiting node enters').verdict).toBe('incomplete');
    expect(
      explore(centralLock, star(3), { limits: { stop: () => false }, ...options }),
    ).toMatchObject({ complete: true });
  });

  proof.each([{}, { search: 'depth' }] as const)('of time hold during a search: %o', (options) => {
    const found = explore(centralLock, star(12), {
      commands: 3,
      limits: { seconds: 1 },
      ...options,
    });
    expect(found).toMatchObject({ complete: false, limit: 'seconds' });
    expect(found.states).toBeGreaterThan(0);
    expect(finding(found, 'a waiting node enters').verdict).toBe('incomplete');
  });

  it('as large as the system change nothing', () => {
    const { states, depth } = all;
    const found = explore(centralLock, star(4), {
      properties,
      limits: { states, depth, memory: 1000, seconds: 600 },
    });
    expect({ ...found, seconds: 0 }).toEqual({ ...all, seconds: 0 });
    expect(found).not.toHaveProperty('limit');
    expect(explore(centralLock, star(4), { limits: { states: states - 1 } })).toMatchObject({
      complete: false,
      limit: 'states',
    });
    expect(explore(centralLock, star(4), { limits: { depth: depth - 1 } })).toMatchObject({
      complete: false,
      limit: 'depth',
    });
  });

  it('hold while a finding is confirmed', () => {
    let asked = 0;
    const mayCrash = () => ++asked > 0;
    const budget = { crashes: 1, mayCrash, properties: centralLock.properties.slice(0, 1) };
    // no property is violated: a trace would ask once more
    const lock = { ...centralLock, waiting: false } as const;
    expect(explore(lock, star(4), budget).complete).toBe(true);
    const twice = asked;
    asked = 0;
    const found = explore(lock, star(4), { ...budget, limits: { stop: () => asked > twice / 2 } });
    expect(found).toMatchObject({ complete: false, limit: 'interrupted' });
    expect(asked).toBeLessThan(twice);
    expect(verdicts(found)).toEqual(['incomplete', 'incomplete', 'incomplete']);
  });

  it('hold while a finding in a plain system is confirmed', () => {
    let taken = 0;
    const next = (n: number): number => {
      taken++;
      return n + 1;
    };
    const found = exploreSystem(
      { initial: 0, actions: (n) => (n < 100 ? ['up'] : []), next },
      { properties: [always('it ends', (n) => n <= 100)], limits: { stop: () => taken > 120 } },
    );
    expect(found).toMatchObject({ states: 101, complete: false, limit: 'interrupted' });
    expect(found.properties.map(({ verdict }) => verdict)).toEqual(['incomplete', 'incomplete']);
    expect(taken).toBeLessThan(150);
  });

  it('keep what was found before', () => {
    const found = explore(centralLock, star(4), { properties, limits: { states: 50 } });
    expect(verdicts(found)).toEqual([
      'incomplete',
      'reached',
      'incomplete',
      'violated',
      'incomplete',
      'incomplete',
      'incomplete',
    ]);
    expect(verdicts(all)).toEqual([
      'holds',
      'reached',
      'holds',
      'violated',
      'holds',
      'holds',
      'holds',
    ]);
    const none = explore(centralLock, star(4), { properties, limits: { depth: 0 } });
    expect(finding(none, 'a node holds').verdict).toBe('incomplete');
  });
});

describe('after the first violation', () => {
  it('all: false stops, is incomplete and leaves the other properties open', () => {
    const properties = [
      ...centralLock.properties,
      always('no node ever asks', (system) => system.inFlight('request').length === 0),
    ];
    const found = explore(centralLock, star(4), { properties, all: false });
    expect(found.complete).toBe(false);
    expect(found.states).toBeLessThan(10);
    expect(found).not.toHaveProperty('limit');
    expect(verdicts(found)).toEqual([
      'incomplete',
      'incomplete',
      'incomplete',
      'violated',
      'incomplete',
      'incomplete',
      'incomplete',
    ]);
  });

  it('a sometimes property that is reached does not stop it', () => {
    expect(explore(centralLock, star(3), { all: false })).toMatchObject({ complete: true });
  });
});

describe('the standard checks', () => {
  const talk = [
    sometimes('all are awake', (system) => system.count('waiting') === 0),
    leadsTo(
      'all wake up',
      () => true,
      ({ tags }) => !tags.has('waiting'),
    ),
  ];

  it('an unhandled message: the path to it, what is wrong, and the other properties left open', () => {
    const found = explore(greetings, complete(2), { properties: talk });
    expect(found.complete).toBe(true);
    expect(verdicts(found)).toEqual([
      'reached',
      'incomplete',
      'violated',
      'incomplete',
      'incomplete',
    ]);
    const { trace } = finding(found, standardProperties[0] ?? '');
    expect(trace?.header.get('fault')).toContain("Node b in 'asleep' does not handle 'hello'");
    expect(trace?.lines.map(({ event }) => event)).toEqual([{ kind: 'command', call: 'greet' }]);
    expect(trace && traceText(trace)).toContain('# channels: order any');
    expect(explore(greetings, complete(2), { properties: talk, all: false }).complete).toBe(false);
  });

  it('a world whose only steps fail is not quiescent', () => {
    const found = explore(greetings, complete(2), { initiators: ['a'], properties: talk });
    expect(verdicts(found)).toEqual([
      'incomplete',
      'incomplete',
      'violated',
      'incomplete',
      'incomplete',
    ]);
  });

  it('a node that waits in a quiescent state', () => {
    const found = explore(greetings, complete(2), { commands: 0, properties: talk });
    expect(verdicts(found)).toEqual(['unreached', 'violated', 'holds', 'violated', 'holds']);
    expect(finding(found, standardProperties[1] ?? '').trace?.lines).toEqual([]);
  });
});

it('reports its progress, and refuses impossible options', () => {
  const seen: number[] = [];
  explore(centralLock, star(3), { onProgress: (states) => seen.push(states) });
  expect(seen).toEqual([1]);
  expect(() => explore(centralLock, complete(3))).toThrow(/star/);
  expect(() => explore(centralLock, star(3), { commands: -1 })).toThrow(/commands is -1/);
});

// Limits hold at all times: while a system is built, within one expansion, while runs are judged.

describe('limits hold', () => {
  it('within one expansion, even if many steps lead out of a state', () => {
    const many = Array.from({ length: 3_000_000 }, (_, index) => index);
    const system = {
      initial: -1,
      actions: (state: number) => (state < 0 ? many : []),
      next: (_: number, to: number) => to,
    };
    const properties = [always<number>('it is small', (state) => state < 0)];
    const found = exploreSystem(system, { properties: [], limits: { seconds: 0.1 } });
    expect(found).toMatchObject({ complete: false, limit: 'seconds' });
    expect(found.states).toBeLessThan(many.length);
    expect(found.seconds).toBeLessThan(20);
    expect(exploreSystem(system, { properties, limits: { memory: 20 } })).toMatchObject({
      complete: false,
      limit: 'memory',
    });
  });

  it('while the system is built: the properties stay open', () => {
    const found = explore(centralLock, star(50), { limits: { seconds: 0 } });
    expect(found).toMatchObject({ states: 0, complete: false, limit: 'seconds' });
    expect(found.properties.map(({ name }) => name)).toEqual(
      explore(centralLock, star(2)).properties.map(({ name }) => name),
    );
    expect(new Set(found.properties.map(({ verdict }) => verdict))).toEqual(
      new Set(['incomplete']),
    );
  });

  it('while runs are judged: properties of runs stay open, properties of states are decided', () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const slow = leadsTo(
      'a waiting node takes long to check',
      ({ tags }) => {
        now += 1000;
        return tags.has('waiting');
      },
      ({ tags }) => tags.has('critical'),
    );
    const properties = [
      slow,
      always('it is locked once', (system) => system.count('critical') <= 1),
    ];
    const found = explore(centralLock, star(4), { properties, limits: { seconds: 12 } });
    clock.mockRestore();
    expect(found).toMatchObject({ complete: true, limit: 'seconds' });
    expect(found.seconds).toBeGreaterThan(12);
    expect(finding(found, slow.name).verdict).toBe('incomplete');
    expect(finding(found, 'it is locked once').verdict).toBe('holds');
  });

  it('before a large allocation', () => {
    const watch = new Watch({ memory: 100 });
    expect(() => watch.require(50 * 2 ** 20)).not.toThrow();
    expect(() => watch.require(200 * 2 ** 20)).toThrow(
      expect.objectContaining({ limit: 'memory' }),
    );
    watch.counted = () => 101 * 2 ** 20;
    expect(watch.reached()).toBe('memory');
    expect(new LimitReached('seconds').limit).toBe('seconds');
  });
});

proof('a world whose steps are looked up in several batches keeps them all', () => {
  const many = Array.from({ length: 300_000 }, (_, index) => index + 3);
  const system = {
    initial: 0,
    actions: (state: number) => (state === 0 ? [1, 2] : state === 1 ? many : []),
    next: (_: number, to: number) => to,
    fair: () => 'go',
  };
  const found = exploreSystem(system, {
    properties: [eventually<number>('it is good', (state) => state === 2 || state > 3)],
  });
  expect(found.transitions).toBe(many.length + 2);
  expect(found.properties[0]).toMatchObject({
    verdict: 'violated',
    path: [{ state: 1 }, { state: 3 }],
  });
});

describe('a search that cannot fit is refused before it begins', () => {
  it('a network that is too large for the memory allowed, with how large it may be', () => {
    const attempt = () => explore(greetings, complete(300), { limits: { memory: 500 } });
    expect(attempt).toThrow(
      /^To search 'complete:300' takes [\d,]+ MB before the first step, and 500 MB are allowed\. Of this shape, \d+ nodes/,
    );
    const [, fitting] = /shape, (\d+) nodes/.exec(messageOf(attempt)) ?? [];
    expect(
      explore(greetings, complete(Number(fitting)), { limits: { memory: 500, seconds: 0 } }),
    ).toMatchObject({ limit: 'seconds' });
  });

  it('without limits, a search may take most of the memory of the machine', () => {
    expect(new Watch().allowedMemory).toBe(mostMemory());
    expect(mostMemory()).toBeGreaterThan(0);
    expect(Number.isFinite(mostMemory())).toBe(true);
  });
});

function messageOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
}

const protocol = protocolOf('A3');
const network = topology('complete:3');

it.each([
  ['breadth-first', { commands: 1 }, true],
  ['up to a limit', { commands: 2, limits: { states: 100_000 } }, true],
  ['with a loss, which violates something', { losses: 1 }, true],
  ['in exact time', { time: { kind: 'exact', delay: [1, 2] } }, true],
  ['depth-first', { search: 'depth' }, false],
] as const)('%s, work that is held finds what one search finds', (_, options, yields) => {
  const work = exploreResumably(protocol, network, options);
  let steps = 1;
  let step = work.next();
  for (; !step.done; step = work.next()) steps++;
  const { seconds: _seconds, ...found } = step.value;
  const { seconds: _other, ...expected } = explore(protocol, network, options);
  expect(found).toEqual(expected);
  expect(steps > 1).toBe(yields);
});

proof('the time while it is held does not count, and user code has no chance there either', () => {
  const random = Math.random;
  const limits = { seconds: 2 };
  const work = exploreResumably(protocol, network, { commands: 1, limits });
  const first = work.next();
  expect(first.done).toBe(false);
  expect(Math.random).not.toBe(random);
  const until = performance.now() + 2500;
  while (performance.now() < until);
  let step = work.next();
  while (!step.done) step = work.next();
  expect(step.value).toMatchObject({ complete: true });
  expect(step.value.seconds).toBeLessThan(2);
  expect(Math.random).toBe(random);
});
