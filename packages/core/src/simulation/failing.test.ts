/** The effect of faults on a run. */
import { describe, expect, it } from 'vitest';
import { calls, cards, centralLock } from '../protocol/examples.contract.js';
import { complete, star } from '../topology/generators.js';
import { parseTrace } from '../trace/parse.js';
import { replay } from '../trace/replay.js';
import { linesText, traceText } from '../trace/trace.js';
import type { Fault } from './faults.js';
import type { SimulationOptions } from './options.js';
import { Simulation, simulate } from './simulate.js';
import { closedLoop, oneShot, type Workload } from './workload.js';

/** Commands `who` to call at each of these times. */
const callsAt =
  (who: string, ...times: readonly number[]): Workload =>
  ({ later, tell }) => {
    for (const ms of times) later({ kind: 'fixed', ms }, () => tell(who, { type: 'call' }));
    return () => {};
  };

const network = complete(2);
const calling: SimulationOptions = {
  protocol: calls,
  topology: network,
  conditions: { delay: { kind: 'fixed', ms: 2 } },
};

/** The lines of a recorded run; checks that it parses back and replays. */
function lines(options: SimulationOptions): string[] {
  const { trace } = simulate({ ...options, record: true });
  if (!trace) throw new Error('record: true brings a trace');
  expect(replay(options.protocol, options.topology, parseTrace(traceText(trace)))).toEqual({
    steps: trace.lines.length,
  });
  return linesText(trace.lines)
    .split('\n')
    .map((line) => line.trim().replaceAll(/ {2,}/g, '  '))
    .filter(Boolean);
}

describe('a crash', () => {
  const crash: Fault = { kind: 'crash', node: 'a', at: 3, restartAfter: 7, inside: false };

  it('clears timers and state, except stable fields; messages that arrive meanwhile are lost', () => {
    expect(lines({ ...calling, workload: callsAt('a', 0, 20), faults: [crash] })).toEqual([
      '0.000ms  a  call  idle → calling  ⇒ b: ping(1), start ring.(machine).calling 10ms',
      '2.000ms  b  ping(1) from a  idle  ⇒ a: pong(1)',
      '3.000ms  a  crash',
      '4.000ms  a  drop pong(1) from b',
      '10.000ms  a  restart  idle',
      '20.000ms  a  call  idle → calling  ⇒ b: ping(2), start ring.(machine).calling 10ms',
      '22.000ms  b  ping(2) from a  idle  ⇒ a: pong(2)',
      '24.000ms  a  pong(2) from b  calling → idle  ⇒ cancel ring.(machine).calling, notify answered',
    ]);
  });

  it('may be permanent: the node ignores the application, and the run becomes quiescent', () => {
    expect(
      simulate({
        ...calling,
        workload: callsAt('a', 0, 20),
        faults: [{ kind: 'crash', node: 'a', at: 3, inside: false }],
      }),
    ).toMatchObject({
      lost: 1,
      delivered: 1,
      messages: { ping: 1, pong: 1 },
      ended: 'quiescent',
      virtualMs: 20,
    });
  });

  it('of a crashed node changes nothing', () => {
    const once = simulate({ ...calling, workload: callsAt('a', 0, 20), faults: [crash] });
    const twice = simulate({
      ...calling,
      workload: callsAt('a', 0, 20),
      faults: [crash, { ...crash, at: 5, restartAfter: 100 }],
    });
    expect(twice).toEqual(once);
  });

  it('may come again after the restart', () => {
    const again = lines({ ...calling, faults: [crash, { ...crash, at: 12, restartAfter: 0 }] });
    expect(again).toEqual([
      '3.000ms  a  crash',
      '10.000ms  a  restart  idle',
      '12.000ms  a  crash',
      '12.000ms  a  restart  idle',
    ]);
  });

  it('is visible to properties immediately: no tags, not live', () => {
    const simulation = new Simulation({
      ...calling,
      workload: callsAt('a', 0),
      faults: [{ kind: 'crash', node: 'a', at: 1, inside: false }],
    });
    const waiting: number[] = [];
    simulation.snapshots$.subscribe(() => waiting.push(simulation.system.count('waiting')));
    simulation.run();
    expect(waiting).toEqual([0, 0, 1, 0]);
    expect([simulation.system.live, simulation.system.node('a').crashed]).toEqual([1, true]);
  });

  it('of a node in its critical section ends its stay, and the requests of its loop', () => {
    const options: SimulationOptions = {
      protocol: centralLock,
      topology: star(2),
      workload: closedLoop({ entries: 3, think: { kind: 'fixed', ms: 0 }, nodes: ['b'] }),
      faults: [{ kind: 'crash', node: 'b', at: 4, restartAfter: 50, inside: false }],
    };
    expect(simulate(options).exclusion.entries).toEqual([
      { node: 'b', requestedAt: 0, enteredAt: 2, leftAt: 4 },
    ]);
  });

  it('and a restart run the entry actions again, with their choices', () => {
    const start = lines({
      protocol: cards,
      topology: network,
      faults: [{ kind: 'crash', node: 'b', at: 5, restartAfter: 1 }],
    });
    expect(
      start
        .filter((line) => / b {2}(restart|chosen)/.test(line))
        .map((line) => line.replace(/\d+\.000ms {2}/, '')),
    ).toEqual([
      expect.stringMatching(/^b {2}chosen [12] .*⇒ a: drew/),
      expect.stringMatching(/^b {2}restart .*⇒ choose 1 \| 2$/),
      expect.stringMatching(/^b {2}chosen [12] .*⇒ a: drew/),
    ]);
  });
});

describe('a partition', () => {
  it('cuts and heals the channels between its groups, in both directions', () => {
    const faults: readonly Fault[] = [
      { kind: 'partition', groups: [['a'], ['b']], at: 1, until: 15 },
    ];
    expect(lines({ ...calling, workload: callsAt('a', 0), faults })).toEqual([
      '0.000ms  a  call  idle → calling  ⇒ b: ping(1), start ring.(machine).calling 10ms',
      '1.000ms  b  cut from a',
      '1.000ms  a  cut from b',
      '2.000ms  b  drop ping(1) from a',
      '10.000ms  a  timeout ring.(machine).calling  calling  ⇒ b: ping(1), start ring.(machine).calling 10ms',
      '10.000ms  b  drop ping(1) from a',
      '15.000ms  b  heal from a',
      '15.000ms  a  heal from b',
      '20.000ms  a  timeout ring.(machine).calling  calling → idle  ⇒ notify gave-up(2)',
    ]);
  });

  it('that overlaps another cuts the channels of both', () => {
    const faults: readonly Fault[] = [
      { kind: 'partition', groups: [['a'], ['b']], at: 0, until: 10 },
      { kind: 'partition', groups: [['a'], ['b']], at: 5, until: 30 },
    ];
    const sent = (at: number) =>
      simulate({ ...calling, workload: callsAt('a', at), faults }).lost > 0;
    expect([1, 7, 12, 25, 31].map(sent)).toEqual([true, true, true, true, false]);
  });

  it('does not affect nodes outside its groups, and may be permanent', () => {
    const options: SimulationOptions = {
      protocol: calls,
      topology: complete(3),
      workload: callsAt('c', 1, 50),
      faults: [{ kind: 'partition', groups: [['a'], ['b']], at: 0 }],
    };
    expect(simulate(options)).toMatchObject({ lost: 0, delivered: 4 });
    expect(simulate({ ...options, workload: callsAt('a', 1) })).toMatchObject({
      lost: 2,
      delivered: 0,
    });
  });
});

describe('changing conditions', () => {
  it('apply from their time on, and do not change other channels', () => {
    const faults: readonly Fault[] = [
      { kind: 'conditions', at: 10, change: { delay: { kind: 'fixed', ms: 4 } } },
      { kind: 'conditions', at: 100, change: { loss: 1 } },
    ];
    const simulation = new Simulation({ ...calling, workload: callsAt('a', 0, 20, 200), faults });
    const times: number[] = [];
    simulation.messages$.subscribe(({ time }) => times.push(time));
    expect(simulation.run()).toMatchObject({ lost: 2 });
    expect(times).toEqual([2, 4, 24, 28]);
  });

  it('can be made by an observer', () => {
    const simulation = new Simulation({ ...calling, workload: callsAt('a', 0) });
    simulation.messages$.subscribe(() => simulation.change({ loss: 1 }));
    expect(simulation.run()).toMatchObject({ delivered: 1, lost: 2 });
    expect(() => simulation.change({ loss: 3 })).toThrow('loss is 3. Give a number from 0 to 1.');
  });

  it('may duplicate and reorder, which a protocol must then tolerate', () => {
    const conditions = {
      order: 'any',
      duplication: 0.5,
      loss: 0.2,
      delay: { kind: 'uniform', least: 1, most: 9 },
    } as const;
    for (let seed = 0; seed < 20; seed++) {
      const found = lines({
        ...calling,
        conditions,
        seed,
        workload: callsAt('a', 0, 60, 120, 180),
      });
      expect(found.some((line) => /drop|duplicate/.test(line))).toBe(true);
    }
  });

  it('at time 0 are at their place in the trace, also between a choice and its answer', () => {
    let drops = 0;
    for (let seed = 0; seed < 30; seed++) {
      const found = lines({
        protocol: cards,
        topology: complete(3),
        conditions: { loss: 0.3, duplication: 0.2 },
        seed,
        workload: oneShot({ type: 'play' }),
      });
      drops += found.filter((line) => line.includes(' drop ')).length;
    }
    expect(drops).toBeGreaterThan(50);
  });
});

describe('the probability of a fault', () => {
  it('decides by the seed whether it happens at all', () => {
    const crashes = (probability: number) =>
      Array.from({ length: 200 }, (_, seed) => {
        const simulation = new Simulation({
          ...calling,
          seed,
          faults: [{ kind: 'crash', node: 'a', at: 1, probability }],
        });
        simulation.run();
        return simulation.system.node('a').crashed;
      }).filter(Boolean).length;
    expect([crashes(0), crashes(1)]).toEqual([0, 200]);
    expect(Math.abs(crashes(0.3) - 60)).toBeLessThan(4 * Math.sqrt(200 * 0.3 * 0.7));
  });

  it('does not change the delays of messages', () => {
    const times = (probability: number) => {
      const conditions = { delay: { kind: 'exponential', mean: 5 } } as const;
      const faults: readonly Fault[] = [{ kind: 'crash', node: 'b', at: 1e6, probability }];
      const simulation = new Simulation({
        ...calling,
        conditions,
        workload: callsAt('a', 0, 100, 200),
        faults,
      });
      const seen: number[] = [];
      simulation.messages$.subscribe(({ time }) => seen.push(time));
      simulation.run();
      return seen;
    };
    expect(times(0)).toEqual(times(1));
    expect(times(0).length).toBeGreaterThan(3);
  });
});

it('a protocol whose waiting fails, or answers no boolean, is named', () => {
  const run = (waiting: () => boolean) => () =>
    simulate({ ...calling, protocol: { ...calls, waiting }, workload: callsAt('a', 0) });
  const fails = () => {
    throw new TypeError('queue is undefined');
  };
  expect(run(fails)).toThrow(/^Property 'waiting' fails: queue is undefined/);
  expect(run(() => 1 as never)).toThrow("Property 'waiting' answers 1, which is neither true nor");
});
