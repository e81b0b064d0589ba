import { describe, expect, it } from 'vitest';
import { enqueueActions, setup } from 'xstate';
import { type Self, selfAndPeers, tiny } from '../protocol/examples.contract.js';
import { type Effect, type Received, send } from '../protocol/node.js';
import { always, leadsTo } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { ring } from '../topology/generators.js';
import { needs } from '../topology/needs.js';
import { simulate } from './simulate.js';
import { closedLoop, idle } from './workload.js';

type Token = { type: 'token' };

/** A token that goes round for ever; node a puts it on the ring. */
const wheelNode = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'acquire' } | { type: 'release' } | Received<Token>;
    emitted: Effect<Token>;
  },
  actions: {
    pass: enqueueActions(({ context, enqueue }) => enqueue.emit(send(context.peers[0] ?? '', { type: 'token' }))),
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

const wheel = tiny(node, {
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
      'who waits enters',
      (node) => node.tags.has('waiting'),
      (node) => node.tags.has('critical'),
    ),
  ],
});
const run = { protocol: { ...wheel, perpetual: true }, topology: ring(3), workload: closedLoop({ entries: 2 }) };

describe('a run of a perpetual protocol', () => {
  it('waits for the nodes that wait by the protocol’s own definition, and measures from there', () => {
    const protocol: Protocol = {
      ...run.protocol,
      roles: { node: { machine: machineWith([]), input: selfAndPeers } },
      waiting: ({ value }) => value === 'waiting',
      properties: [always('at most one holds', (system) => system.count('critical') <= 1)],
    };
    expect(simulate({ ...run, protocol }).exclusion).toEqual(simulate(run).exclusion);
    expect(simulate({ ...run, protocol }).exclusion.entries).toHaveLength(6);
    expect(simulate({ ...run, protocol: { ...protocol, waiting: false } }).exclusion.entries.length).toBeLessThan(6);
  });

  it('ends when every request is served and nothing more is planned', () => {
    const result = simulate(run);
    expect(result).toMatchObject({ ended: 'served', complete: true });
    expect(result.exclusion.entries).toHaveLength(6);
    expect(result.exclusion.entries.every(({ leftAt }) => leftAt !== undefined)).toBe(true);
    expect(result.properties.map(({ verdict }) => verdict)).toEqual(['holds', 'holds']);
    expect(simulate({ ...run, workload: idle })).toMatchObject({ ended: 'served', steps: 3 });
  });

  it('goes on to the faults that are planned', () => {
    expect(simulate({ ...run, faults: [{ kind: 'conditions', at: 5_000, change: {} }] })).toMatchObject({
      ended: 'served',
      virtualMs: 5_000,
    });
  });

  it('becomes quiescent where the messages end after all: then a waiting node waits for ever', () => {
    const result = simulate({ ...run, conditions: { loss: 0.2 } });
    expect(result).toMatchObject({ ended: 'quiescent', complete: true, violated: 'who waits enters' });
  });

  it('ends by a limit where the protocol does not say that it is one', () => {
    expect(simulate({ ...run, protocol: wheel, until: { steps: 500 } })).toMatchObject({ ended: 'step limit', complete: false });
  });

  it('ends where time stands still, for what comes later never would', () => {
    const still = { ...run, conditions: { delay: { kind: 'fixed', ms: 0 } } } as const;
    const result = simulate(still);
    expect(result).toMatchObject({ ended: 'time stands still', complete: false, virtualMs: 0, steps: 100_001 });
    expect(result.properties.map(({ verdict }) => verdict)).toEqual(['incomplete', 'incomplete']);
    expect(simulate({ ...still, until: { stepsAtOnce: 50 } })).toMatchObject({ ended: 'time stands still', steps: 51 });
    // With time that moves, as many steps at one moment are none too many.
    expect(simulate({ ...run, until: { stepsAtOnce: 4 } })).toMatchObject({ ended: 'served' });
  });

  it('ends when it is asked to, as often as it asks', () => {
    let asked = 0;
    const stop = () => ++asked === 3;
    expect(simulate({ ...run, protocol: wheel, until: { stop } })).toMatchObject({
      ended: 'interrupted',
      complete: false,
      steps: 3 * 1024 + 2,
    });
  });
});
