import { describe, expect, it } from 'vitest';
import { createMachine, emit } from 'xstate';
import { centralLock, tiny } from '../protocol/examples.contract.js';
import { send } from '../protocol/node.js';
import { always, eventually, never, sometimes } from '../protocol/property.js';
import { complete, star } from '../topology/generators.js';
import type { SimulationOptions } from './options.js';
import { Simulation, simulate } from './simulate.js';
import { closedLoop, oneShot } from './workload.js';

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
  const tokens = tiny(relay, {
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
    expect(verdicts({ protocol: tiny(holder, { properties }), topology: complete(4) })).toEqual([
      'holds',
      'holds',
    ]);
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
    const ticking = tiny(
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
