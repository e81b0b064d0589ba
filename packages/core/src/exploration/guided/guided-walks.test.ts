import { describe, expect, it } from 'vitest';
import { calls, centralLock } from '../../protocol/examples.contract.js';
import { never } from '../../protocol/property.js';
import { complete, star } from '../../topology/generators.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { Worlds } from '../worlds/worlds.js';
import { Corpus } from './corpus.js';
import { GuidedWalks } from './guided-walks.js';
import { mixed, numberOf } from './numbers.js';
import { Swarm } from './swarm.js';
import { Walker } from './walker.js';

const crowded = never(
  'two wait while one is in the critical section',
  (system) => system.count('waiting') === 2 && system.count('critical') === 1,
);

/** Everything that walks find, taken by so many walkers. */
function foundBy(
  walkers: number,
  seed = 1,
  worlds = () => new Worlds(centralLock, star(4), { commands: 2, losses: 1 }),
  more = [crowded],
) {
  const walker = () =>
    new Walker(new CompiledWorlds(worlds()), [...worlds().protocol.properties, ...more]);
  const guided = new GuidedWalks([walker(), ...Array.from({ length: walkers - 1 }, walker)], {
    ...{ seed, walks: 70, steps: 60 },
  });
  guided.run();
  const { walks, steps, features, corpus } = guided;
  const runs = Array.from({ length: 30 }, (_, seed) => corpus.plan(seed, seed));
  return {
    ...{ walks, steps, size: corpus.runs.length, runs },
    features: [...features].sort(),
    evidence: [...guided.evidence].sort(([one], [other]) => one - other),
  };
}

describe('guided walks', () => {
  it('depend on the seed alone, not on the number of walkers', () => {
    const one = foundBy(1);
    expect(foundBy(1)).toEqual(one);
    expect(foundBy(3)).toEqual(one);
    expect(foundBy(2, 2)).not.toEqual(one);
    expect(one.evidence.length).toBeGreaterThan(1);
    expect(one.size).toBeGreaterThan(2);
  });

  it('do so with crashes in the middle of steps, and in exact time', () => {
    for (const budget of [
      { crashes: 2, restarts: 1, order: 'any' },
      { losses: 1, time: { kind: 'exact', delay: [5, 10] } },
    ] as const) {
      const worlds = () => new Worlds(calls, complete(3), budget);
      expect(foundBy(3, 5, worlds, [])).toEqual(foundBy(1, 5, worlds, []));
    }
  });
});

describe('what a walk begins with', () => {
  const run = Array.from({ length: 9 }, (_, exact) => ({ exact, kind: exact }));

  it('is nothing at first, and then often a part of a run that is known, or all of it', () => {
    const corpus = new Corpus();
    expect(corpus.plan(0, 1)).toEqual([]);
    expect(new Corpus([run]).plan(0, 1)).toBe(run);
    corpus.add([], []);
    corpus.add([], run);
    const plans = Array.from({ length: 100 }, (_, seed) => corpus.plan(seed, seed));
    const count = (holds: (plan: (typeof plans)[number]) => boolean) => plans.filter(holds).length;
    expect(count((plan) => plan.length === 0)).toBeGreaterThan(10);
    expect(count((plan) => plan.length > 0 && plan.length < 9)).toBeGreaterThan(5);
    expect(count((plan) => plan.length > 9)).toBeGreaterThan(10);
    expect(count((plan) => plan.includes(undefined))).toBeGreaterThan(20);
    for (const plan of plans)
      for (const choice of plan) if (choice) expect(run).toContainEqual(choice);
  });
});

it('a walk in a swarm leaves some faults out, and one of four leaves out none', () => {
  const swarms = Array.from({ length: 400 }, (_, walk) => new Swarm(mixed(1, walk)));
  const without = swarms.filter((swarm) => swarm.ofGroup(0, 'drop') === 0).length;
  expect(without).toBeGreaterThan(40);
  expect(without).toBeLessThan(160);
  expect(swarms.some((swarm) => swarm.ofKind(numberOf('a→b request')) < 1)).toBe(true);
});
