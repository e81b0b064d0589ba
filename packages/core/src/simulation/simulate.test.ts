import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, createMachine, emit, enqueueActions } from 'xstate';
import { calls, centralLock, minimalProtocol, withMachine } from '../protocol/examples.contract.js';
import { choose, send } from '../protocol/node.js';
import { always, never } from '../protocol/property.js';
import { complete, star } from '../topology/generators.js';
import { edge, Topology } from '../topology/topology.js';
import { parseTrace } from '../trace/parse.js';
import { replay } from '../trace/replay.js';
import { linesText, traceText } from '../trace/trace.js';
import type { SimulationOptions } from './options.js';
import { totalMessages } from './result.js';
import { Simulation, simulate } from './simulate.js';
import { closedLoop, oneShot, type Workload } from './workload.js';

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
      const protocol = minimalProtocol(dice, {
        commands: { roll: { kind: 'optional', meaning: 'roll' } },
      });
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

describe('errors', () => {
  const fails = (options: Partial<SimulationOptions>, code: string, message: string | RegExp) => {
    const run = () => simulate({ ...lock, ...options });
    expect(run).toThrow(message);
    expect(run).toThrow(expect.objectContaining({ code }));
  };

  it('an invalid seed', () => {
    for (const seed of [1.5, NaN])
      fails({ seed }, 'bad-input', `simulate: seed is ${seed}. Give a whole number.`);
  });

  it('an unsuitable network, condition, fault or workload', () => {
    fails({ topology: complete(3) }, 'bad-topology', 'Central lock needs a star network');
    fails(
      { conditions: { loss: 7 } },
      'bad-input',
      'simulate: conditions.loss is 7. Give a number from 0 to 1.',
    );
    fails(
      { faults: [{ kind: 'crash', node: 'z', at: 1 }] },
      'bad-input',
      "Fault 1 (crash): 'z' is no node of 'star:3'",
    );
    fails(
      { workload: closedLoop({ nodes: ['q'] }) },
      'bad-input',
      "The workload names the node 'q'",
    );
  });

  it('a second run', () => {
    const simulation = new Simulation(lock);
    simulation.run();
    expect(() => simulation.run()).toThrow(
      expect.objectContaining({
        code: 'bad-input',
        message: 'This simulation has run. Make a new one.',
      }),
    );
  });

  it('a workload for an unknown node', () => {
    const workload: Workload = ({ later, tell }) => {
      later({ kind: 'fixed', ms: 3 }, () => tell('z', { type: 'acquire' }));
      return () => {};
    };
    fails({ workload }, 'bad-input', "The network 'star:3' has no node 'z'");
    expect(() => new Simulation(lock).system.node('z')).toThrow("The system has no node 'z'");
  });

  it('an invalid bound', () => {
    fails(
      { until: { stepsAtOnce: 0 } },
      'bad-input',
      'until.stepsAtOnce 0 is no number of steps. Give a whole number, 1 or more.',
    );
  });
});

describe('a machine that breaks the rules violates the standard checks:', () => {
  const handled = 'every message is handled or explicitly ignored';
  const broken = (
    machine: AnyStateMachine,
    nodes: readonly string[] = ['a', 'b'],
  ): SimulationOptions => ({
    protocol: withMachine(calls, machine),
    topology: complete(2),
    workload: oneShot({ type: 'call' }, { nodes }),
    seed: 5,
  });

  it('it sends to a node that is not a neighbour', () => {
    const lost = createMachine({
      on: { call: { actions: emit(send('z', { type: 'ping', n: 1 } as { type: string })) } },
    });
    expect(simulate(broken(lost)).fault).toBe(
      "Node a sends 'ping' to z, to which it has no channel in 'complete:2'. It was in '' when it was told 'call' (at 0.000 ms, seed 5).",
    );
  });

  it('it does not handle a message; the trace shows the run', () => {
    const deaf = createMachine({
      on: { call: { actions: emit(send('b', { type: 'ping', n: 1 } as { type: string })) } },
    });
    const options = broken(deaf, ['a']);
    const found = simulate(options);
    expect(found).toMatchObject({
      complete: false,
      ended: 'violation',
      violated: handled,
      delivered: 1,
      virtualMs: 1,
    });
    expect(found.properties.at(-1)).toEqual({ name: handled, kind: 'always', verdict: 'violated' });
    for (const { verdict } of found.properties.slice(0, -1))
      expect(['incomplete', 'reached']).toContain(verdict);
    expect(found.fault).toMatch(
      /^Node b in '.*' does not handle 'ping' \(from a\) \(at 1\.000 ms, seed 5\)\. List it under on, or ignore it with ping: \{\}\.$/,
    );
    expect(found.trace?.header.get('fault')).toBe(found.fault);
    expect(found.trace?.lines.map(({ node, event }) => [node, event.kind])).toEqual([
      ['a', 'command'],
    ]);
    expect(simulate({ ...options, record: true }).trace).toEqual(found.trace);
    expect(found.trace && parseTrace(traceText(found.trace)).header).toEqual(found.trace?.header);
  });

  it('it throws', () => {
    const failing = createMachine({
      on: {
        call: {
          actions: assign(() => {
            throw new Error('boom');
          }),
        },
      },
    });
    expect(simulate(broken(failing))).toMatchObject({
      fault: "Node a failed: boom. It was in '' when it was told 'call' (at 0.000 ms, seed 5).",
      violated: 'no step fails',
    });
  });

  it('a correct run reports none of them', () => {
    const found = simulate(lock);
    expect(found).not.toHaveProperty('fault');
    expect(found.properties.map(({ name }) => name)).not.toContain(handled);
  });
});
