import { describe, expect, it } from 'vitest';
import { createMachine, emit } from 'xstate';
import { calls, centralLock, minimalProtocol, withMachine } from '../protocol/examples.contract.js';
import { send } from '../protocol/node.js';
import { complete, ring, star } from '../topology/generators.js';
import * as needs from '../topology/needs.js';
import { replay } from '../trace/replay.js';
import type { SimulationOptions } from './options.js';
import { Simulation, simulate } from './simulate.js';
import { closedLoop, oneShot } from './workload.js';

const harsh = {
  loss: 0.3,
  duplication: 0.2,
  order: 'any',
  delay: { kind: 'exponential', mean: 5 },
} as const;
const lock: SimulationOptions = {
  protocol: centralLock,
  topology: star(4),
  conditions: harsh,
  workload: closedLoop({ entries: 5, nodes: ['b', 'c', 'd'] }),
};

describe('a reliable link below the protocol', () => {
  it('compensates loss, duplication and overtaking, at the cost of frames', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { trace, ...result } = simulate({ ...lock, seed, reliable: true, record: true });
      expect(result).toMatchObject({
        ended: 'quiescent',
        complete: true,
        messages: { request: 15, grant: 15, free: 15 },
        delivered: 45,
      });
      expect(
        result.properties.every(({ verdict }) => verdict === 'holds' || verdict === 'reached'),
      ).toBe(true);
      expect(result.frames).toBeGreaterThan(90);
      expect(Math.min(result.lost, result.duplicated)).toBeGreaterThan(5);
      expect(
        trace?.lines.some(({ event }) => event.kind === 'drop' || event.kind === 'duplicate'),
      ).toBe(false);
      expect(trace && replay(centralLock, star(4), trace)).toEqual({ steps: trace?.lines.length });
    }
    const bare = simulate({
      ...lock,
      workload: closedLoop({ entries: 1, nodes: ['b'] }),
      conditions: { loss: 1 },
    });
    expect([bare.frames, bare.violated]).toEqual([undefined, 'a waiting node enters']);
  });

  it('keeps the order of each channel', () => {
    const teller = createMachine({
      on: {
        go: { actions: ['one', 'two', 'three'].map((type) => emit(send('b', { type }))) },
        '*': {},
      },
    });
    const sent = { meaning: 'sent' };
    const protocol = minimalProtocol(teller, {
      messages: { one: sent, two: sent, three: sent },
      commands: { go: { kind: 'optional', meaning: 'go' } },
    });
    const received = (reliable: boolean, seed: number) => {
      const options = {
        protocol,
        topology: complete(2),
        workload: oneShot({ type: 'go' }, { nodes: ['a'] }),
        conditions: harsh,
        reliable,
        seed,
      };
      const simulation = new Simulation(options);
      const types: string[] = [];
      simulation.messages$.subscribe(({ message }) => types.push(message.type));
      simulation.run();
      return types.join();
    };
    const seeds = Array.from({ length: 30 }, (_, seed) => seed);
    expect(new Set(seeds.map((seed) => received(true, seed)))).toEqual(new Set(['one,two,three']));
    expect(new Set(seeds.map((seed) => received(false, seed))).size).toBeGreaterThan(5);
  });

  it('has an option for the retransmission timeout', () => {
    const frames = (retransmitAfter: number) =>
      simulate({ ...lock, reliable: { retransmitAfter } }).frames ?? 0;
    expect(frames(2)).toBeGreaterThan(frames(200));
  });

  it('lists each undelivered message once as in flight, however often it was sent', () => {
    const simulation = new Simulation({ ...lock, reliable: true });
    const counts: number[] = [];
    simulation.snapshots$.subscribe(() => counts.push(simulation.system.inFlight().length));
    simulation.run();
    // a free and the next request of each client
    expect(Math.max(...counts)).toBeLessThanOrEqual(6);
    expect([Math.max(...counts) > 0, counts.at(-1), simulation.system.inFlight()]).toEqual([
      true,
      0,
      [],
    ]);
  });

  it('starts again with a node that has crashed and restarted', () => {
    const options: SimulationOptions = {
      protocol: calls,
      topology: complete(2),
      conditions: { loss: 0.2 },
      reliable: true,
      workload: ({ later, tell }) => {
        for (const ms of [0, 50, 100])
          later({ kind: 'fixed', ms }, () => tell('a', { type: 'call' }));
        return () => {};
      },
      faults: [{ kind: 'crash', node: 'a', at: 51, restartAfter: 20 }],
      until: { time: 10_000 },
    };
    const { messages, ended, trace } = simulate({ ...options, record: true });
    expect(ended).toBe('quiescent');
    expect(messages.ping).toBeGreaterThanOrEqual(3);
    expect(trace?.lines.filter(({ event }) => event.kind === 'restart')).toHaveLength(1);
    expect(trace && replay(calls, complete(2), trace)).toEqual({ steps: trace?.lines.length });
  });

  it('throws the errors of nodes immediately', () => {
    const deaf = withMachine(
      calls,
      createMachine({
        on: { call: { actions: emit(send('b', { type: 'ping', n: 1 } as { type: string })) } },
      }),
    );
    const workload = oneShot({ type: 'call' }, { nodes: ['a'] });
    const { fault, ended, delivered } = simulate({
      protocol: deaf,
      topology: complete(2),
      reliable: true,
      workload,
    });
    expect(fault).toContain("does not handle 'ping' (from a)");
    expect({ ended, delivered }).toEqual({ ended: 'violation', delivered: 1 });
  });

  it('needs channels in both directions', () => {
    const protocol = minimalProtocol(createMachine({}), { topology: needs.oneWayRing });
    expect(() => simulate({ protocol, topology: ring(3), reliable: true })).toThrow(
      expect.objectContaining({
        code: 'bad-topology',
        message:
          'A reliable link needs channels both ways, and a→b has none back. Its acknowledgements need a channel back: take a network whose links go both ways, or, for a protocol that needs a one-way ring, leave out reliable and let its channels lose and duplicate nothing.',
      }),
    );
  });
});
