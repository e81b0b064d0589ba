import { describe, expect, it } from 'vitest';
import { calls, centralLock } from '../protocol/examples.contract.js';
import { complete, star } from '../topology/generators.js';
import type { SimulationOptions } from './options.js';
import { Simulation, simulate } from './simulate.js';
import { closedLoop, idle, oneShot, poisson, type Workload } from './workload.js';

const entriesOf = (workload: Workload, options: Partial<SimulationOptions> = {}) =>
  simulate({ protocol: centralLock, topology: star(4), workload, ...options }).exclusion.entries;
const countByNode = (entries: readonly { node: string }[]) => {
  const counts: Record<string, number> = {};
  for (const { node } of entries) counts[node] = (counts[node] ?? 0) + 1;
  return counts;
};
const clients = ['b', 'c', 'd'];
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const none: SimulationOptions = { protocol: calls, topology: complete(3) };

describe('a closed loop', () => {
  it('makes each node enter the given number of times, and stay the given time', () => {
    const entries = entriesOf(
      closedLoop({ entries: 7, hold: { kind: 'fixed', ms: 3 }, nodes: clients }),
    );
    expect(countByNode(entries)).toEqual({ b: 7, c: 7, d: 7 });
    for (const { enteredAt, leftAt } of entries)
      expect((leftAt ?? 0) - enteredAt).toBeCloseTo(3, 9);
    expect(entriesOf(closedLoop({ entries: 0, nodes: clients }))).toEqual([]);
  });

  it('restricts requests to the named nodes', () => {
    expect(countByNode(entriesOf(closedLoop({ entries: 2, nodes: ['c'] })))).toEqual({ c: 2 });
  });

  it('by default makes all nodes enter once, after 20 ms on average, for 5 ms', () => {
    const everybody: Workload = (application) => {
      expect(application.nodes.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
      return closedLoop()({
        ...application,
        nodes: application.nodes.filter(({ role }) => role === 'client'),
      });
    };
    const entries = Array.from({ length: 400 }, (_, seed) => entriesOf(everybody, { seed })).flat();
    expect(entries).toHaveLength(1200);
    expect(Math.abs(mean(entries.map(({ requestedAt }) => requestedAt)) - 20)).toBeLessThan(2.4);
    for (const { enteredAt, leftAt } of entries)
      expect((leftAt ?? 0) - enteredAt).toBeCloseTo(5, 9);
  });

  it('waits the think time between an exit and the next request', () => {
    const [first, second, third] = entriesOf(
      closedLoop({ entries: 3, think: { kind: 'fixed', ms: 10 }, nodes: ['b'] }),
    );
    expect(first).toMatchObject({ requestedAt: 10, enteredAt: 12, leftAt: 17 });
    expect(second).toMatchObject({ requestedAt: 27 });
    expect(third).toMatchObject({ requestedAt: 44 });
  });

  it('may be used for several runs', () => {
    const workload = closedLoop({ entries: 3, nodes: clients });
    expect(entriesOf(workload)).toEqual(entriesOf(workload));
  });
});

describe('a Poisson process', () => {
  it('makes the given number of requests, at its rate', () => {
    const entries = entriesOf(
      poisson({ mean: 1000, entries: 400, hold: { kind: 'fixed', ms: 1 }, nodes: clients }),
    );
    expect(countByNode(entries)).toEqual({ b: 400, c: 400, d: 400 });
    for (const client of clients) {
      const commands = entries
        .filter(({ node }) => node === client)
        .map(({ requestedAt }) => requestedAt);
      const gaps = commands.map((time, index) => time - (commands[index - 1] ?? 0));
      expect(Math.abs(mean(gaps) - 1000)).toBeLessThan(200);
      expect(
        Math.abs(gaps.filter((gap) => gap > 1000).length / gaps.length - Math.exp(-1)),
      ).toBeLessThan(0.1);
    }
  });

  it('queues a request that arrives while its node is busy, and loses none', () => {
    const entries = entriesOf(poisson({ mean: 0.5, nodes: clients }));
    expect(countByNode(entries)).toEqual({ b: 10, c: 10, d: 10 });
    const stays = entries.map(({ enteredAt, leftAt }) => [enteredAt, leftAt ?? 0] as const);
    for (const [index, [enteredAt]] of stays.entries())
      expect(enteredAt).toBeGreaterThan(stays[index - 1]?.[1] ?? -1);
  });
});

describe('one shot', () => {
  const callsTo = (workload: Workload) => simulate({ ...none, workload }).messages.ping;

  it('gives its command once to all nodes, or to the named ones', () => {
    expect(callsTo(oneShot({ type: 'call' }))).toBe(3);
    expect(callsTo(oneShot({ type: 'call' }, { nodes: ['a', 'c'] }))).toBe(2);
    expect(callsTo(oneShot({ type: 'call' }, { nodes: [] }))).toBeUndefined();
  });

  it('comes immediately, or after a delay that each node draws separately', () => {
    expect(simulate({ ...none, workload: oneShot({ type: 'call' }) }).virtualMs).toBe(2);
    expect(
      simulate({
        ...none,
        workload: oneShot({ type: 'call' }, { after: { kind: 'fixed', ms: 30 } }),
      }).virtualMs,
    ).toBe(32);
    const told: number[] = [];
    const workload = oneShot({ type: 'call' }, { after: { kind: 'uniform', least: 10, most: 20 } });
    const simulation = new Simulation({ ...none, workload });
    simulation.snapshots$.subscribe(
      ({ value }) => value === 'calling' && told.push(simulation.clock.now()),
    );
    simulation.run();
    expect(new Set(told.filter((time) => time >= 10 && time < 20)).size).toBe(3);
  });
});

it('no command is the default workload', () => {
  expect(simulate(none)).toMatchObject({ steps: 3, virtualMs: 0, complete: true, messages: {} });
  expect(simulate({ ...none, workload: idle })).toEqual(simulate(none));
});

describe('a workload refuses', () => {
  const cure = 'Give a number of milliseconds from 0 to 1000000000000.';
  const early = { kind: 'fixed', ms: -1 } as const;
  it.each<[string, () => unknown, string]>([
    [
      'a negative count',
      () => closedLoop({ entries: -1 }),
      'closedLoop: entries is -1. Give a whole number, 0 or more.',
    ],
    [
      'half an entry',
      () => poisson({ mean: 1, entries: 1.5 }),
      'poisson: entries is 1.5. Give a whole number, 0 or more.',
    ],
    [
      'a negative think time',
      () => closedLoop({ think: early }),
      `closedLoop: think.ms is -1. ${cure}`,
    ],
    [
      'a negative hold time',
      () => closedLoop({ hold: early }),
      `closedLoop: hold.ms is -1. ${cure}`,
    ],
    [
      'a negative hold time',
      () => poisson({ mean: 1, hold: early }),
      `poisson: hold.ms is -1. ${cure}`,
    ],
    ['an invalid rate', () => poisson({ mean: NaN }), `poisson: mean is NaN. ${cure}`],
    [
      'a time before the start',
      () => oneShot({ type: 'call' }, { after: early }),
      `oneShot: after.ms is -1. ${cure}`,
    ],
  ])('%s', (_what, make, message) => {
    expect(make).toThrow(expect.objectContaining({ code: 'bad-input', message }));
  });

  it.each([
    closedLoop({ nodes: ['b', 'x'] }),
    poisson({ mean: 1, nodes: ['x'] }),
    oneShot({ type: 'acquire' }, { nodes: ['x'] }),
  ])('nodes that the network does not have (%#)', (workload) => {
    expect(() => entriesOf(workload)).toThrow(
      expect.objectContaining({
        code: 'bad-input',
        message:
          "The workload names the node 'x', which the network does not have. It has a, b, c, d.",
      }),
    );
  });
});
