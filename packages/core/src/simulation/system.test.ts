import { describe, expect, it } from 'vitest';
import { createMachine, emit } from 'xstate';
import { calls, centralLock, minimalProtocol } from '../protocol/examples.contract.js';
import { send } from '../protocol/node.js';
import { always, eventually, never, type SystemView, sometimes } from '../protocol/property.js';
import { complete, star } from '../topology/generators.js';
import type { SimulationOptions } from './options.js';
import { Simulation, simulate } from './simulate.js';
import { closedLoop, oneShot, type Workload } from './workload.js';

/** The counts of a system, and the same counted naively. */
function twice(system: SystemView, tags: readonly string[], field: string) {
  const live = system.nodes.filter(({ crashed }) => !crashed);
  const carrying = (tag: string) => live.filter((node) => node.tags.has(tag));
  const told = {
    live: system.live,
    ...Object.fromEntries(
      tags.map((tag) => [tag, [system.count(tag), system.tagged(tag).map(({ id }) => id)]]),
    ),
  };
  const counted = {
    live: live.length,
    ...Object.fromEntries(
      tags.map((tag) => [tag, [carrying(tag).length, carrying(tag).map(({ id }) => id)]]),
    ),
  };
  const distinct = tags.map((tag) => [...system.distinct(tag, field)].sort());
  const byHand = tags.map((tag) =>
    [...new Set(carrying(tag).map(({ context }) => context[field]))].sort(),
  );
  return [
    [told, distinct],
    [counted, byHand],
  ];
}

const again: Workload = ({ later, tell, nodes }) => {
  for (let count = 0; count < 20; count++)
    for (const { id } of nodes)
      later({ kind: 'fixed', ms: count * 50 }, () => tell(id, { type: 'call' }));
  return () => {};
};

describe('the running system', () => {
  it.each<[string, SimulationOptions, readonly string[], string]>([
    [
      'a lock',
      {
        protocol: centralLock,
        topology: star(6),
        workload: closedLoop({ entries: 4, nodes: ['b', 'c', 'd', 'e', 'f'] }),
      },
      ['waiting', 'critical'],
      'centre',
    ],
    [
      'callers that crash and come back',
      {
        protocol: calls,
        topology: complete(5),
        workload: again,
        conditions: { loss: 0.3, delay: { kind: 'uniform', least: 1, most: 9 } },
        faults: ['a', 'b', 'c', 'd'].map((node, index) => ({
          kind: 'crash',
          node,
          at: 101 + 60 * index,
          restartAfter: 80,
        })),
      },
      ['waiting'],
      'tries',
    ],
  ])(
    'has the same counts as a naive count, after each step of %s',
    (_name, options, tags, field) => {
      const simulation = new Simulation(options);
      let most = 0;
      let least = Infinity;
      simulation.snapshots$.subscribe(() => {
        const [told, counted] = twice(simulation.system, tags, field);
        expect(told).toEqual(counted);
        most = Math.max(most, simulation.system.count('waiting'));
        least = Math.min(least, simulation.system.live);
      });
      simulation.run();
      expect(most).toBeGreaterThan(2);
      expect(least).toBe(options.faults ? 3 : options.topology.nodes.length);
    },
  );

  it('lists the messages in flight', () => {
    const simulation = new Simulation({
      protocol: centralLock,
      topology: star(3),
      workload: closedLoop({ nodes: ['b', 'c'], think: { kind: 'fixed', ms: 0 } }),
    });
    const seen: string[] = [];
    const text = (type?: string) =>
      simulation.system
        .inFlight(type)
        .map(({ from, to, message }) => `${from}→${to} ${message.type}`)
        .sort()
        .join(', ');
    simulation.snapshots$.subscribe(() => seen.push(`${text()} | ${text('grant')}`));
    simulation.run();
    expect(seen.slice(3, 8)).toEqual([
      'b→a request | ',
      'b→a request, c→a request | ',
      'a→b grant, c→a request | a→b grant',
      'a→b grant | a→b grant',
      ' | ',
    ]);
  });

  it('has no nodes but its own', () => {
    const { system } = new Simulation({ protocol: calls, topology: complete(2) });
    expect(system.node('b').id).toBe('b');
    expect(() => system.node('z')).toThrow(
      expect.objectContaining({ code: 'bad-input', message: "The system has no node 'z'" }),
    );
    expect(system.count('nothing')).toBe(0);
    expect(system.tagged('nothing')).toEqual([]);
  });
});

/** b and c request entry at 0 ms; each message takes 1 ms, each stay 5 ms. */
const lock: SimulationOptions = {
  protocol: centralLock,
  topology: star(3),
  workload: closedLoop({ nodes: ['b', 'c'], think: { kind: 'fixed', ms: 0 } }),
};
const verdicts = (options: SimulationOptions) =>
  simulate(options).properties.map(({ verdict }) => verdict);

describe('properties are checked', () => {
  const relay = createMachine({
    on: {
      go: { actions: [emit(send('b', { type: 'token' })), emit(send('b', { type: 'token' }))] },
      token: {},
    },
  });
  const tokens = minimalProtocol(relay, {
    messages: { token: { meaning: 'the only one' } },
    commands: { go: { kind: 'optional', meaning: 'go' } },
    channels: { order: 'any', loss: false, duplication: false },
  });
  const twoTokens: SimulationOptions = {
    protocol: tokens,
    topology: complete(2),
    workload: oneShot({ type: 'go' }, { nodes: ['a'] }),
  };

  it('after each step, also one that does not change its node', () => {
    const properties = [never('two tokens', (system) => system.inFlight('token').length > 1)];
    expect(verdicts({ ...twoTokens, properties })).toEqual(['violated']);
    const emptied = sometimes(
      'both tokens have come',
      (system) => system.inFlight().length === 0 && system.nodes.some(({ value }) => value !== ''),
    );
    expect(verdicts({ ...twoTokens, properties: [emptied] })).toEqual(['reached']);
  });

  it('after a loss, though no node takes a step', () => {
    const gone = {
      ...twoTokens,
      faults: [{ kind: 'crash', node: 'b', at: 0.5, inside: false }],
    } as const;
    let most = 0;
    const emptied = eventually('the tokens are gone', (system) => {
      const now = system.inFlight('token').length;
      most = Math.max(most, now);
      return most > 0 && now === 0;
    });
    expect(simulate({ ...gone, properties: [emptied] })).toMatchObject({
      lost: 2,
      delivered: 0,
      properties: [{ verdict: 'holds' }],
    });
  });

  it('only once all nodes have started', () => {
    const holder = createMachine({
      context: ({ input }) => ({ self: (input as { self: string }).self }),
      initial: 'without',
      states: {
        without: { always: { guard: ({ context }) => context.self === 'c', target: 'with' } },
        with: { tags: 'holder' },
      },
    });
    const properties = [
      always('one holds the token', (system) => system.count('holder') === 1),
      always(
        'one is served',
        (system) => system.nodes.filter(({ value }) => value === 'with').length === 1,
      ),
    ];
    expect(
      verdicts({ protocol: minimalProtocol(holder, { properties }), topology: complete(4) }),
    ).toEqual(['holds', 'holds']);
  });

  it('in the initial state', () => {
    const properties = [always('no node is live', (system) => system.live === 0)];
    expect(simulate({ ...twoTokens, properties })).toMatchObject({
      ended: 'violation',
      virtualMs: 0,
      steps: 2,
    });
  });
});

describe('an observer sees', () => {
  it('each delivery, and each node after each of its steps', () => {
    const simulation = new Simulation({
      ...lock,
      workload: oneShot({ type: 'acquire' }, { nodes: ['b'] }),
    });
    const [seen, states]: [unknown[], string[]] = [[], []];
    simulation.messages$.subscribe({
      next: (delivery) => seen.push(delivery),
      complete: () => seen.push('end'),
    });
    simulation.snapshots$.subscribe({
      next: ({ id, value }) => states.push(`${id} ${String(value)}`),
      complete: () => states.push('end'),
    });
    simulation.run();
    expect(seen).toEqual([
      { time: 1, from: 'b', to: 'a', message: { type: 'request' } },
      { time: 2, from: 'a', to: 'b', message: { type: 'grant' } },
      'end',
    ]);
    expect(states).toEqual([
      'a free',
      'b idle',
      'c idle',
      'b waiting',
      'a given',
      'b critical',
      'end',
    ]);
  });

  it('the progress of a long run', () => {
    const calls: [number, number][] = [];
    const ticking = minimalProtocol(
      createMachine({
        initial: 'a',
        states: { a: { after: { 1: { target: 'a', reenter: true } } } },
      }),
    );
    const onProgress = (delivered: number, virtualMs: number) => calls.push([delivered, virtualMs]);
    simulate({ protocol: ticking, topology: complete(1), until: { steps: 140_000 }, onProgress });
    expect(calls).toEqual([
      [0, 65_536],
      [0, 131_072],
    ]);
  });
});
