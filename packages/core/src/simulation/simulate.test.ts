import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign, createMachine, enqueueActions } from 'xstate';
import { centralLock, tiny } from '../protocol/examples.contract.js';
import { choose } from '../protocol/node.js';
import { always, never } from '../protocol/property.js';
import { complete, star } from '../topology/generators.js';
import { edge, Topology } from '../topology/topology.js';
import { replay } from '../trace/replay.js';
import { linesText } from '../trace/trace.js';
import type { SimulationOptions } from './options.js';
import { totalMessages } from './result.js';
import { Simulation, simulate } from './simulate.js';
import { closedLoop, type Workload } from './workload.js';

/** b and c request entry at 0 ms; each message takes 1 ms, each stay 5 ms. */
const lock: SimulationOptions = {
  protocol: centralLock,
  topology: star(3),
  workload: closedLoop({ nodes: ['b', 'c'], think: { kind: 'fixed', ms: 0 } }),
};
describe('a run', () => {
  it('becomes quiescent with the figures computed by hand', () => {
    expect(simulate(lock)).toEqual({
      host: 'compiled',
      confirmed: 0,
      protocol: 'central-lock',
      topology: 'star:3',
      nodes: 3,
      seed: 1,
      virtualMs: 15,
      steps: 3 + 4 + 6, // starts, commands, deliveries
      delivered: 6,
      lost: 0,
      duplicated: 0,
      messages: { free: 2, grant: 2, request: 2 },
      commands: { acquire: 2, release: 2 },
      elections: 0,
      load: {
        a: { sent: 2, received: 4 },
        b: { sent: 2, received: 1 },
        c: { sent: 2, received: 1 },
      },
      exclusion: {
        entries: [
          { node: 'b', requestedAt: 0, enteredAt: 2, leftAt: 7 },
          { node: 'c', requestedAt: 0, enteredAt: 9, leftAt: 14 },
        ],
        meanWait: 5.5,
        synchronisationDelay: 2,
        overtaken: 0,
      },
      properties: [
        { name: 'at most one holds', kind: 'always', verdict: 'holds' },
        { name: 'a node holds', kind: 'sometimes', verdict: 'reached' },
        { name: 'a waiting node enters', kind: 'leadsTo', verdict: 'holds' },
      ],
      complete: true,
      ended: 'quiescent',
    });
    expect(totalMessages(simulate(lock))).toBe(6);
  });

  it('uses the delays of the links, so that a later request may arrive first', () => {
    const network = new Topology(
      'slow',
      ['a', 'b', 'c'],
      [...edge('a', 'b', 1), ...edge('a', 'c', 10)],
    );
    const workload: Workload = ({ later, tell }) => {
      later({ kind: 'fixed', ms: 0 }, () => tell('c', { type: 'acquire' }));
      later({ kind: 'fixed', ms: 1 }, () => tell('b', { type: 'acquire' }));
      return ({ id, tags }) => {
        if (tags.has('critical'))
          later({ kind: 'fixed', ms: 5 }, () => tell(id, { type: 'release' }));
      };
    };
    expect(
      simulate({ ...lock, topology: network, conditions: { delay: { kind: 'link' } }, workload })
        .exclusion,
    ).toEqual({
      entries: [
        { node: 'b', requestedAt: 1, enteredAt: 3, leftAt: 8 },
        { node: 'c', requestedAt: 0, enteredAt: 20, leftAt: 25 },
      ],
      meanWait: 11,
      synchronisationDelay: 12,
      overtaken: 1,
    });
  });

  it('records a trace, which replays', () => {
    const { trace } = simulate({ ...lock, record: true });
    expect([...(trace?.header ?? [])]).toEqual([
      ['protocol', 'central-lock'],
      ['topology', 'star:3'],
      ['nodes', 'a b c'],
      ['seed', '1'],
      ['channels', 'order fifo, delay fixed:1, loss 0, duplication 0'],
    ]);
    expect(linesText(trace?.lines.slice(0, 6) ?? [])).toBe(`\
0.000ms  b  acquire         idle → waiting      ⇒ a: request
0.000ms  c  acquire         idle → waiting      ⇒ a: request
1.000ms  a  request from b  free → given        ⇒ b: grant
1.000ms  a  request from c  given
2.000ms  b  grant from a    waiting → critical
7.000ms  b  release         critical → idle     ⇒ a: free
`);
    expect(trace && replay(centralLock, star(3), trace)).toEqual({ steps: 10 });
  });

  it('is determined by its seed, observed and recorded or not', () => {
    const options: SimulationOptions = {
      ...lock,
      workload: closedLoop({ nodes: ['b', 'c'], entries: 5 }),
      conditions: { delay: { kind: 'exponential', mean: 9 }, loss: 0.01, duplication: 0 },
      seed: 3,
    };
    const plain = simulate(options);
    expect(simulate(options)).toEqual(plain);
    const watched = new Simulation({ ...options, record: true });
    watched.messages$.subscribe();
    watched.snapshots$.subscribe();
    const { trace, ...result } = watched.run();
    expect(result).toEqual({ ...plain, ...(plain.trace ? { trace: undefined } : {}) });
    expect(trace?.lines.length).toBeGreaterThan(20);
    expect(simulate({ ...options, seed: 4 }).virtualMs).not.toBe(plain.virtualMs);
  });
});

describe('the end', () => {
  it('may be the limit of steps', () => {
    const result = simulate({ ...lock, until: { steps: 6 } });
    expect(result).toMatchObject({ ended: 'step limit', complete: false, steps: 6, virtualMs: 1 });
    expect(result.properties.map(({ verdict }) => verdict)).toEqual([
      'incomplete',
      'incomplete',
      'incomplete',
    ]);
    expect(result.exclusion.entries).toEqual([]);
  });

  it('may be the limit of time', () => {
    const result = simulate({ ...lock, until: { time: 8.5 } });
    expect(result).toMatchObject({ ended: 'time limit', complete: false, virtualMs: 8.5 });
    expect(result.properties.map(({ verdict }) => verdict)).toEqual([
      'incomplete',
      'reached',
      'incomplete',
    ]);
    expect(result.exclusion.entries).toEqual([
      { node: 'b', requestedAt: 0, enteredAt: 2, leftAt: 7 },
    ]);
  });

  it('is quiescent where a limit is reached exactly at its last event', () => {
    for (const until of [{ steps: 13 }, { time: 15 }, { time: 1e9, steps: 1e9 }])
      expect(simulate({ ...lock, until })).toMatchObject({
        ended: 'quiescent',
        complete: true,
        virtualMs: 15,
      });
  });

  it('is immediate at a violation, with a trace even if none was requested', () => {
    const properties = [
      never('two requests are in flight', (system) => system.inFlight('request').length > 1),
      always('true', () => true),
    ];
    const result = simulate({ ...lock, properties });
    expect(result).toMatchObject({
      ended: 'violation',
      complete: false,
      violated: 'two requests are in flight',
      virtualMs: 0,
      steps: 5,
    });
    expect(result.properties.map(({ verdict }) => verdict)).toEqual(['violated', 'incomplete']);
    expect(result.trace?.lines.map(({ node, event }) => [node, event])).toEqual([
      ['b', { kind: 'command', call: 'acquire' }],
      ['c', { kind: 'command', call: 'acquire' }],
    ]);
  });

  it('shows violated liveness, with the trace, once quiescent: a lost message breaks liveness, not safety', () => {
    const result = simulate({ ...lock, conditions: { loss: 1 } });
    expect(result).toMatchObject({
      ended: 'quiescent',
      complete: true,
      violated: 'a waiting node enters',
      lost: 2,
      delivered: 0,
    });
    expect(result.properties.map(({ verdict }) => verdict)).toEqual([
      'holds',
      'unreached',
      'violated',
    ]);
    expect(linesText(result.trace?.lines.slice(1, 3) ?? [])).toBe(
      '0.000ms  a  drop request from b\n0.000ms  c  acquire              idle → waiting  ⇒ a: request\n',
    );
  });
});

describe('choices', () => {
  const dice = createMachine({
    context: { drawn: [] as unknown[] },
    on: {
      roll: { actions: enqueueActions(({ enqueue }) => enqueue.emit(choose(1, 2, 3, 4, 5, 6))) },
      chosen: {
        actions: assign(({ context, event }) => ({
          drawn: [...context.drawn, (event as unknown as { value: unknown }).value],
        })),
      },
    },
  });

  proof('are drawn by the seed, each option equally likely', () => {
    const workload: Workload = ({ later, tell }) => {
      for (let count = 0; count < 3000; count++)
        later({ kind: 'fixed', ms: count }, () => tell('a', { type: 'roll' }));
      return () => {};
    };
    const drawn = (seed: number) => {
      const protocol = tiny(dice, { commands: { roll: { kind: 'optional', meaning: 'roll' } } });
      const simulation = new Simulation({ protocol, topology: complete(1), workload, seed });
      simulation.run();
      return simulation.system.node('a').context.drawn as number[];
    };
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(2)).not.toEqual(drawn(1));
    const faces = drawn(1);
    for (const face of [1, 2, 3, 4, 5, 6])
      expect(Math.abs(faces.filter((value) => value === face).length - 500)).toBeLessThan(4 * 20.5);
  });
});
