/** What stays open when a search ends early, and the standard checks. */
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { centralLock } from '../../protocol/examples.contract.js';
import { standardProperties } from '../../protocol/handles.js';
import { always, leadsTo, sometimes } from '../../protocol/property.js';
import { complete, star } from '../../topology/generators.js';
import { traceText } from '../../trace/trace.js';
import { finding, greetings, verdicts } from '../fixtures/explored.contract.js';
import { exploreSystem } from '../plain/plain.js';
import { explore } from './explore.js';

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
