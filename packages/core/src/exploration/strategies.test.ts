/** However a system is searched, what is found of it must be the same. */
import { describe, expect, it, vi } from 'vitest';
import { cards, centralLock } from '../protocol/examples.contract.js';
import { always, leadsTo, type Property } from '../protocol/property.js';
import { star } from '../topology/generators.js';
import { replay } from '../trace/replay.js';
import { type Exploration, type ExploreOptions, explore } from './explore.js';
import { askable, probes, systems } from './systems.contract.js';

const lively = leadsTo(
  'who waits enters',
  ({ tags }) => tags.has('waiting'),
  ({ tags }) => tags.has('critical'),
);
const properties: readonly Property[] = [...probes, lively];

const facts = ({ states, transitions, complete, properties }: Exploration) => ({
  states,
  transitions,
  complete,
  verdicts: properties.map(({ name, verdict }) => [name, verdict]),
});
/** How long the traces of single worlds are. Answers that are still open at the end make a trace longer, by as much as they ask for. */
const lengths = ({ protocol, properties }: Exploration) =>
  protocol === cards.name ? [] : properties.filter(({ kind }) => kind !== 'leadsTo').map(({ trace }) => trace?.lines.length);

describe.each(systems)('%s', (_name, protocol, topology, budget) => {
  const searched = (options: ExploreOptions) =>
    explore(protocol, topology, { ...budget, properties: askable(protocol, properties), ...options });
  const usual = searched({});

  it('has the same worlds, steps and verdicts depth-first; the traces may be longer, and replay', () => {
    const found = searched({ search: 'depth' });
    expect(facts(found)).toEqual(facts(usual));
    expect(found.depth).toBeGreaterThanOrEqual(usual.depth);
    for (const { trace } of found.properties) if (trace) expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
  });

  it.each([2, 3])('has the same worlds, steps and verdicts with %i workers, by ways as short', (workers) => {
    const found = searched({ workers });
    expect(facts(found)).toEqual(facts(usual));
    expect(found.depth).toBe(usual.depth);
    expect(lengths(found)).toEqual(lengths(usual));
    expect({ ...searched({ workers }), seconds: 0 }).toEqual({ ...found, seconds: 0 });
    for (const { trace } of found.properties) if (trace) expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
  });

  it('has the same worlds and steps when they are told apart by hash; runs are not judged', () => {
    const found = searched({ visited: 'compact' });
    const { verdicts, ...counts } = facts(usual);
    expect(facts(found)).toEqual({
      ...counts,
      verdicts: verdicts.map(([name, verdict]) => [name, name === lively.name ? 'incomplete' : verdict]),
    });
    expect(lengths(found)).toEqual(lengths(usual));
    expect(found.omission).toBeGreaterThanOrEqual(0);
    expect(found.omission).toBeLessThan(1e-10);
  });
});

describe('limits', () => {
  it.each([
    ['states', { states: 50 }],
    ['memory', { memory: 0 }],
    ['seconds', { seconds: 0 }],
    ['depth', { depth: 3 }],
  ] as const)('of %s stop any search, and leave nothing to hold', (limit, limits) => {
    for (const how of [{ workers: 2 }, { search: 'depth' }, { visited: 'compact' }] as const) {
      const found = explore(centralLock, star(4), { limits, ...how });
      expect(found).toMatchObject({ complete: false, limit });
      for (const { verdict } of found.properties) expect(['incomplete', 'reached']).toContain(verdict);
    }
  });
});

it('the seconds are those of all searches that a reduction by order takes', () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000)); // each look at the clock takes a second
  const found = (reduce: 'none' | 'order') => explore(centralLock, star(4), { limits: { seconds: 2.5 }, reduce });
  const [full, reduced] = [found('none'), found('order')];
  clock.mockRestore();
  expect(full).toMatchObject({ complete: true, seconds: 2 });
  expect(reduced).toMatchObject({ complete: false, limit: 'seconds', seconds: 5 });
});

describe('a property that fails', () => {
  it.each([1, 2, 3])('ends a search by %i threads with its own error', (workers) => {
    const fails = always('it is never asked twice', (system) => {
      if (system.count('critical') > 0) throw new Error('asked once too often');
      return true;
    });
    expect(() => explore(centralLock, star(4), { workers, properties: [fails] })).toThrow('asked once too often');
  });
});

describe('what does not go together', () => {
  it.each<[ExploreOptions, string]>([
    [{ search: 'depth', visited: 'compact' }, 'A compact search goes breadth-first only'],
    [{ workers: 2, search: 'depth' }, 'Several workers search breadth-first and exactly'],
    [{ workers: 2, visited: 'compact' }, 'Several workers search breadth-first and exactly'],
    [{ workers: 2, reduce: 'order' }, 'Several workers search without reductions. Leave out reduce and normalise, or the workers.'],
    [{ workers: 2, normalise: (world) => world }, 'Several workers search without reductions'],
    [{ workers: 0 }, '0 is no number of workers'],
    [{ workers: 1.5 }, '1.5 is no number of workers'],
  ])('%o is refused', (options, what) => {
    expect(() => explore(centralLock, star(3), options)).toThrow(what);
  });
});
