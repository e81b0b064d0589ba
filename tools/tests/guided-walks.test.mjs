/** Whether guided walks reach more than uniform ones of as many steps. */
import { catalogue } from '@conclave/algorithms';
import { walk } from '@conclave/core/exploration';
import { Worlds } from '@conclave/core/internal/exploration';
import { proof } from '@conclave/tools/sample';
import { expect } from 'vitest';
import { Random } from '../../packages/core/src/base/random.ts';
import { CompiledWorlds } from '../../packages/core/src/exploration/search/tables/compiled-worlds.ts';
import { coverage } from '../../packages/core/src/exploration/verdicts/report/coverage.ts';
import { timeOf, withFittingTick } from '../../packages/core/src/exploration/worlds/time.ts';

const taken = (roles) => roles.reduce((sum, role) => sum + role.taken, 0);

/** The transitions that are possible where uniform walks of so many steps in all have been. */
function uniform(protocol, topology, { seed, steps, all, ...budget }) {
  const random = new Random(seed);
  return withFittingTick(timeOf(protocol, budget), (time) => {
    const compiled = new CompiledWorlds(new Worlds(protocol, topology, { ...budget, time }));
    const world = new Int32Array(compiled.width);
    let [left, step] = [all, steps];
    while (left > 0) {
      const next = step < steps ? possible(compiled, world, random) : [];
      if (next.length === 0) compiled.initial(world);
      else world.set(random.pick(next));
      step = next.length === 0 ? 0 : step + 1;
      if (next.length > 0) left--;
    }
    return taken(coverage(compiled));
  });
}

/** The worlds after it; the crashes in the middle of a step count as one, as in guided walks. */
function possible(compiled, world, random) {
  const into = new Int32Array(compiled.width);
  const [inside, others] = [[], []];
  const visit = (number) => {
    const { during } = compiled.actionOf(number);
    (during ? inside : others).push(into.slice());
    return false;
  };
  compiled.expand(world, into, visit, () => {});
  return inside.length === 0 ? others : [...others, random.pick(inside)];
}

proof.each([
  ['B1', 2000, { crashes: 2, restarts: 2, commands: 3 }],
  ['C5', 100, { crashes: 1, restarts: 1, commands: 2 }],
])('guided walks reach more of %s than uniform ones of as many steps', (id, walks, budget) => {
  const protocol = catalogue.find((entry) => entry.id === id).make();
  const topology = protocol.topology.example(3);
  const sums = { guided: 0, uniform: 0 };
  for (const seed of [1, 2, 3, 4]) {
    const options = { ...budget, seed, steps: 300 };
    const found = walk(protocol, topology, {
      ...options,
      walks,
      properties: [],
      coverage: true,
    });
    sums.guided += taken(found.coverage);
    sums.uniform += uniform(protocol, topology, { ...options, all: found.steps });
  }
  expect(sums.guided).toBeGreaterThan(sums.uniform);
});
