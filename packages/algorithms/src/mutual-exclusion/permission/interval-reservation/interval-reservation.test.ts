import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { optionalCommands, start } from '@conclave/core/internal';
import {
  atMost,
  increases,
  type LocalState,
  type Protocol,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { closedLoop } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { costOf, expectBounds } from '../../../contract/cost.contract.js';
import { propertyNamed } from '../../../contract/findings.contract.js';
import { mutantOf, ofWholes, takeAll, withMachine } from '../../../contract/machines.contract.js';
import { failingOverReliable } from '../../../contract/sweep.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { tokensGrow } from '../../mutual-exclusion.js';
import {
  entry,
  everyMessageHandled,
  exclusion,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../outcome.contract.js';
import {
  compatibleUnder,
  type Event,
  type Interval,
  isInterval,
  machine,
  overlap,
} from './interval-reservation.js';
import { madeToken, oneMadeToken } from './made-token.contract.js';
import { intervalReservation } from './protocol.js';

const plain = intervalReservation();
const acquire = (from: number, to: number) =>
  ({ type: 'acquire', interval: { from, to } }) as const;
const early = acquire(9, 11);
const middle = acquire(10, 12);
const late = acquire(11, 13);
/** Of these three, `middle` conflicts with both others, which may be held at once. */
const three = [early, middle, late];
const noConflict = 'no two nodes hold conflicting intervals at once';
const largerToken = 'of two conflicting reservations the waiting one has the larger fencing token';
/** Without the property of fencing tokens, which the mutants violate first. */
const unfenced = {
  ...plain,
  properties: ofWholes(plain.properties).filter(({ name }) => name !== largerToken),
};
const mutant = mutantOf(unfenced);

mutualExclusionContract({
  protocol: plain,
  topologies: [2, 3, 4, 5].map((n) => complete(n)),
  small: [
    { topology: complete(2), budget: { inputs: [early, late] } },
    { topology: complete(3), budget: { inputs: [middle], initiators: ['a', 'b'] } },
  ],
  explored: [
    [complete(2), {}, 315],
    [complete(2), { inputs: three }, 19_610],
    // Exactly as many as Ricart–Agrawala: where all request the same interval, it is the same
    // algorithm.
    [complete(3), { inputs: [early] }, 6_644],
    [complete(4), { inputs: [early, late], initiators: ['a', 'b'] }, 170_909],
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  mutants: {
    'only an interval within the own one conflicts': mutant(
      `complete:2, 6 steps: ${noConflict}`,
      machine.provide({
        guards: {
          compatible: compatibleUnder((one, other) => one.from <= other.from && other.to <= one.to),
        },
      }),
    ),
  },
});

describe('interval-reservation rules', () => {
  const first = (): LocalState => start(machine, 'b', { self: 'b', peers: ['a', 'c'] }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'b', state, events);
  const request = (
    from: string,
    ts: number,
    { interval }: { interval: { from: number; to: number } },
  ): Event => ({ type: 'request', ts, interval, from });
  const wanted = () => after(first(), early).state;
  const held = () =>
    after(wanted(), { type: 'reply', from: 'a' }, { type: 'reply', from: 'c' }).state;

  it('[IR1] stamps the request and sends it with the interval to every peer', () => {
    const { state, effects } = after(first(), early);
    expect(effects).toEqual(
      ['a', 'c'].map((peer) =>
        send(peer, { type: 'request', ts: 1, interval: { from: 9, to: 11 } }),
      ),
    );
    expect(state).toMatchObject({
      value: 'wanted',
      context: { requestedAt: 1, interval: early.interval, awaiting: ['a', 'c'] },
    });
  });

  it('[IR2] replies at once while released, to a request without conflict in any state, and to an older one while wanted', () => {
    for (const [state, event] of [
      [first(), request('a', 5, middle)],
      [wanted(), request('a', 5, late)],
      [held(), request('a', 5, late)],
      [wanted(), request('a', 1, middle)],
    ] as const) {
      const { state: next, effects } = after(state, event);
      expect(effects).toEqual([send('a', { type: 'reply' })]);
      expect(next.context.deferred).toEqual([]);
    }
  });

  it('[IR3] defers a conflicting request: a younger one while wanted, every one while held', () => {
    for (const [state, ts] of [
      [wanted(), 5],
      [held(), 1],
    ] as const) {
      const { state: next, effects } = after(state, request('c', ts, middle));
      expect(effects).toEqual([]);
      expect(next.context.deferred).toEqual(['c']);
    }
  });

  it('[IR4] holds the interval when the last reply arrives, not before', () => {
    expect(after(wanted(), { type: 'reply', from: 'a' }).state.value).toBe('wanted');
    expect(held().value).toBe('held');
  });

  it('[IR5] replies to the deferred requests when it gives the interval back, and clears them', () => {
    const { state, effects } = after(held(), request('c', 2, middle), request('a', 2, late), {
      type: 'release',
    });
    expect(effects).toEqual([send('c', { type: 'reply' })]);
    expect(state).toMatchObject({ value: 'released', context: { deferred: [] } });
  });
});

describe('interval-reservation', () => {
  /** Each node requests its own interval, and ignores that of the command. */
  const each = (
    protocol: Protocol,
    intervals: Readonly<Record<string, { readonly from: number; readonly to: number }>>,
  ) =>
    withMachine(
      protocol,
      machine.provide({
        actions: {
          stamp: assign(({ context }) => ({
            clock: context.clock + 1,
            requestedAt: context.clock + 1,
            interval: intervals[context.self] ?? { from: 0, to: 1 },
            awaiting: context.peers,
          })),
        },
      }),
    );
  const atOnce = sometimes(
    'two intervals are held at once',
    (system) => system.count('critical') === 2,
  );
  /** All other properties hold, in every interleaving. */
  const exploreAtOnce = (protocol: Protocol, options: ExploreOptions) => {
    const found = explore(protocol, complete(3), {
      ...options,
      properties: [...ofWholes(protocol.properties), atOnce],
    });
    expect(found.complete).toBe(true);
    const { verdict } = propertyNamed(found.properties, atOnce.name);
    const failed = found.properties.filter(
      (property) => property.verdict === 'violated' || property.verdict === 'incomplete',
    );
    expect(failed.map(({ name }) => name)).toEqual([]);
    return { states: found.states, atOnce: verdict };
  };

  it('three nodes request the early, the middle and the late interval: the early and the late are held at once', () => {
    const found = exploreAtOnce(
      each(plain, { a: early.interval, b: middle.interval, c: late.interval }),
      {},
    );
    expect(found).toEqual({ states: 9_645, atOnce: 'reached' });
  });

  it('a node that defers requests without a conflict violates a property', () => {
    const jealous = withMachine(plain, machine.provide({ guards: { compatible: () => false } }));
    const { properties } = explore(jealous, complete(2), { inputs: [early, late] });
    expect(
      properties
        .filter(({ verdict }) => verdict === 'violated')
        .map(({ name, trace }) => [name, trace?.lines.length]),
    ).toEqual([
      ['a request without a conflict with the receiver’s own interval gets its reply at once', 3],
    ]);
  });

  it('by default the explorer takes the path without a conflict, too', () => {
    const found = explore(plain, complete(2), { properties: [atOnce] });
    expect([found.properties[0]?.verdict, found.assumptions]).toEqual(['reached', []]);
    const first = explore(plain, complete(2), {
      inputs: optionalCommands(plain).slice(0, 1),
      properties: [atOnce],
    });
    expect([first.states, first.properties[0]?.verdict]).toEqual([35, 'unreached']);
    expect(first.assumptions).toEqual([
      "that 'acquire' comes only as acquire({from: 628, to: 737})",
    ]);
  });

  it('where everything conflicts, it is mutual exclusion', () => {
    const exclusive = intervalReservation({ conflicts: () => true });
    expect(exploreAtOnce(exclusive, { inputs: [early, late], initiators: ['a', 'b'] }).atOnce).toBe(
      'unreached',
    );
    expect(exploreAtOnce(plain, { inputs: [early, late], initiators: ['a', 'b'] }).atOnce).toBe(
      'reached',
    );
  });

  it('accepts another relation: an hour between two reservations', () => {
    const spaced = intervalReservation({
      conflicts: (one, other) => overlap(one, { from: other.from - 1, to: other.to + 1 }),
    });
    expect(exploreAtOnce(spaced, { inputs: [early, late], initiators: ['a', 'b'] }).atOnce).toBe(
      'unreached',
    );
  });
});

describe('interval-reservation cost', () => {
  it('is at most n−1 requests and n−1 replies per reservation in every interleaving, and this bound is reached', () => {
    const n = 3;
    const some = ['request', 'reply'].map((type) => atMost(n - 1, { per: 'acquire', of: [type] }));
    const all = atMost(2 * (n - 1), { per: 'acquire' });
    const less = atMost(2 * (n - 1) - 1, { per: 'acquire' });
    const budget = { inputs: [early, late], initiators: ['a', 'b'] };
    expectBounds(plain, complete(n), budget, [...some, all], [less]);
    expect(costOf(plain, n)).toEqual(all);
  });
});

const allHold = Object.fromEntries(
  [noConflict, entry, largerToken, everyMessageHandled, quiescence].map((name) => [name, 'holds']),
);

describe('interval-reservation assumptions', () => {
  it('a relation that is not symmetric lets both hold intervals that conflict for one of them', () => {
    const lopsided = intervalReservation({
      conflicts: (one, other) => overlap(one, other) && one.from <= other.from,
    });
    expect(outcomeOf(lopsided, complete(2), { inputs: [early, middle] })).toMatchObject({
      states: 1_084,
      verdicts: { ...allHold, [noConflict]: 'violated in 6', [largerToken]: 'violated in 4' },
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

  proof(
    'a lost message or a crash keeps that order; a node that restarts with its clock at 0 breaks it',
    () => {
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
    },
  );
});

const interval = fc
  .tuple(fc.nat(9), fc.integer({ min: 1, max: 5 }))
  .map(([from, length]): Interval => ({ from, to: from + length }));

it('intervals overlap where some moment is in both, in either order of the arguments', () => {
  fc.assert(
    fc.property(interval, interval, (one, other) => {
      const common = Array.from({ length: 20 }, (_, at) => at).some((at) =>
        [one, other].every(({ from, to }) => from <= at && at < to),
      );
      expect([overlap(one, other), overlap(other, one)]).toEqual([common, common]);
    }),
  );
});

it('intervals that only touch do not overlap', () => {
  expect(overlap({ from: 628, to: 737 }, { from: 737, to: 780 })).toBe(false);
});

it('an interval has a beginning and an end', () => {
  expect([{ from: 1, to: 2 }, { from: 1 }, null, 3].map(isInterval)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

describe('a token that is made on demand', () => {
  it('is one as long as one node asks at a time', () => {
    const { verdicts } = outcomeOf(madeToken, complete(3), { commands: 3, initiators: ['a'] });
    expect(verdicts).toMatchObject({ [exclusion]: 'holds', [oneMadeToken.name]: 'holds' });
  });

  it('is made twice where two nodes ask at once, after 6 steps: the page has the run', () => {
    const { verdicts, traces } = outcomeOf(madeToken, complete(2), {});
    expect(verdicts).toMatchObject({
      [exclusion]: 'violated in 6',
      [oneMadeToken.name]: 'violated in 6',
    });
    const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    expect(page).toContain(traces[oneMadeToken.name] ?? 'no trace');
  });
});
