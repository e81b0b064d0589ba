import { model, testModel } from '@conclave/check';
import { ring } from '@conclave/core/topology';
import { TestModel as XStateTestModel } from '@xstate/test';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { TestModel as GraphTestModel } from 'xstate/graph';
import { pingPong } from './ping-pong.js';

describe.each([
  ['@xstate/test', XStateTestModel],
  ['xstate/graph', GraphTestModel],
])('ping-pong, model-tested by %s', (_name, TestModel) => {
  it.each([
    { players: 2, commands: 1, paths: 3, steps: 14 },
    { players: 3, commands: 2, paths: 21, steps: 126 },
  ])(
    '$players players that serve at most $commands time(s) reach every world of the model',
    async ({ players, commands, paths, steps }) => {
      const conformance = await testModel(TestModel, model(pingPong, ring(players), { commands }));
      expect(conformance).toEqual({ paths, steps, comparisons: paths + steps });
    },
  );

  it('is refuted if no player hits back', async () => {
    const idle = Object.entries(pingPong.roles).map(([name, role]) => {
      const machine = role.machine.provide({ actions: { hitBack: assign({}) } });
      return [name, { ...role, machine }] as const;
    });
    const tested = testModel(
      TestModel,
      model({ ...pingPong, roles: Object.fromEntries(idle) }, ring(2)),
    );
    await expect(tested).rejects.toThrow('violated: always there is exactly one ball');
  });
});
