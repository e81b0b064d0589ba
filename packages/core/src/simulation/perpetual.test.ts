import { describe, expect, it } from 'vitest';
import { enqueueActions, setup } from 'xstate';
import {
  centralLock,
  minimalProtocol,
  type Self,
  selfAndPeers,
} from '../protocol/examples.contract.js';
import { type Effect, type Received, send } from '../protocol/node.js';
import { always, leadsTo } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { ring, star } from '../topology/generators.js';
import * as needs from '../topology/needs.js';
import { connected } from '../topology/needs.js';
import { simulate } from './simulate.js';
import { defaultSteps, expectedSteps } from './until.js';
import { closedLoop, idle, idleFor } from './workload.js';

type Token = { type: 'token' };

/** A token that moves around a ring forever; node a creates it. */
const wheelNode = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'acquire' } | { type: 'release' } | Received<Token>;
    emitted: Effect<Token>;
  },
  actions: {
    pass: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(send(context.peers[0] ?? '', { type: 'token' })),
    ),
    passFirst: enqueueActions(({ context, enqueue }) => {
      if (context.self === 'a') enqueue.emit(send(context.peers[0] ?? '', { type: 'token' }));
    }),
  },
});

/** The statechart, with these tags on the state in which a node waits. */
const machineWith = (tags: string[]) =>
  wheelNode.createMachine({
    context: ({ input }) => input,
    entry: 'passFirst',
    initial: 'idle',
    states: {
      idle: { on: { acquire: 'waiting', token: { actions: 'pass' } } },
      waiting: { tags, on: { token: 'critical' } },
      critical: { tags: 'critical', on: { release: { target: 'idle', actions: 'pass' } } },
    },
  });
const node = machineWith(['waiting']);

const wheel = minimalProtocol(node, {
  name: 'wheel',
  topology: needs.oneWayRing,
  roles: { node: { machine: node, input: selfAndPeers } },
  messages: { token: { meaning: 'you may' } },
  commands: {
    acquire: { kind: 'optional', meaning: 'enter' },
    release: { kind: 'obligatory', meaning: 'leave', when: ({ tags }) => tags.has('critical') },
  },
  properties: [
    always('at most one holds', (system) => system.count('critical') <= 1),
    leadsTo(
      'a waiting node enters',
      (node) => node.tags.has('waiting'),
      (node) => node.tags.has('critical'),
    ),
  ],
});
const run = {
  protocol: { ...wheel, perpetual: true },
  topology: ring(3),
  workload: closedLoop({ entries: 2 }),
};

describe('a run of a perpetual protocol', () => {
  it('continues while a node waits by the protocol’s own definition, and measures from there', () => {
    const protocol: Protocol = {
      ...run.protocol,
      roles: { node: { machine: machineWith([]), input: selfAndPeers } },
      waiting: ({ value }) => value === 'waiting',
      properties: [always('at most one holds', (system) => system.count('critical') <= 1)],
    };
    expect(simulate({ ...run, protocol }).exclusion).toEqual(simulate(run).exclusion);
    expect(simulate({ ...run, protocol }).exclusion.entries).toHaveLength(6);
    expect(
      simulate({ ...run, protocol: { ...protocol, waiting: false } }).exclusion.entries.length,
    ).toBeLessThan(6);
  });

  it('ends when every request is served and no event is planned', () => {
    const result = simulate(run);
    expect(result).toMatchObject({ ended: 'served', complete: true });
    expect(result.exclusion.entries).toHaveLength(6);
    expect(result.exclusion.entries.every(({ leftAt }) => leftAt !== undefined)).toBe(true);
    expect(result.properties.map(({ verdict }) => verdict)).toEqual(['holds', 'holds']);
    expect(simulate({ ...run, workload: idle })).toMatchObject({ ended: 'served', steps: 3 });
  });

  it('continues to the planned faults', () => {
    expect(
      simulate({ ...run, faults: [{ kind: 'conditions', at: 5_000, change: {} }] }),
    ).toMatchObject({ ended: 'served', virtualMs: 5_000 });
  });

  it('becomes quiescent if the messages end: then a waiting node waits forever', () => {
    const result = simulate({ ...run, conditions: { loss: 0.2 } });
    expect(result).toMatchObject({
      ended: 'quiescent',
      complete: true,
      violated: 'a waiting node enters',
    });
  });

  it('lasts as long as a workload without commands says', () => {
    expect(simulate({ ...run, workload: idle })).toMatchObject({ ended: 'served', virtualMs: 0 });
    expect(simulate({ ...run, workload: idleFor(70) })).toMatchObject({
      ended: 'served',
      virtualMs: 70,
      delivered: 69,
    });
  });

  it('ends by a limit if the protocol is not declared perpetual', () => {
    expect(simulate({ ...run, protocol: wheel, until: { steps: 500 } })).toMatchObject({
      ended: 'step limit',
      complete: false,
    });
  });

  it('ends if time stands still, since later events never happen', () => {
    const still = { ...run, conditions: { delay: { kind: 'fixed', ms: 0 } } } as const;
    const result = simulate(still);
    expect(result).toMatchObject({
      ended: 'time stands still',
      complete: false,
      virtualMs: 0,
      steps: 100_001,
    });
    expect(result.properties.map(({ verdict }) => verdict)).toEqual(['incomplete', 'incomplete']);
    expect(simulate({ ...still, until: { stepsAtOnce: 50 } })).toMatchObject({
      ended: 'time stands still',
      steps: 51,
    });
    // If time moves on, that many steps at one moment are allowed.
    expect(simulate({ ...run, until: { stepsAtOnce: 4 } })).toMatchObject({ ended: 'served' });
  });

  it('ends at stop, each time', () => {
    let asked = 0;
    const stop = () => ++asked === 3;
    expect(simulate({ ...run, protocol: wheel, until: { stop } })).toMatchObject({
      ended: 'interrupted',
      complete: false,
      steps: 3 * 1024 + 2,
    });
  });
});

type Cost = NonNullable<Protocol['cost']>;

const withCost = (cost: Partial<Cost> & Pick<Cost, 'per' | 'messages'>): Protocol => ({
  ...centralLock,
  topology: { ...connected, refuses: () => undefined },
  cost: { formula: 'f', ...cost },
});
const exactly = (count: number) => () => ({ least: count, most: count });

describe('the steps that a run needs', () => {
  it('are starts, commands and messages: of each node, or of the whole run', () => {
    const entry = withCost({ per: 'entry', messages: exactly(3) });
    expect(expectedSteps(entry, star(4), 5)).toBe(4 + 2 * 4 * 5 + 4 * 5 * 3);
    const election = withCost({ per: 'election', messages: exactly(50) });
    expect(expectedSteps(election, ring(10))).toBe(10 + 20 + 50);
    const commanded = withCost({ per: 'election', command: 'acquire', messages: exactly(50) });
    expect(expectedSteps(commanded, ring(10))).toBe(10 + 20 + 500);
  });

  it('are those of the mean where there is one, and unknown without a bound', () => {
    const endless = { least: 1, most: Infinity };
    const entry = { per: 'entry', messages: () => endless } as const;
    expect(expectedSteps(withCost(entry), ring(10))).toBeUndefined();
    expect(expectedSteps(withCost({ ...entry, average: () => 2.5 }), ring(10))).toBe(30 + 25);
    expect(expectedSteps(withCost({ ...entry, per: 'period' }), ring(10))).toBeUndefined();
    const { cost: _, ...unknown } = centralLock;
    expect(expectedSteps(unknown, ring(10))).toBeUndefined();
  });

  it('are unknown on a network that the protocol does not take', () => {
    const entry = withCost({ per: 'entry', messages: exactly(3) });
    const { topology } = centralLock;
    expect(expectedSteps({ ...entry, topology }, ring(10))).toBeUndefined();
  });
});

it('the default limit of steps is 10 million, grows with the network, and is larger than what a run needs', () => {
  const cheap = withCost({ per: 'election', messages: exactly(1) });
  expect(defaultSteps(cheap, ring(10))).toBe(10_000_000);
  expect(defaultSteps(cheap, ring(51_000))).toBe(100 * 102_000);
  const dear = withCost({ per: 'election', messages: exactly(1e9) });
  expect(defaultSteps(dear, ring(10))).toBe(4 * (1e9 + 30));
});
