/** Nodes whose clocks drift: how long their timers take, the same on both hosts. */
import { describe, expect, it } from 'vitest';
import { calls } from '../protocol/examples.contract.js';
import { complete } from '../topology/generators.js';
import { traceText } from '../trace/trace.js';
import type { SimulationOptions } from './options.js';
import { simulate } from './simulate.js';
import { oneShot } from './workload.js';

const options: SimulationOptions = {
  protocol: { ...calls, channels: { ...calls.channels, loss: true } },
  topology: complete(4),
  workload: oneShot({ type: 'call' }),
  conditions: { loss: 1 },
  record: true,
};
const linesOf = (more: Partial<SimulationOptions>) =>
  simulate({ ...options, ...more }).trace?.lines ?? [];

/** By node: how long its first timer and its second one took; each is armed for 10 ms. */
function durations(more: Partial<SimulationOptions>): readonly (readonly number[])[] {
  const lines = linesOf(more);
  return ['a', 'b', 'c', 'd'].map((id) => {
    const times = lines.flatMap(({ node, time = NaN, event }) =>
      node === id && ['command', 'timeout'].includes(event.kind) ? [time] : [],
    );
    return times.slice(1).map((time, index) => time - (times[index] ?? NaN));
  });
}

describe('the timers of nodes', () => {
  it('take exactly their time without drift', () => {
    expect(durations({})).toEqual([1, 2, 3, 4].map(() => [10, 10]));
    expect(linesOf({ drift: 0 })).toEqual(linesOf({}));
  });

  it('take as much longer or shorter as the clock of their node drifts, within the bound, by the seed', () => {
    const factors = [1, 2, 3, 4, 5].flatMap((seed) =>
      durations({ drift: 0.2, seed }).map(([first = NaN, second = NaN]) => {
        expect(second).toBeCloseTo(first, 9);
        return first / 10;
      }),
    );
    expect(new Set(factors).size).toBe(20);
    expect(Math.min(...factors)).toBeGreaterThanOrEqual(0.8);
    expect(Math.min(...factors)).toBeLessThan(0.87);
    expect(Math.max(...factors)).toBeLessThanOrEqual(1.2);
    expect(Math.max(...factors)).toBeGreaterThan(1.13);
    expect(durations({ drift: 0.2, seed: 3 })).toEqual(durations({ drift: 0.2, seed: 3 }));
  });

  it('are the same on both hosts, also after a restart', () => {
    for (const seed of [1, 2, 3]) {
      const run = (host: 'compiled' | 'actors') =>
        simulate({
          ...options,
          seed,
          drift: 0.3,
          conditions: { loss: 0.5 },
          faults: [{ kind: 'crash', node: 'b', at: 5, restartAfter: 3 }],
          host,
        });
      const [compiled, actors] = [run('compiled').trace, run('actors').trace];
      expect(compiled && traceText(compiled)).toBe(actors && traceText(actors));
    }
  });

  it('change no draw of the channels', () => {
    const first = (drift: number) =>
      linesOf({
        drift,
        seed: 4,
        conditions: { loss: 0.5, delay: { kind: 'uniform', least: 1, most: 3 } },
      });
    const early = (drift: number) => first(drift).filter(({ time = 0 }) => time < 3);
    expect(early(0.1)).toEqual(early(0));
  });

  it.each([-0.1, 1, NaN])('refuses a drift of %s', (drift) => {
    expect(() => simulate({ ...options, drift })).toThrow(
      `simulate: drift is ${drift}. Give a number from 0 to below 1, in whole millionths.`,
    );
  });
});
