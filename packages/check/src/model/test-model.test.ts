import { eventText } from '@conclave/core/internal/trace';
import { always, never, notify, send } from '@conclave/core/protocol';
import { complete, star } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { TestModel as XStateTestModel } from '@xstate/test';
import { describe, expect, it } from 'vitest';
import { assign, createMachine, emit, enqueueActions } from 'xstate';
import { TestModel as GraphTestModel, TestModel } from 'xstate/graph';
import {
  calls,
  cards,
  centralLock,
  minimalProtocol,
} from '../../../core/src/protocol/examples.contract.js';
import { explore } from '../explore/explore.js';
import { greetings, tennis } from '../fixtures/explored.contract.js';
import { actionLines } from '../worlds/run-lines.js';
import { Worlds } from '../worlds/worlds.js';
import { type Model, model } from './model.js';
import { paths } from './paths.js';
import { testModel } from './test-model.js';

const go = { go: { kind: 'optional', meaning: 'go' } } as const;
const once = { commands: 1, initiators: ['a'] } as const;

describe.each([
  ['@xstate/test', XStateTestModel],
  ['xstate/graph', GraphTestModel],
])('a model test by %s', (_name, TestModel) => {
  proof.each([
    ['a lock', model(centralLock, star(3)), { paths: 8, steps: 50, comparisons: 58 }],
    [
      'callers whose messages are lost and duplicated',
      model(calls, complete(2), { ...once, losses: 1, duplications: 1 }),
      { paths: 25, steps: 125, comparisons: 150 },
    ],
    [
      'players that choose at their start',
      model(cards, complete(2), { commands: 0 }),
      { paths: 8, steps: 28, comparisons: 20 },
    ],
    [
      'players whose choices lead to others',
      model(cards, complete(2), { ...once, order: 'fifo' }),
      { paths: 148, steps: 1176, comparisons: 628 },
    ],
  ])('takes every path through %s with embedded nodes', async (_what, system, expected) => {
    expect(await testModel(TestModel, system)).toEqual(expected);
  });

  it('keeps the order of fifo channels over duplications', async () => {
    const sequence = createMachine({
      types: {} as { context: { received: string[] } },
      context: { received: [] },
      on: {
        go: { actions: [emit(send('b', { type: 'one' })), emit(send('b', { type: 'two' }))] },
        '*': {
          actions: assign(({ context, event }) => ({
            received: [...context.received, event.type],
          })),
        },
      },
    });
    const messages = { one: { meaning: 'first' }, two: { meaning: 'second' } };
    const protocol = minimalProtocol(sequence, {
      commands: go,
      messages,
      channels: { order: 'fifo', loss: false, duplication: true },
    });
    const { steps } = await testModel(
      TestModel,
      model(protocol, complete(2), { ...once, duplications: 1 }),
    );
    expect(steps).toBeGreaterThan(10);
  });

  it('fails with the path to a step that fails', async () => {
    const fail = () => {
      throw new Error('it has no price');
    };
    const machine = createMachine({
      initial: 'one',
      states: { one: { on: { go: 'two' } }, two: { on: { go: { actions: assign(fail) } } } },
    });
    const twice = model(minimalProtocol(machine, { commands: go }), complete(1), { commands: 2 });
    await expect(testModel(TestModel, twice)).rejects.toThrow(
      /it has no price.*\nafter\na {2}go +one → two\n/,
    );
  });

  it('fails where the embedded nodes are not those of the model', async () => {
    const machine = (step: number) =>
      createMachine({
        context: { n: 0 },
        on: { go: { actions: assign(({ context }) => ({ n: context.n + step })) } },
      });
    const real = model(minimalProtocol(machine(1), { commands: go }), complete(2), once);
    const mutant: Model = {
      ...real,
      worlds: new Worlds(minimalProtocol(machine(2), { commands: go }), complete(2), once),
    };
    await expect(testModel(TestModel, mutant)).rejects.toThrow(
      /^tiny, path 1 of 1, step 1: node a is not as in its model\nexpected {2}{"context":{"n":1}}\ngot {7}{"context":{"n":2}}\nafter\na {2}go\nReplay: .*--topology complete:2$/,
    );
  });

  it('fails where they send other messages', async () => {
    const machine = (type: string) =>
      createMachine({ on: { go: { actions: emit(send('b', { type })) }, hello: {}, hallo: {} } });
    const messages = { hello: { meaning: 'hello' }, hallo: { meaning: 'hello' } };
    const real = model(
      minimalProtocol(machine('hello'), { commands: go, messages }),
      complete(2),
      once,
    );
    const mutant: Model = {
      ...real,
      worlds: new Worlds(
        minimalProtocol(machine('hallo'), { commands: go, messages }),
        complete(2),
        once,
      ),
    };
    await expect(testModel(TestModel, mutant)).rejects.toThrow(
      /channel a→b is not as in its model\nexpected {2}\[{"type":"hello"}\]\ngot {7}\[{"type":"hallo"}\]\nafter\na {2}go .*⇒ b: hallo/,
    );
  });

  it('fails where a machine is not the same each time', async () => {
    let calls = 0;
    const fickle = createMachine({
      context: { n: 0 },
      on: {
        go: {
          actions: enqueueActions(({ enqueue }) => {
            calls++;
            enqueue.assign({ n: calls });
          }),
        },
      },
    });
    await expect(
      testModel(TestModel, model(minimalProtocol(fickle, { commands: go }), complete(2))),
    ).rejects.toThrow(/^Node [ab] in .* is off its machine/); // each step is confirmed here
  });

  it.each([
    ['always', always('no node has gone', (system) => system.count('gone') === 0)],
    ['never', never('no node has gone', (system) => system.count('gone') > 0)],
  ])('fails where %s is violated, and shows the path to it', async (kind, property) => {
    const machine = createMachine({
      initial: 'here',
      states: { here: { on: { go: 'there' } }, there: { tags: 'gone' } },
    });
    const protocol = minimalProtocol(machine, { commands: go, properties: [property] });
    await expect(testModel(TestModel, model(protocol, complete(2), once))).rejects.toThrow(
      `violated: ${kind} no node has gone\nafter\na  go  here → there\n`,
    );
  });

  it('fails where nothing is tested', async () => {
    await expect(
      testModel(TestModel, model(centralLock, star(3), { commands: 0 })),
    ).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringMatching(
        /^The model test made 0 steps and \d comparisons: it tested nothing\. Give the system a command in its budget\.$/,
      ),
    });
  });

  it('refuses crashes: an embedded node cannot crash', async () => {
    await expect(
      testModel(TestModel, model(calls, complete(2), { commands: 0, crashes: 1 })),
    ).rejects.toThrow(
      "A model test cannot perform 'crash' on embedded nodes. Leave crashes, restarts and partitions out of the budget of a model test.",
    );
  });

  it('does not count notifications as a difference', async () => {
    const machine = createMachine({ on: { go: { actions: emit(notify({ type: 'gone' })) } } });
    expect(
      await testModel(
        TestModel,
        model(minimalProtocol(machine, { commands: go }), complete(2), once),
      ),
    ).toMatchObject({ steps: 1 });
  });
});

it('a model presents the worlds as actor logic, one state for equal worlds', () => {
  const { logic, options, worlds } = model(calls, complete(2));
  const first = logic.getInitialSnapshot({} as never, undefined as never);
  expect(first.world).toBe(worlds.initial);
  const [call] = options.events(first);
  expect(call).toEqual({ type: 'command', node: 'a', command: { type: 'call' } });
  const next = call && logic.transition(first, call, {} as never);
  expect(next?.world).toEqual(call && worlds.next(worlds.initial, call));
  expect(options.serializeState(first)).not.toBe(next && options.serializeState(next));
  expect(call && options.serializeEvent(call)).toBe(
    '{"command":{"type":"call"},"node":"a","type":"command"}',
  );
  expect(logic.getPersistedSnapshot(first)).toBe(first);
});

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
