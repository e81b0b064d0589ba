/** Several threads tell and find the same as one thread, in the same order. */
import { assertRuns, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ConclaveError } from '../../../base/error.js';
import { calls, centralLock } from '../../../protocol/examples.contract.js';
import type { Protocol } from '../../../protocol/protocol.js';
import { complete, ring, star } from '../../../topology/generators.js';
import type { Topology } from '../../../topology/topology.js';
import { randomListener } from '../../fixtures/random-protocol.contract.js';
import type { Budget } from '../../worlds/budget.js';
import { Worlds } from '../../worlds/worlds.js';
import { Code } from '../kernel/code.js';
import * as step from '../kernel/format/step.js';
import * as tables from '../kernel/format/tables.js';
import { Kernel, type Table } from '../kernel/kernel.js';
import { CompiledWorlds } from '../tables/compiled-worlds.js';
import { type KernelSearchOptions, type Projection, searchByKernel } from './kernel-search.js';
import { story } from './story.contract.js';

interface Told {
  /** What one thread and several tell, and how the latter did it. */
  readonly one: object;
  readonly several: object;
  readonly rounds: number;
  readonly cancelled: number;
  readonly behind: number;
}

const mix = (one: number, other: number) => Math.imul(one ^ (other * 0x9e3779b1), 0x85ebca6b) >>> 8;

/** A projection whose classes change now and then, whatever they mean. */
function someProjection(seed: number): Projection {
  let size = 1;
  let asked = 0;
  const grows = () => {
    if (mix(seed, asked++) % 400 === 0) size++;
  };
  return {
    get size() {
      return size;
    },
    seesMessages: seed % 2 === 1,
    renew: () => {},
    nodeClass: (node, configuration) => {
      grows();
      return mix(seed + node + size, configuration) % 5;
    },
    contentClass: (content) => mix(seed + size, content) % 3,
  };
}

/** `ends`: after how many calls of the listener the search ends; `seed`: of a projection. */
interface Options extends KernelSearchOptions {
  readonly ends?: number;
  readonly seed?: number;
}

/** One search by one thread, and one by several that divide even small layers. */
function inBoth(
  [protocol, topology, budget]: readonly [Protocol, Topology, Budget],
  threads: number,
  { ends = 0, seed, ...options }: Options,
  /** Whether the second search begins with the tables of a first one. */
  isWarm = false,
): Told {
  const tell = (system: CompiledWorlds, team: KernelSearchOptions['team']) => {
    const { heard, ...told } = story(
      system,
      (listener) =>
        searchByKernel(
          system,
          { ...options, ...(team && { team }) },
          listener,
          seed === undefined ? undefined : someProjection(seed),
        ),
      (count) => count === ends,
    );
    return { ...told, heard: heard.join('\n') };
  };
  const systems = [1, 2].map(() => new CompiledWorlds(new Worlds(protocol, topology, budget))) as [
    CompiledWorlds,
    CompiledWorlds,
  ]; // two
  const team = { threads, from: 0, least: 1, waits: true };
  if (isWarm) for (const system of systems) tell(system, undefined);
  const [one, several] = [tell(systems[0], undefined), tell(systems[1], team)];
  const { rounds, cancellations, behind } = systems[1].kernel.memory.calls;
  return {
    ...{ one, several },
    ...{ rounds: rounds.value, cancelled: cancellations.value, behind: behind.value },
  };
}

const lock = [centralLock, star(5), { commands: 3 }] as const;

it('two threads find the same worlds, steps and origins in the same order', () => {
  const told = inBoth(lock, 2, { limits: { states: 12_000 }, seed: 1, graph: true });
  expect(told.several).toEqual(told.one);
  expect(told.rounds).toBeGreaterThan(4);
  expect(told.behind).toBeGreaterThan(0);
});

it('ends with an error where a thread ends before the search', () => {
  const system = new CompiledWorlds(new Worlds(...lock));
  const run = () =>
    searchByKernel(
      system,
      { team: { threads: 3, from: 0, least: 1, waits: true } },
      {
        found: (world) => {
          if (world === 6000) system.kernel.memory.calls.broken();
          return true;
        },
        ...{ ended: () => true, fault: () => true, progress: () => {} },
      },
    );
  expect(run).toThrow(/^A thread of the search has ended/);
});

proof.each([2, 3])(
  '%i threads with full tables, too, and progress is told at the same worlds',
  (threads) => {
    const told = inBoth(lock, threads, { limits: { states: 120_000 }, seed: 2 }, true);
    expect(told.several).toEqual(told.one);
    expect(told.behind).toBe(0);
    expect(told.rounds).toBeGreaterThan(20);
  },
);

proof('end at the same moment, wherever the listener or a limit says so', () => {
  for (const ends of [4096, 4097, 4200, 5000, 5011, 6017, 8191, 9999]) {
    const told = inBoth(lock, 2, { ends, graph: ends % 2 === 0 });
    expect(told.several).toEqual(told.one);
  }
  for (const limits of [{ states: 4095 }, { states: 4500 }, { states: 9001 }, { depth: 9 }]) {
    const told = inBoth(lock, 2, { limits, graph: true });
    expect(told.several).toEqual(told.one);
  }
});

/** Two counters with two steps each, whose local states have numbers that need 32 bits, too. */
function counters(values: number, factor: number) {
  const code = new Code();
  const entry = (table: Table, node: number, number: number) => {
    if (table !== tables.own) throw new Error(`unreachable: table ${table}`);
    const value = number / factor;
    const steps = [(2 * value + 1) % values, (3 * value + node) % values].map((next, index) => {
      const start = code.write([2 * node + index, next * factor, 0, 0]);
      code.numbers[start + step.end] = start + step.sends;
      return start;
    });
    return code.writeList(steps);
  };
  const layout = { nodes: 2, receivers: [], senders: [], crashesInside: false, unsent: false };
  return {
    ...{ width: 3, layout, kernel: new Kernel({ layout, code, entry }) },
    initial: (into: Int32Array) => into.fill(0),
    errorOf: () => new ConclaveError('bad-input', 'unreachable: no step fails'),
  };
}

it.each([2, 3])('%i threads divide worlds of large numbers', (threads) => {
  const [one, several] = [1, threads].map((count) => {
    const system = counters(128, 1009); // beyond 65,535 from the 65th value on
    const team = { threads: count, from: 0, least: 1, waits: true };
    const { heard, ...told } = story(system, (listener) =>
      searchByKernel(system, { team, graph: true }, listener),
    );
    return { ...told, heard: heard.join('\n'), rounds: system.kernel.memory.calls.rounds.value };
  });
  expect({ ...several, rounds: 0 }).toEqual(one);
  expect(several?.rounds).toBeGreaterThan(0);
});

proof('divide systems with faults, and with worlds that end', () => {
  for (const system of [
    [centralLock, star(4), { commands: 2, crashes: 1, losses: 1 }],
    [calls, complete(3), { commands: 2, duplications: 1, order: 'any' }],
    [centralLock, star(4), { commands: 2, partitions: 1, crashes: 1, restarts: 1 }],
  ] as const)
    for (const threads of [2, 3]) {
      const told = inBoth(system, threads, {
        limits: { states: 30_000 },
        seed: threads,
        graph: true,
      });
      expect(told.several).toEqual(told.one);
      expect(told.rounds).toBeGreaterThan(0);
    }
});

proof('do so for random protocols, that may end at any moment', () => {
  let rounds = 0;
  const few = fc.constantFrom(0, 1, 2);
  assertRuns(
    fc.property(
      randomListener,
      fc.constantFrom(complete(3), ring(3), complete(4)),
      fc.record({
        commands: fc.constantFrom(2, 3),
        losses: few,
        duplications: few,
        crashes: few,
        restarts: few,
        order: fc.constantFrom('fifo' as const, 'any' as const),
      }),
      fc.constantFrom(2, 3),
      fc.option(fc.integer({ min: 4000, max: 20_000 }), { nil: 0 }),
      fc.option(fc.nat(1000), { nil: undefined }),
      fc.integer({ min: 4096, max: 20_000 }),
      fc.boolean(),
      (protocol, topology, budget, threads, ends, seed, states, graph) => {
        const told = inBoth([protocol, topology, budget], threads, {
          ...{ ends, limits: { states }, graph },
          ...(seed !== undefined && { seed }),
        });
        expect(told.several).toEqual(told.one);
        rounds += told.rounds;
      },
    ),
    1,
    100,
    1,
  );
  expect(rounds).toBeGreaterThan(0);
});
