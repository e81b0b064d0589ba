/**
 * Limits hold at all times: while a system is built, within one expansion, while runs are judged.
 */
import { proof } from '@conclave/tools/sample';
import { describe, expect, it, vi } from 'vitest';
import { mostMemory } from '../../base/memory.js';
import { centralLock } from '../../protocol/examples.contract.js';
import { always, eventually, leadsTo } from '../../protocol/property.js';
import { complete, star } from '../../topology/generators.js';
import { finding, greetings } from '../fixtures/explored.contract.js';
import { exploreSystem } from '../plain/plain.js';
import { LimitReached, Watch } from '../search/limits/limits.js';
import { explore } from './explore.js';

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
