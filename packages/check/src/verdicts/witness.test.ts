import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { complete, star } from '@conclave/core/topology';
import { assertRuns, isWhole, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calls, cards, centralLock } from '../../../core/src/protocol/examples.contract.js';
import type { PlainSystem } from '../plain/plain-system.js';
import type { Budget } from '../worlds/budget.js';
import { canonical, sameData } from '../worlds/canonical.js';
import { viewOf } from '../worlds/local-node.js';
import type { Action, World } from '../worlds/world.js';
import { Worlds } from '../worlds/worlds.js';
import { type Steppable, shrink } from './witness.js';

/** The last world of a run, by the definition; undefined when the run is impossible. */
function endOf<W, A>(
  system: Steppable<W, A>,
  run: readonly A[],
): { readonly world: W } | undefined {
  let world = system.initial;
  for (const action of run) {
    if (!system.actions(world).some((possible) => sameData(possible, action))) return undefined;
    try {
      world = system.next(world, action);
    } catch {
      return undefined;
    }
  }
  return { world };
}

/** A random run, as far as it goes. */
function runOf<W, A>(system: Steppable<W, A>, dice: readonly number[]): A[] {
  const run: A[] = [];
  let world = system.initial;
  for (const die of dice) {
    const possible = system.actions(world);
    const action = possible[die % Math.max(1, possible.length)];
    if (action === undefined) break;
    try {
      world = system.next(world, action);
    } catch {
      continue;
    }
    run.push(action);
  }
  return run;
}

/** Checks what holds for every shrunk run; returns how much shorter it is. */
function expectShrunk<W, A>(
  system: Steppable<W, A>,
  run: readonly A[],
  keeps: (end: W) => boolean,
): number {
  const shrunk = shrink(system, run, keeps);
  const still = (candidate: readonly A[]) => {
    const end = endOf(system, candidate);
    return end !== undefined && keeps(end.world);
  };
  expect(still(shrunk)).toBe(true);
  for (const index of shrunk.keys()) expect(still(shrunk.toSpliced(index, 1))).toBe(false);
  // It is a subsequence of the run.
  const texts = shrunk.map(canonical);
  for (const action of run.map(canonical)) if (action === texts[0]) texts.shift();
  expect(texts).toEqual([]);
  expect(shrink(system, run, keeps)).toEqual(shrunk);
  return run.length - shrunk.length;
}

const dice = (minLength: number) => fc.array(fc.nat(1000), { minLength, maxLength: 40 });

/** Nine states, with some of four actions in each; an action without a next state throws. */
const automata = fc.array(
  fc.array(fc.option(fc.integer({ min: -1, max: 8 })), { minLength: 4, maxLength: 4 }),
  { minLength: 9, maxLength: 9 },
);
const automaton = (
  table: readonly (readonly (number | null)[])[],
): Steppable<number, { readonly go: number; readonly by: string }> => ({
  initial: 0,
  actions: (state) =>
    (table[state] ?? []).flatMap((target, go) => (target === null ? [] : [{ go, by: 'dice' }])),
  next: (state, { go }) => {
    const target = table[state]?.[go] ?? -1;
    if (target < 0) throw new Error(`no state beyond ${state}`);
    return target;
  },
});

describe('a shrunk run', () => {
  it('of a random automaton is legal, 1-minimal, never longer, and still ends where it should', () => {
    let shorter = 0;
    fc.assert(
      fc.property(automata, dice(0), (table, dice) => {
        const system = automaton(table);
        const run = runOf(system, dice);
        const end = endOf(system, run)?.world;
        const spared = expectShrunk(system, run, (world) => world === end);
        expect(spared).toBeGreaterThanOrEqual(0);
        if (spared > 0) shorter++;
      }),
      { numRuns: 300, seed: 1 },
    );
    expect(shorter).toBeGreaterThan(50);
  });

  const systems: readonly (readonly [string, Protocol, Topology, Budget, string])[] = [
    ['a lock', centralLock, star(4), { commands: 2 }, 'critical'],
    [
      'callers',
      calls,
      complete(2),
      { losses: 2, duplications: 2, crashes: 1, restarts: 1 },
      'waiting',
    ],
    [
      'callers in exact time, in a network that splits',
      calls,
      complete(2),
      { partitions: 2, time: { kind: 'exact', delay: [1, 3] } },
      'waiting',
    ],
    ['card players, during choices', cards, complete(2), { losses: 1, crashes: 1 }, 'none'],
  ];
  proof.each(systems)('of %s is, too', (_name, protocol, topology, budget, tag) => {
    const worlds = new Worlds(protocol, topology, budget);
    const rough = (world: World) => {
      const view = viewOf(protocol, topology, world);
      const tagged = view.nodes.filter(({ tags }) => [...tags].includes(tag)).length;
      return [tagged, view.live, view.inFlight().length > 0].join();
    };
    const exact = (world: World) =>
      `${rough(world)} ${viewOf(protocol, topology, world).inFlight().length} ${worlds.actions(world).length}`;
    let shorter = 0;
    assertRuns(
      fc.property(dice(15), (dice) => {
        const run = runOf(worlds, dice);
        const end = endOf(worlds, run)?.world ?? worlds.initial;
        expectShrunk(worlds, run, (world) => exact(world) === exact(end));
        if (expectShrunk(worlds, run, (world) => rough(world) === rough(end)) > 0) shorter++;
      }),
      2,
      25,
      1,
    );
    if (isWhole) expect(shorter).toBeGreaterThan(15);
  });

  it('loses a step together with its consequences', () => {
    const worlds = new Worlds(centralLock, star(3));
    const acquire = (node: string): Action => ({
      type: 'command',
      node,
      command: { type: 'acquire' },
    });
    const request = (from: string): Action => ({
      type: 'deliver',
      from,
      to: 'a',
      message: { type: 'request' },
    });
    const grant: Action = { type: 'deliver', from: 'a', to: 'c', message: { type: 'grant' } };
    const run = [acquire('b'), acquire('c'), request('c'), request('b'), grant];
    const calm = (world: World) => viewOf(centralLock, star(3), world).inFlight().length === 0;
    const inside = (world: World) => viewOf(centralLock, star(3), world).count('critical') === 1;
    // Neither b's command nor the delivery of its request can be deleted alone: a message would be
    // left over, or missing.
    expect(shrink(worlds, run, (world) => calm(world) && inside(world))).toEqual([
      acquire('c'),
      request('c'),
      grant,
    ]);
  });

  it('is empty where the initial world is sufficient', () => {
    const system: Steppable<number, string> = {
      initial: 0,
      actions: () => ['up'],
      next: (n) => n + 1,
    };
    expect(shrink(system, ['up', 'up', 'up'], (n) => n >= 0)).toEqual([]);
    expect(shrink(system, [], (n) => n === 0)).toEqual([]);
  });

  it('compares actions by their data, in any order of keys', () => {
    const system: PlainSystem<number, { readonly by: number; readonly to: string }> = {
      initial: 0,
      actions: () => [{ by: 1, to: 'n' }],
      next: (n, { by }) => n + by,
    };
    expect(shrink(system, [{ to: 'n', by: 1 }], (n) => n === 1)).toEqual([{ by: 1, to: 'n' }]);
  });
});

describe('a run that cannot be shrunk is refused', () => {
  const system: Steppable<number, string> = {
    initial: 0,
    actions: (n) => (n < 2 ? ['up'] : []),
    next: (n) => n + 1,
  };

  it('an impossible run', () => {
    expect(() => shrink(system, ['up', 'up', 'up'], () => true)).toThrow(
      'The run to be shrunk is not possible. Give actions that are possible one after the other.',
    );
  });

  it('a run that does not end in a world to be kept', () => {
    expect(() => shrink(system, ['up', 'up'], (n) => n === 1)).toThrow(
      'The run to be shrunk does not end in a world to be kept. Give the run up to such a world.',
    );
  });
});
