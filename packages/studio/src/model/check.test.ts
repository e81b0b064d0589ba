import { explore } from '@conclave/check';
import { isOfRuns } from '@conclave/core/internal';
import { proof } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import type { Setup } from '../link/link.js';
import { type CheckInput, type CheckProgress, check } from './conclusion.js';
import { systemOf } from './system.js';

const setups: readonly (Omit<Setup, 'options'> & CheckInput)[] = [
  { protocol: 'raymond', budget: {} },
  { protocol: 'raymond', budget: { losses: 1 } },
  { protocol: 'raymond', budget: { losses: 1 }, safety: true, search: 'depth' },
  { protocol: 'ricart-agrawala', topology: 'complete:2', budget: { commands: 2 } },
  { protocol: 'lamport', topology: 'complete:2', budget: { order: 'any' } },
  { protocol: 'naimi-trehel', topology: 'complete:2', budget: { commands: 2 }, fairness: 'none' },
  { protocol: 'maekawa', topology: 'complete:2', budget: {}, fairness: 'strong' },
  { protocol: 'lelann-chang-roberts', budget: { duplications: 1 } },
  { protocol: 'bully', topology: 'complete:2', budget: { crashes: 1, restarts: 1 } },
  { protocol: 'echo', budget: { partitions: 1 } },
  { protocol: 'heartbeat', topology: 'complete:2', budget: { crashes: 1 } },
  { protocol: 'causal-fairness', topology: 'complete:2', budget: {} },
  {
    protocol: 'itai-rodeh',
    topology: 'ring:2',
    budget: {},
    fairness: 'strong',
    limits: { states: 50 },
  },
];

proof.each(setups)(
  'a check in the page finds what explore finds: $protocol $topology $budget $fairness $search',
  async (setup) => {
    const { protocol: name, budget, topology: spec, safety = false, ...input } = setup;
    const system = await systemOf({
      protocol: name,
      options: {},
      budget,
      ...(spec === undefined ? {} : { topology: spec }),
    });
    const { protocol, topology } = system;
    const {
      seconds: _,
      input: asked,
      leftOut,
      ...found
    } = structuredClone(check(system, { safety, ...input }, () => {}));
    const properties = safety
      ? protocol.properties.filter((property) => !isOfRuns(property))
      : protocol.properties;
    const { seconds: __, ...expected } = explore(protocol, topology, {
      ...budget,
      ...input,
      properties,
      coverage: true,
    });
    expect(found).toEqual(expected);
    expect(asked).toMatchObject({ safety, ...input });
    expect([...leftOut, ...properties.map((property) => property.name)].sort()).toEqual(
      protocol.properties.map((one) => one.name).sort(),
    );
  },
);

it('tells what the worlds decide while it searches, and what the result confirms', async () => {
  const setup = {
    protocol: 'raymond',
    options: {},
    topology: 'tree:2:5',
    budget: { losses: 1, commands: 2 },
  };
  const told: CheckProgress[] = [];
  const { properties, states } = check(
    await systemOf(setup),
    { limits: { states: 50_000 } },
    (progress) => told.push(progress),
  );
  const last = told.at(-1);
  expect(told[0]?.decided).toEqual([]);
  expect(states).toBeGreaterThan(last?.states ?? Infinity);
  const decided = last?.decided.map(({ name }) => name) ?? [];
  expect(decided).toContain('a node is in the critical section');
  for (const { name, verdict } of properties)
    if (decided.includes(name)) expect(['violated', 'reached'], name).toContain(verdict);
});
