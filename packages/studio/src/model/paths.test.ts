import { protocolOf } from '@conclave/algorithms';
import { model, type Paths, testModel } from '@conclave/check';
import { roleOf } from '@conclave/core/internal';
import { topology } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { TestModel } from 'xstate/graph';
import { incompleteText, listPaths, pathsOf, testText, usesOf } from './paths.js';
import { actorOf, takenIn } from './rules.js';
import { Session } from './session.js';
import { systemOf } from './system.js';

const setup = { protocol: 'raymond', options: {}, topology: 'tree:2:3', budget: {} };

describe('the paths of a system', () => {
  it('can be played: each ends where its last action leads, and takes what is told', async () => {
    const system = await systemOf(setup);
    const found = pathsOf(system, {}, () => {});
    expect(structuredClone(found)).toEqual(found); // a worker sends it
    expect([found.paths.length, found.worlds, found.complete]).toEqual([52, 150, true]);
    const session = new Session(system);
    for (const { steps } of found.paths) {
      session.show(steps, { at: 0 });
      expect(session.path.value).toHaveLength(steps.length + 1);
      expect(session.now.value).toBe(session.run.start);
    }
  });

  it('are listed with what each takes first, all or those of one transition', async () => {
    const found = pathsOf(await systemOf(setup), {}, () => {});
    const all = listPaths(found, undefined, 'longest');
    const first = all.flatMap(({ takesFirst }) => takesFirst);
    expect(new Set(first).size).toBe(first.length);
    expect(first.toSorted((one, other) => one - other)).toEqual(
      found.transitions.flatMap(({ paths }, position) => (paths > 0 ? [position] : [])),
    );
    const request = found.transitions.findIndex(({ text }) => text === 'wanted: request');
    const some = listPaths(found, request, 'shortest');
    expect(some).toHaveLength(found.transitions[request]?.paths ?? -1);
    const lengths = some.map(({ path }) => path.steps.length);
    expect(lengths).toEqual(lengths.toSorted((one, other) => one - other));
  });

  it('tell the transitions that nodes take by the keys of their charts', async () => {
    for (const [protocol, topology] of [
      ['raymond', 'tree:2:3'],
      ['maekawa', 'complete:2'],
      ['lelann-chang-roberts', 'ring:2'],
    ] as const) {
      const system = await systemOf({ protocol, options: {}, topology, budget: {} });
      const found = pathsOf(system, {}, () => {});
      const names = usesOf(found, system).map(({ role, key }) => `${role} ${key}`);
      expect(new Set(names).size).toBe(names.length);
      const session = new Session(system);
      const atStart = (name: string) =>
        found.paths.every(({ takes }) => takes.includes(names.indexOf(name)));
      for (const { steps, takes } of found.paths.slice(0, 20)) {
        session.show(steps);
        const taken = session.path.value.flatMap(({ step }) => {
          const node = step && actorOf(step);
          if (!step || node === undefined) return [];
          const role = roleOf(system.protocol, node, system.topology).name;
          return takenIn(system, node, step).map((key) => `${role} ${key}`);
        });
        const told = takes.map((position) => names[position] ?? '');
        expect(told).toEqual(expect.arrayContaining(taken));
        expect(told.filter((name) => !taken.includes(name) && !atStart(name))).toEqual([]);
      }
    }
  });

  it('are a test for vitest, which takes them with real nodes', async () => {
    const system = await systemOf(setup);
    const text = testText(system);
    expect(text).toContain("model(protocolOf('raymond'), topology('tree:2:3'), budget)");
    const call = /model\(protocolOf\('(.*)'\), topology\('(.*)'\)/.exec(text) ?? [];
    const made = model(protocolOf(call[1] ?? ''), topology(call[2] ?? ''), setup.budget);
    const { paths } = await testModel(TestModel, made);
    expect(paths).toBe(pathsOf(system, {}, () => {}).paths.length);
  });

  it('tell their budget from others', async () => {
    const found = pathsOf(
      await systemOf({ ...setup, budget: { commands: 0 } }),
      { kind: 'simple' },
      () => {},
    );
    expect(found).toMatchObject({ kind: 'simple', worlds: 1, paths: [{ steps: [] }] });
  });
});

it('says why the paths are incomplete', () => {
  const found: Paths = {
    ...{
      protocol: 'x',
      topology: 'ring:2',
      kind: 'simple',
      worlds: 1234,
      paths: [],
      transitions: [],
      actions: [],
    },
    ...{ complete: false, limit: 'paths' },
  };
  expect(incompleteText(found)).toBe(
    'Incomplete: there are more paths than fit here; these are 0 paths through 1,234 worlds. What they do not take, others may.',
  );
  const { limit, ...rest } = found;
  expect([limit, incompleteText({ ...rest, complete: true })]).toEqual(['paths', undefined]);
});
