/**
 * Every simulated run is a run of the explored system: the two hosts agree, in untimed and in exact
 * time.
 */
import { assertRuns, isWhole, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calls, cards, centralLock } from '../../protocol/examples.contract.js';
import type { NodeId } from '../../protocol/node.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { TimeModel } from '../../protocol/time.js';
import { simulate } from '../../simulation/simulate.js';
import { closedLoop, oneShot } from '../../simulation/workload.js';
import { chain, complete, ring, star } from '../../topology/generators.js';
import type { Topology } from '../../topology/topology.js';
import { randomProtocol } from '../fixtures/random-protocol.contract.js';
import { follow } from './follow.js';

interface Run {
  readonly least: number;
  readonly most: number;
  readonly seed: number;
  readonly order: 'fifo' | 'any';
  readonly loss?: number;
  readonly duplication?: number;
  readonly drift?: number;
  readonly crash?: { readonly node: NodeId; readonly at: number; readonly restartAfter: number };
}

function recorded(
  protocol: Protocol,
  topology: Topology,
  { least, most, seed, order, loss = 0, duplication = 0, drift = 0, crash }: Run,
  type: string,
) {
  const { trace } = simulate({
    protocol: {
      ...protocol,
      channels: { ...protocol.channels, order: 'any', loss: true, duplication: true },
      properties: [],
    },
    topology,
    conditions: { order, delay: { kind: 'uniform', least, most }, loss, duplication },
    drift,
    workload: oneShot({ type }, { after: { kind: 'uniform', least: 0, most: 20 } }),
    faults: crash ? [{ kind: 'crash', ...crash }] : [],
    until: { steps: 400 },
    seed,
    record: true,
  });
  if (!trace) throw new Error('record: true brings a trace');
  return trace;
}

const within = (least: number, most: number, drift = 0): TimeModel => ({
  kind: 'exact',
  delay: [least, most],
  drift,
});
const budget = { commands: 5, losses: 9, duplications: 9, crashes: 1, restarts: 1 };

describe('a simulated run', () => {
  const runs = fc.record({
    bounds: fc.constantFrom([0, 0], [0, 3], [2, 2], [3, 7], [8, 12]),
    seed: fc.integer({ min: 0, max: 1e6 }),
    order: fc.constantFrom('fifo' as const, 'any' as const),
    loss: fc.constantFrom(0, 0.2),
    duplication: fc.constantFrom(0, 0.2),
    drift: fc.constantFrom(0, 0.2),
    crash: fc.option(
      fc.record({
        node: fc.constantFrom('a', 'b'),
        at: fc.double({ min: 0, max: 20, noNaN: true }),
        restartAfter: fc.constantFrom(1, 7.5, 30),
      }),
      { nil: undefined },
    ),
  });

  it('of callers with loss, duplication, a crash and a restart is a run of the explorer in exact and in untimed time', () => {
    let steps = 0;
    assertRuns(
      fc.property(runs, ({ bounds: [least = 0, most = 0], crash, ...run }) => {
        const trace = recorded(
          calls,
          complete(2),
          { ...run, least, most, ...(crash && { crash }) },
          'call',
        );
        for (const time of [within(least, most, run.drift), 'untimed'] as const)
          steps += follow(calls, complete(2), trace, { ...budget, order: run.order, time }).steps;
      }),
      8,
      80,
      1,
    );
    if (isWhole) expect(steps).toBeGreaterThan(500);
  });

  it('of a random protocol with timers and choices is a run of the explorer in exact time', () => {
    let timeouts = 0;
    assertRuns(
      fc.property(
        randomProtocol,
        fc.constantFrom(complete(2), ring(3), chain(3)),
        runs,
        (protocol, topology, { bounds: [least = 0, most = 0], crash: _, ...run }) => {
          const trace = recorded(protocol, topology, { ...run, least, most }, 'go');
          expect(
            follow(protocol, topology, trace, {
              ...budget,
              order: run.order,
              time: within(least, most, run.drift),
            }),
          ).toMatchObject({
            steps: trace.lines.length,
          });
          timeouts += trace.lines.filter(({ event }) => event.kind === 'timeout').length;
        },
      ),
      8,
      80,
      1,
    );
    if (isWhole) expect(timeouts).toBeGreaterThan(50);
  });

  it('of a lock, and of nodes that choose at their start, is one as well', () => {
    const { trace = never() } = simulate({
      protocol: centralLock,
      topology: star(4),
      conditions: { order: 'any', delay: { kind: 'uniform', least: 1, most: 9 } },
      workload: closedLoop({ entries: 3 }),
      seed: 5,
      record: true,
    });
    expect(
      follow(centralLock, star(4), trace, { commands: 3, order: 'any', time: within(1, 9) }).steps,
    ).toBeGreaterThan(40);
    const played = simulate({
      protocol: cards,
      topology: complete(2),
      workload: oneShot({ type: 'play' }),
      seed: 2,
      record: true,
    });
    expect(follow(cards, complete(2), played.trace ?? never(), {}).steps).toBeGreaterThan(3);
  });
});

const never = () => {
  throw new Error('record: true brings a trace');
};

describe('follow refuses', () => {
  const trace = recorded(calls, complete(2), { least: 4, most: 6, seed: 3, order: 'any' }, 'call');

  it.each([
    ['a run that is faster than the model', within(7, 9)],
    ['a run that is slower than the model', within(0, 3)],
  ])('%s', (_what, time) => {
    expect(() => follow(calls, complete(2), trace, { ...budget, order: 'any', time })).toThrow(
      /^Line \d+, '.*' is not possible: /,
    );
  });

  proof('a run whose clocks drift more than those of the model', () => {
    const drifted = (seed: number) =>
      recorded(
        calls,
        complete(2),
        { least: 30, most: 40, seed, order: 'fifo', drift: 0.5 },
        'call',
      );
    const refused = [1, 2, 3, 4, 5, 6].filter((seed) => {
      expect(() =>
        follow(calls, complete(2), drifted(seed), {
          ...budget,
          order: 'fifo',
          time: within(30, 40, 0.5),
        }),
      ).not.toThrow();
      try {
        follow(calls, complete(2), drifted(seed), {
          ...budget,
          order: 'fifo',
          time: within(30, 40, 0.1),
        });
        return false;
      } catch {
        return true;
      }
    });
    expect(refused.length).toBeGreaterThan(3);
  });

  it('a run with more commands than the budget, and says what is possible', () => {
    expect(() => follow(calls, complete(2), trace, { commands: 0 })).toThrow(
      'call  idle → calling',
    );
  });

  it('in exact time a run without times', () => {
    const lines = trace.lines.map(({ time: _, ...line }) => line);
    expect(() => follow(calls, complete(2), { ...trace, lines }, { time: within(4, 6) })).toThrow(
      'has no time',
    );
  });

  it('a run with a cut in one direction', () => {
    const lines = [
      { time: 0, node: 'a', event: { kind: 'cut', from: 'b' }, effects: [] } as const,
      ...trace.lines,
    ];
    expect(() => follow(calls, complete(2), { ...trace, lines }, {})).toThrow(
      'this cut is no split of the network into two parts',
    );
  });
});
