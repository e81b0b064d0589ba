/** All search strategies must find the same. */
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { centralLock } from '../../protocol/examples.contract.js';
import { always, leadsTo, type Property } from '../../protocol/property.js';
import { star } from '../../topology/generators.js';
import { replay } from '../../trace/replay.js';
import { askable, probes, systems } from '../fixtures/systems.contract.js';
import { type Exploration, explore } from './explore.js';
import type { ExploreOptions } from './options.js';

const lively = leadsTo(
  'a waiting node enters',
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
describe.each(systems)('%s', (_name, protocol, topology, budget) => {
  const searched = (options: ExploreOptions) =>
    explore(protocol, topology, {
      ...budget,
      properties: askable(protocol, properties),
      ...options,
    });
  const usual = searched({});

  proof(
    'has the same worlds, steps and verdicts depth-first; the traces may be longer, and replay',
    () => {
      const found = searched({ search: 'depth' });
      expect(facts(found)).toEqual(facts(usual));
      expect(found.depth).toBeGreaterThanOrEqual(usual.depth);
      for (const { trace } of found.properties)
        if (trace) expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
    },
  );
});

describe('limits', () => {
  it.each([
    ['states', { states: 50 }],
    ['memory', { memory: 0 }],
    ['seconds', { seconds: 0 }],
    ['depth', { depth: 3 }],
  ] as const)('of %s stop any search, and leave nothing to hold', (limit, limits) => {
    for (const how of [{}, { search: 'depth' }] as const) {
      const found = explore(centralLock, star(4), { limits, ...how });
      expect(found).toMatchObject({ complete: false, limit });
      for (const { verdict } of found.properties)
        expect(['incomplete', 'reached']).toContain(verdict);
    }
  });
});

describe('a property that fails', () => {
  it('ends a search with its own error', () => {
    const fails = always('it is evaluated once', (system) => {
      if (system.count('critical') > 0) throw new Error('asked once too often');
      return true;
    });
    expect(() => explore(centralLock, star(4), { properties: [fails] })).toThrow(
      'asked once too often',
    );
  });
});
