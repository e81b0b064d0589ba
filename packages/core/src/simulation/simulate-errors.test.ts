import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, createMachine, emit } from 'xstate';
import { calls, centralLock, withMachine } from '../protocol/examples.contract.js';
import { send } from '../protocol/node.js';
import { complete, star } from '../topology/generators.js';
import { parseTrace } from '../trace/parse.js';
import { traceText } from '../trace/trace.js';
import type { SimulationOptions } from './options.js';
import { Simulation, simulate } from './simulate.js';
import { closedLoop, oneShot, type Workload } from './workload.js';

/** b and c request entry at 0 ms; each message takes 1 ms, each stay 5 ms. */
const lock: SimulationOptions = {
  protocol: centralLock,
  topology: star(3),
  workload: closedLoop({ nodes: ['b', 'c'], think: { kind: 'fixed', ms: 0 } }),
};

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
