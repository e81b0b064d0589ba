import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { increases } from '@conclave/core/protocol';
import { closedLoop } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { failingOverReliable } from '../../../contract/sweep.js';
import { ignoringUnexpected } from '../../ignoring-unexpected.contract.js';
import { tokensGrow } from '../../mutual-exclusion.js';
import { entry, handled, outcomeOf, quiescence } from '../../outcome.contract.js';
import { isInterval, overlap } from './interval-reservation.js';
import { intervalReservation } from './protocol.js';

const plain = intervalReservation();
const acquire = (from: number, to: number) =>
  ({ type: 'acquire', interval: { from, to } }) as const;
const early = acquire(9, 11);
const middle = acquire(10, 12);
const late = acquire(11, 13);
/** Of these three, `middle` conflicts with both others, which may be held at once. */
const three = [early, middle, late];

const noConflict = 'no two conflicting intervals are held at once';
const numbers = 'of two conflicting reservations the waiting one has the larger fencing token';
const allHold = Object.fromEntries(
  [noConflict, entry, numbers, handled, quiescence].map((name) => [name, 'holds']),
);

describe('interval-reservation assumptions', () => {
  it('a relation that is not symmetric lets both hold intervals that conflict for one of them', () => {
    const lopsided = intervalReservation({
      conflicts: (one, other) => overlap(one, other) && one.from <= other.from,
    });
    expect(outcomeOf(lopsided, complete(2), { inputs: [early, middle] })).toMatchObject({
      states: 1_084,
      verdicts: { ...allHold, [noConflict]: 'violated in 6', [numbers]: 'violated in 4' },
    });
  });

  it('one lost message breaks liveness, not safety', () => {
    expect(outcomeOf(plain, complete(2), { inputs: [early, middle], losses: 1 })).toMatchObject({
      states: 1_577,
      verdicts: { ...allHold, [entry]: 'violated in 2', [quiescence]: 'violated in 4' },
    });
  });

  proof('a crash breaks liveness, not safety', () => {
    expect(outcomeOf(plain, complete(2), { inputs: [early, middle], crashes: 1 })).toMatchObject({
      states: 3_939,
      verdicts: { ...allHold, [entry]: 'violated in 2', [quiescence]: 'violated in 4' },
    });
  });

  proof('a reliable link compensates loss, duplication and reordering', () => {
    const workload = () => closedLoop({ entries: 3, inputs: three });
    expect(failingOverReliable(plain, complete(4), 50, workload)).toEqual([]);
  });
});

describe('interval-reservation fencing', () => {
  const { fence = () => 0 } = plain;
  /** Two of the three intervals conflict exactly if one of these hours is in both. */
  const hours = [9, 10, 11, 12].map((hour) =>
    increases(
      `each reservation of ${hour} to ${hour + 1} has a larger fencing token than every one before it`,
      (node) => {
        const { interval } = node.context;
        return node.tags.has('critical') &&
          isInterval(interval) &&
          overlap(interval, { from: hour, to: hour + 1 })
          ? fence(node)
          : undefined;
      },
    ),
  );
  const verdicts = (n: number, budget: ExploreOptions) => {
    const { complete: whole, properties } = explore(ignoringUnexpected(plain), complete(n), {
      ...budget,
      properties: [...hours, tokensGrow(fence)],
    });
    expect(whole).toBe(true);
    return properties
      .slice(0, 5)
      .map(({ verdict, trace }) => (trace ? `${verdict} in ${trace.lines.length}` : verdict));
  };
  const hold = ['holds', 'holds', 'holds', 'holds'];

  proof(
    'of two conflicting reservations the later one has the larger fencing token; of others it need not',
    () => {
      expect(verdicts(2, { inputs: three })).toEqual([...hold, 'violated in 6']);
      expect(verdicts(3, { inputs: [early, late], initiators: ['a', 'b'] })).toEqual([
        ...hold,
        'violated in 10',
      ]);
    },
  );

  it('a lost message or a crash keeps that order; a node that restarts with its clock at 0 breaks it', () => {
    for (const fault of [{ losses: 1 }, { crashes: 1 }])
      expect(verdicts(2, { inputs: [early, middle], ...fault }).slice(0, 4)).toEqual([
        'holds',
        'holds',
        'holds',
        'vacuous',
      ]); // no node requests the last hour
    expect(verdicts(2, { inputs: [early, middle], crashes: 1, restarts: 1 })[1]).toBe(
      'violated in 8',
    );
  });
});
