import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, createMachine, fromCallback, setup } from 'xstate';
import { calls, centralLock, minimalProtocol, withMachine } from '../protocol/examples.contract.js';
import { randomProtocol } from '../protocol/random-protocol.contract.js';
import { complete, star } from '../topology/generators.js';
import { traceText } from '../trace/trace.js';
import type { SimulationOptions } from './options.js';
import { simulate } from './simulate.js';
import { closedLoop, oneShot, type Workload } from './workload.js';

const lock: SimulationOptions = {
  protocol: centralLock,
  topology: star(3),
  workload: closedLoop({ entries: 2, nodes: ['b', 'c'] }),
};

/** All of a result but for its host, with the text of the trace. */
function bytes(options: SimulationOptions): string {
  const {
    host: _,
    hostReason: _reason,
    confirmed: _confirmed,
    trace,
    ...result
  } = simulate(options);
  return JSON.stringify(result) + (trace ? traceText(trace) : '');
}

const node = setup({
  types: {} as {
    input: { self: string; peers: readonly string[] };
    context: { peers: readonly string[]; n: number };
    events: { type: 'go' };
  },
});
const fine = minimalProtocol(
  node.createMachine({ context: ({ input }) => ({ ...input, n: 0 }), on: { go: {} } }),
  { commands: { go: { kind: 'optional', meaning: 'go' } } },
);
/** Two nodes with this machine get the command `go`. */
const going = (machine: AnyStateMachine): SimulationOptions => ({
  protocol: withMachine(fine, machine),
  topology: complete(2),
  workload: oneShot({ type: 'go' }, { after: { kind: 'uniform', least: 0, most: 9 } }),
});

describe('the host of a simulation', () => {
  it('is compiled by default, and the result says why actors run', () => {
    expect(simulate(lock)).toMatchObject({ host: 'compiled' });
    expect(simulate({ ...lock, host: 'actors' })).toMatchObject({
      host: 'actors',
      hostReason: "host: 'actors' was asked for",
    });
    expect(simulate({ ...lock, reliable: true })).toMatchObject({
      host: 'actors',
      hostReason: 'the reliable link stands on RxJS channels',
    });
  });

  it('is actors where a machine cannot be compiled', () => {
    const wild = createMachine({
      invoke: { id: 'inner', src: fromCallback(() => {}) },
      on: { go: {} },
    });
    const result = simulate(going(wild));
    expect(result).toMatchObject({ host: 'actors', ended: 'quiescent', steps: 4 });
    expect(result.hostReason).toMatch(
      /^the machine of role 'node' invokes an actor in '.*', which is not compiled$/,
    );
    expect(() => simulate({ ...going(wild), host: 'compiled' })).toThrow(
      /cannot run on compiled machines: the machine of role 'node' invokes an actor/,
    );
  });

  it.each<[string, SimulationOptions]>([
    [
      'many callers, with faults, loss and duplication',
      {
        protocol: calls,
        topology: complete(101),
        workload: oneShot({ type: 'call' }, { after: { kind: 'uniform', least: 0, most: 20 } }),
        conditions: {
          loss: 0.2,
          duplication: 0.2,
          order: 'any',
          delay: { kind: 'uniform', least: 1, most: 9 },
        },
        faults: [{ kind: 'crash', node: 'n003', at: 4, restartAfter: 9 }],
        until: { steps: 3_000 },
      },
    ],
    [
      'many clients of a lock',
      { ...lock, topology: star(110), workload: closedLoop({ entries: 1 }) },
    ],
  ])('makes no difference for %s, whose contexts are not frozen', (_name, options) => {
    expect(bytes({ ...options, confirm: 'all' })).toBe(bytes({ ...options, host: 'actors' }));
  });

  it('makes no difference for random protocols', () => {
    const workload: Workload = ({ nodes, later, tell }) => {
      for (const { id } of nodes)
        later({ kind: 'uniform', least: 0, most: 30 }, () => tell(id, { type: 'go' }));
      return () => {};
    };
    let unhandled = 0;
    const equal = fc.property(randomProtocol, fc.integer(), (protocol, seed) => {
      const conditions = {
        order: 'any',
        delay: { kind: 'exponential', mean: 4 },
        loss: 0.1,
        duplication: 0.1,
      } as const;
      const faults = [{ kind: 'crash', node: 'a', at: 9, restartAfter: 5 }] as const;
      const options = {
        protocol,
        topology: complete(3),
        seed,
        conditions,
        faults,
        workload,
        record: true,
        until: { steps: 60 },
      } as const;
      const run = bytes({ ...options, host: 'compiled', confirm: 'all' });
      if (run.includes('does not handle')) unhandled++;
      return run === bytes({ ...options, host: 'actors' });
    });
    fc.assert(equal, { numRuns: 60, seed: 13 });
    expect(unhandled).toBeGreaterThan(5);
  });
});

describe('the confirmation of compiled steps', () => {
  it('repeats one step in about a thousand, or all, and changes nothing', () => {
    const long: SimulationOptions = {
      ...lock,
      workload: closedLoop({ entries: 1_000, nodes: ['b', 'c'] }),
    };
    const { steps, confirmed = 0 } = simulate(long);
    expect(steps).toBeGreaterThan(10_000);
    expect(Math.abs(confirmed - steps / 1_000)).toBeLessThan(5);
    expect(bytes(lock)).toBe(bytes({ ...lock, confirm: 'all' }));
    const all = simulate({ ...lock, confirm: 'all' });
    expect(all.confirmed).toBe(all.steps);
  });

  it('refuses a machine that remembers outside of its context', () => {
    let count = 0;
    const counter = node.createMachine({
      context: ({ input }) => ({ ...input, n: 0 }),
      on: { go: { actions: [assign(() => ({ n: ++count }))] } },
    });
    expect(() => simulate({ ...going(counter), confirm: 'all' })).toThrow(
      /Node [ab] takes the same step differently when it is repeated: context\.n was 1 and became 3/,
    );
  });
});
