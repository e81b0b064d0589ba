/**
 * The run of a finding as numbers: each is the position of an action among those that are possible.
 */

import type { Protocol } from '@conclave/core/protocol';
import {
  always,
  atMost,
  type Chosen,
  choose,
  type Effect,
  eventually,
  leadsTo,
  type Property,
  type Received,
  send,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { complete, star } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { emit, enqueueActions, setup } from 'xstate';
import {
  calls,
  centralLock,
  minimalProtocol,
  type Self,
} from '../../../core/src/protocol/examples.contract.js';
import { finding, linesOf, performed, tennis, worldsOf } from '../fixtures/explored.contract.js';
import { askable, probes, systems } from '../fixtures/systems.contract.js';
import { budgetOf } from '../follow/budget-of.js';
import { follow } from '../follow/follow.js';
import type { Exploration } from '../verdicts/exploration.js';
import type { PropertyFinding } from '../verdicts/property-finding.js';
import { walk } from '../walk/walk.js';
import type { Budget } from '../worlds/budget.js';
import type { World } from '../worlds/world.js';
import { worldKey } from '../worlds/world-key.js';
import type { Worlds } from '../worlds/worlds.js';
import { explore } from './explore.js';
import type { ExploreOptions } from './options.js';

/** The trace of a finding, followed in its own budget: the same run, or one with the same lines. */
function followed(
  protocol: Protocol,
  topology: Topology,
  { trace }: PropertyFinding,
  { order, budget, clockwork }: Worlds,
): void {
  if (!trace) return;
  const time = clockwork && budget.time ? { time: budget.time } : {};
  const own: Budget = { ...budgetOf(protocol, trace), order, ...time };
  const { actions, lines, tick } = follow(protocol, topology, trace, own);
  const worlds = worldsOf(protocol, topology, own, tick);
  expect(performed(worlds, actions).lines.map(({ time: _, ...line }) => line)).toEqual(
    linesOf({ trace })?.map(({ time: _, ...line }) => line),
  );
  expect(lines).toHaveLength(actions.length);
}

describe('the numbers of a finding perform its trace', () => {
  proof.each(systems)('of %s', (_name, protocol, topology, options) => {
    const properties = askable(protocol, probes);
    let decided = 0;
    for (const search of ['breadth', 'depth'] as const) {
      const found = explore(protocol, topology, { ...options, properties, search });
      const worlds = worldsOf(protocol, topology, options, found.tick);
      for (const property of found.properties) {
        expect(property.steps !== undefined).toBe(property.trace !== undefined);
        if (!property.steps) continue;
        decided++;
        expect(performed(worlds, property.steps).lines).toEqual(linesOf(property));
        followed(protocol, topology, property, worlds);
      }
    }
    expect(decided).toBeGreaterThan(1);
  });

  it('of walks', () => {
    const options = { crashes: 1, restarts: 1, losses: 1, initiators: ['a'], properties: probes };
    const found = walk(calls, complete(3), { ...options, seed: 3, walks: 60, steps: 60 });
    const worlds = worldsOf(calls, complete(3), options);
    const decided = found.properties.filter(({ trace }) => trace);
    expect(decided.length).toBeGreaterThan(2);
    for (const property of decided)
      expect(performed(worlds, property.steps ?? []).lines).toEqual(linesOf(property));
  });
});

// A node throws a die at its start; whenever it may go on, a ball goes to the other node and back,
// and it throws again.

const thrower = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: Chosen | Received<{ type: 'ball' }>;
    emitted: Effect<{ type: 'ball' }>;
  },
  actions: {
    throwDie: enqueueActions(({ context, enqueue }) => {
      if (context.self === 'a') enqueue.emit(choose('stop', 'go'));
    }),
    pass: emit(({ context }) => send(context.peers[0] ?? '', { type: 'ball' })),
  },
  guards: {
    mayGo: ({ event }) => event.type === 'chosen' && event.value === 'go',
    isFirst: ({ context }) => context.self === 'a',
  },
}).createMachine({
  context: ({ input }) => input,
  initial: 'playing',
  states: {
    playing: {
      entry: 'throwDie',
      on: {
        chosen: [{ guard: 'mayGo', actions: 'pass' }, { target: 'done' }],
        ball: [{ guard: 'isFirst', target: 'playing', reenter: true }, { actions: 'pass' }],
      },
    },
    done: {},
  },
});
const dice = minimalProtocol(thrower, { name: 'dice', messages: { ball: { meaning: 'yours' } } });

describe('an infinite run', () => {
  const stops = eventually('a node is done', ({ nodes }) =>
    nodes.some(({ value }) => value === 'done'),
  );
  const never = eventually('the run ends', () => false);
  const exact = { time: { kind: 'exact', delay: [1, 2] } } as const;

  it.each<[string, Protocol, ExploreOptions, Property, boolean]>([
    ['of a ball', tennis, { commands: 0 }, never, true],
    ['of a ball in exact time', tennis, { commands: 0, ...exact }, never, true],
    ['of too many balls', tennis, { commands: 0 }, atMost(9, { per: 'stop' }), true],
    ['of choices', dice, {}, stops, true],
    ['of choices in exact time', dice, exact, stops, true],
    ['that stops', dice, {}, never, false],
    ['that stops after a loss', calls, { losses: 1 }, never, false],
  ])('%s', (_name, protocol, options, property, isLoop) => {
    const explored = explore(protocol, complete(2), { ...options, properties: [property] });
    const found = finding(explored, property.name);
    const { steps = [], loopsFromStep: from = Number.NaN, trace } = found;
    const worlds = worldsOf(protocol, complete(2), options, explored.tick);
    const { visited, lines } = performed(worlds, steps);
    expect(lines).toEqual(linesOf(found));
    expect(from < steps.length).toBe(isLoop);
    // it returns to the world where it began to repeat
    expect(keyAt(worlds, visited, steps.length)).toBe(keyAt(worlds, visited, from));
    const starts = (trace?.lines.length ?? 0) - lines.length;
    expect(found.loopsFrom).toBe(starts + performed(worlds, steps.slice(0, from)).lines.length);
  });
});

const keyAt = (worlds: Worlds, visited: readonly World[], step: number): string =>
  worldKey(visited[step] ?? worlds.initial, worlds.order);

// All search strategies must find the same.

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

it.each([
  ['states', { states: 50 }],
  ['memory', { memory: 0 }],
  ['seconds', { seconds: 0 }],
  ['depth', { depth: 3 }],
] as const)('limits of %s stop any search, and leave nothing to hold', (limit, limits) => {
  for (const how of [{}, { search: 'depth' }] as const) {
    const found = explore(centralLock, star(4), { limits, ...how });
    expect(found).toMatchObject({ complete: false, limit });
    for (const { verdict } of found.properties)
      expect(['incomplete', 'reached']).toContain(verdict);
  }
});

it('a property that fails ends a search with its own error', () => {
  const fails = always('it is evaluated once', (system) => {
    if (system.count('critical') > 0) throw new Error('asked once too often');
    return true;
  });
  expect(() => explore(centralLock, star(4), { properties: [fails] })).toThrow(
    'asked once too often',
  );
});
