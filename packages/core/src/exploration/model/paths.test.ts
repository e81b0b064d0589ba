import { TestModel as XStateTestModel } from '@xstate/test';
import { describe, expect, it } from 'vitest';
import { TestModel } from 'xstate/graph';
import { calls, cards, centralLock } from '../../protocol/examples.contract.js';
import { complete, star } from '../../topology/generators.js';
import { eventText } from '../../trace/trace.js';
import { explore } from '../explore/explore.js';
import { greetings, tennis } from '../fixtures/explored.contract.js';
import { actionLines } from '../worlds/run-lines.js';
import { Worlds } from '../worlds/worlds.js';
import { model } from './model.js';
import { paths } from './paths.js';

/** The actions of a path, as data. */
function taken(worlds: Worlds, steps: readonly number[]): string {
  let world = worlds.initial;
  const actions = steps.map((number) => {
    const action = worlds.actions(world)[number] ?? expect.fail('no such action');
    world = worlds.next(world, action);
    return JSON.stringify(action);
  });
  return actions.join('\n');
}

describe.each([
  ['a lock', centralLock, star(3), {}],
  ['callers', calls, complete(2), { initiators: ['a'], losses: 1, duplications: 1 }],
  ['players', cards, complete(2), { commands: 0 }],
  ['players who play', cards, complete(2), { initiators: ['a'], order: 'fifo' }],
] as const)('%s', (_name, protocol, topology, budget) => {
  const worlds = new Worlds(protocol, topology, budget);
  const found = paths(protocol, topology, budget);

  it.each([
    ['xstate/graph', TestModel],
    ['@xstate/test', XStateTestModel],
  ])('has the shortest paths of a model test by %s', (_by, Model) => {
    const { logic, options } = model(protocol, topology, budget);
    const expected = new Model(logic, options)
      .getShortestPaths()
      .map(({ steps }) => steps.slice(1).map(({ event }) => JSON.stringify(event)));
    expect(found.complete).toBe(true);
    expect(found.paths.map(({ steps }) => taken(worlds, steps)).sort()).toEqual(
      expected.map((path) => path.join('\n')).sort(),
    );
    expect(found.paths.map(({ steps }) => steps.length)).toEqual(
      expected.map(({ length }) => length),
    );
  });

  it('names each action as a trace does', () => {
    for (const { steps, actions } of found.paths.slice(0, 20)) {
      let world = worlds.initial;
      for (const [index, number] of steps.entries()) {
        const action = worlds.actions(world)[number] ?? expect.fail('no such action');
        const [line] = actionLines(worlds, world, action);
        if (line)
          expect(found.actions[actions[index] ?? -1]).toBe(`${line.node} ${eventText(line.event)}`);
        world = worlds.next(world, action);
      }
    }
  });

  it('knows which transitions some step takes, as the explorer does', () => {
    const { states, coverage = [] } = explore(protocol, topology, { ...budget, coverage: true });
    expect(found.worlds).toBe(states);
    const missed = coverage.flatMap(({ role, missed }) => missed.map((text) => ({ role, text })));
    expect(
      found.transitions
        .filter(({ isPossible }) => !isPossible)
        .map(({ role, text }) => ({ role, text })),
    ).toEqual(missed);
    expect(found.transitions.length).toBe(
      coverage.reduce((sum, { transitions }) => sum + transitions, 0),
    );
  });

  it('counts the paths that take a transition, which is a possible one', () => {
    for (const [position, { paths: count, isPossible }] of found.transitions.entries()) {
      expect(count).toBe(found.paths.filter(({ takes }) => takes.includes(position)).length);
      if (count > 0) expect(isPossible).toBe(true);
    }
    expect(found.transitions.some(({ paths }) => paths > 0)).toBe(true);
  });
});

describe.each([
  ['a lock', centralLock, star(2), { commands: 1 }],
  ['a lock with two clients', centralLock, star(3), { initiators: ['b'], commands: 2 }],
  ['a ball', tennis, complete(2), {}],
] as const)('%s', (_name, protocol, topology, budget) => {
  it('has the simple paths of a model test', () => {
    const { logic, options } = model(protocol, topology, budget);
    const expected = new TestModel(logic, options)
      .getSimplePaths()
      .map(({ steps }) => steps.slice(1).map(({ event }) => JSON.stringify(event)));
    const worlds = new Worlds(protocol, topology, budget);
    const found = paths(protocol, topology, { ...budget, kind: 'simple' });
    expect(found.complete).toBe(true);
    expect(found.paths.map(({ steps }) => taken(worlds, steps)).sort()).toEqual(
      expected.map((path) => path.join('\n')).sort(),
    );
  });
});

it('ends a path where an action fails, and says why', () => {
  const found = paths(greetings, complete(2), { initiators: ['a'] });
  expect(found.fault).toContain("Node b in 'asleep' does not handle 'hello' (from a)");
  expect(found.paths).toEqual([{ steps: [0], actions: [0], takes: [0] }]);
  expect(found.complete).toBe(true);
});

describe('a limit', () => {
  const budget = { initiators: ['a'], losses: 1, duplications: 1 };
  const all = paths(calls, complete(2), budget);

  it.each([
    ['worlds', 20, 'shortest'],
    ['paths', 3, 'shortest'],
    ['paths', 100, 'simple'],
    ['steps', 40, 'shortest'],
    ['steps', 400, 'simple'],
  ] as const)('of %s, %d, is never silent for %s paths', (limit, most, kind) => {
    const found = paths(calls, complete(2), { ...budget, kind, limits: { [limit]: most } });
    expect(found).toMatchObject({ complete: false, limit });
    expect(found.paths.length).toBeGreaterThan(0);
    const steps = found.paths.reduce((sum, path) => sum + path.steps.length, 0);
    if (limit === 'paths') expect(found.paths.length).toBe(most);
    if (limit === 'steps') expect(steps).toBeLessThanOrEqual(most);
    if (limit === 'worlds') expect(found.worlds).toBeLessThan(all.worlds);
  });

  it('that is just reached does not end it', () => {
    const steps = all.paths.reduce((sum, path) => sum + path.steps.length, 0);
    expect(
      paths(calls, complete(2), {
        ...budget,
        limits: { worlds: all.worlds, paths: all.paths.length, steps },
      }),
    ).toEqual(all);
    expect(paths(calls, complete(2), { ...budget, limits: { worlds: all.worlds - 1 } }).limit).toBe(
      'worlds',
    );
  });

  it('is the stop of a user, too', () => {
    let calledUntil = 5;
    const found = paths(calls, complete(2), {
      ...budget,
      limits: { stop: () => calledUntil-- === 0 },
    });
    expect(found).toMatchObject({ complete: false, limit: 'interrupted' });
  });
});

it('tells the step of exact time', () => {
  const found = paths(calls, complete(2), {
    initiators: ['a'],
    time: { kind: 'exact', delay: [4, 6] },
  });
  expect([found.tick, found.complete]).toEqual([2, true]);
  expect(found.worlds).toBe(
    explore(calls, complete(2), { initiators: ['a'], time: { kind: 'exact', delay: [4, 6] } })
      .states,
  );
  expect(found.actions).toContain('tick');
});

it('refuses unknown options', () => {
  expect(() => paths(calls, complete(2), { limits: { states: 5 } } as object)).toThrow(
    "there is no option 'limits.states'",
  );
});
