import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { increases, type Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { withoutSteps } from '../../../contract/without-steps.js';
import { forgiving } from '../../ignoring-unexpected.contract.js';
import { fenced } from '../../mutual-exclusion.js';
import { isInterval, overlap } from './interval.js';
import { intervalReservation } from './protocol.js';

const plain = intervalReservation();
const acquire = (from: number, to: number) => ({ type: 'acquire', interval: { from, to } }) as const;
const early = acquire(9, 11);
const middle = acquire(10, 12);
const late = acquire(11, 13);
/** Of these three, `middle` conflicts with both others, which may be held at once. */
const three = [early, middle, late];

describe('interval-reservation assumptions', () => {
  const dropped = (protocol: Protocol, n: number, budget: ExploreOptions) => {
    const found = explore(withoutSteps(protocol), complete(n), budget);
    expect(found.complete).toBe(true);
    const [safe, served, , numbers, handled, rest] = found.properties.map(({ verdict, trace }) => {
      if (verdict === 'violated') expect(trace && replay(protocol, complete(n), trace)).toEqual({ steps: trace?.lines.length });
      return verdict === 'violated' ? `violated in ${trace?.lines.length}` : verdict;
    });
    return { states: found.states, safe, served, numbers, handled, rest };
  };

  it('a relation that is not symmetric lets both have what one of them thinks conflicts', () => {
    const lopsided = intervalReservation({ conflicts: (one, other) => overlap(one, other) && one.from <= other.from });
    expect(dropped(lopsided, 2, { inputs: [early, middle] })).toEqual({
      states: 1_084,
      safe: 'violated in 6',
      served: 'holds',
      numbers: 'violated in 4',
      handled: 'holds',
      rest: 'holds',
    });
  });

  it('one lost message breaks liveness, not safety', () => {
    expect(dropped(plain, 2, { inputs: [early, middle], losses: 1 })).toEqual({
      states: 1_577,
      safe: 'holds',
      served: 'violated in 2',
      numbers: 'holds',
      handled: 'holds',
      rest: 'violated in 4',
    });
  });

  it('a node that crashes stops everybody else; no conflicting intervals are held', () => {
    expect(dropped(plain, 2, { inputs: [early, middle], crashes: 1 })).toEqual({
      states: 3_443,
      safe: 'holds',
      served: 'violated in 2',
      numbers: 'holds',
      handled: 'holds',
      rest: 'violated in 3',
    });
  });

  it('a reliable link below makes up for loss, doubling and overtaking', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { properties } = simulate({
        protocol: plain,
        topology: complete(4),
        conditions: { order: 'any', loss: 0.1, duplication: 0.1, delay: { kind: 'uniform', least: 1, most: 20 } },
        workload: closedLoop({ entries: 3, inputs: three }),
        reliable: true,
        seed,
      });
      expect(new Set(properties.map(({ verdict }) => verdict))).toEqual(new Set(['holds', 'reached']));
    }
  });
});

describe('interval-reservation fencing', () => {
  const { fence = () => 0 } = plain;
  /** Two of the three intervals conflict exactly if one of these hours is in both. */
  const hours = [9, 10, 11, 12].map((hour) =>
    increases(`whoever gets ${hour} to ${hour + 1} has a larger number than all that had it before`, (node) => {
      const { interval } = node.context;
      return node.tags.has('critical') && isInterval(interval) && overlap(interval, { from: hour, to: hour + 1 }) ? fence(node) : undefined;
    }),
  );
  const verdicts = (n: number, budget: ExploreOptions) => {
    const { complete: whole, properties } = explore(forgiving(plain), complete(n), {
      ...budget,
      properties: [...hours, fenced(fence)],
    });
    expect(whole).toBe(true);
    return properties.slice(0, 5).map(({ verdict, trace }) => (trace ? `${verdict} in ${trace.lines.length}` : verdict));
  };
  const hold = ['holds', 'holds', 'holds', 'holds'];

  it('of two conflicting reservations the later one has the larger number; of others it need not', () => {
    expect(verdicts(2, { inputs: three })).toEqual([...hold, 'violated in 6']);
    expect(verdicts(3, { inputs: [early, late], initiators: ['a', 'b'] })).toEqual([...hold, 'violated in 10']);
  });

  it('a lost message or a crash does it no harm; a node that comes back with its clock at 0 does', () => {
    for (const fault of [{ losses: 1 }, { crashes: 1 }])
      expect(verdicts(2, { inputs: [early, middle], ...fault }).slice(0, 4)).toEqual(['holds', 'holds', 'holds', 'vacuous']); // nobody wants the last hour
    expect(verdicts(2, { inputs: [early, middle], crashes: 1, restarts: 1 })[1]).toBe('violated in 8');
  });
});
