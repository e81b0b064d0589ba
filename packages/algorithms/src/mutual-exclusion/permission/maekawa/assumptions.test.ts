import { readFileSync } from 'node:fs';
import type { ExploreOptions } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { type LocalState, type Protocol, send } from '@conclave/core/protocol';
import {
  closedLoop,
  poisson,
  type SimulationResult,
  simulate,
  totalMessages,
  type Workload,
} from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign, enqueueActions } from 'xstate';
import { costOf, expectTight } from '../../../contract/cost.contract.js';
import { exploreCrashes, propertyNamed } from '../../../contract/findings.contract.js';
import { takeAll, withMachine } from '../../../contract/machines.contract.js';
import { failingOverReliable } from '../../../contract/sweep.contract.js';
import { cancelContract } from '../../cancel.contract.js';
import {
  allHold,
  entry,
  everyMessageHandled,
  exclusion,
  fencing,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../outcome.contract.js';
import { isOlder, type Request } from '../building-blocks/permissions.js';
import { type QuorumKind, quorumSets } from '../building-blocks/quorum-sets.js';
import { cancellableMachine, machine, tell } from './maekawa.js';
import { maekawa } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const best = maekawa();

interface Waiting {
  readonly lock: Request | null;
  readonly queue: readonly Request[];
}

const oneVoteEach =
  'each voter’s vote is in one place: with itself, with one client, or in transit';
const quorumLocked = 'a node in the critical section has its whole quorum locked';
const all = { ...allHold, [oneVoteEach]: 'holds', [quorumLocked]: 'holds' };
const stuckIn = (steps: number) => ({
  [entry]: `violated in ${steps}`,
  [quiescence]: `violated in ${steps}`,
});

const found = (protocol: Protocol, n: number, budget: ExploreOptions) =>
  outcomeOf(protocol, complete(n), budget);

describe('maekawa deadlock resolution', () => {
  it('without FAILED, INQUIRE and RELINQUISH three nodes wait for each other', () => {
    const { states, verdicts, traces } = found(maekawa({ naive: true }), 3, {});
    expect(states).toBe(306);
    expect(verdicts).toMatchObject({ ...all, ...stuckIn(6) });
    expect(page).toContain(traces[quiescence]);
  });

  proof(
    'as published in 1985, without FAILED to an overtaken request, four nodes get stuck, but not three',
    () => {
      const original = withMachine(best, machine.provide({ actions: { refuseFirst: assign({}) } }));
      expect(found(original, 3, { commands: 2 })).toMatchObject({ states: 11_444, verdicts: all });
      const { states, verdicts, traces } = found(original, 4, { initiators: ['b', 'c', 'd'] });
      expect(states).toBe(8_886);
      expect(verdicts).toMatchObject({ ...all, ...stuckIn(14) });
      expect(page).toContain(traces[quiescence]);
    },
  );

  proof(
    'without FAILED to a request that arrives during an inquiry for an older one, four nodes get stuck',
    () => {
      const olderWaits = ({ lock, queue: [first] }: Waiting) =>
        lock && first && isOlder(first, lock);
      const refuse = tell(
        ({ context, event }) => ('from' in event && !olderWaits(context) ? [event.from] : []),
        () => ({ type: 'failed' }),
      );
      const changed = withMachine(best, machine.provide({ actions: { refuse } }));
      expect(found(changed, 4, { initiators: ['a', 'b', 'd'] })).toMatchObject({
        states: 8_820,
        verdicts: { ...all, ...stuckIn(13) },
      });
    },
  );

  proof(
    'FAILED is not needed where a client returns its vote on every inquiry outside the critical section',
    () => {
      const yielding = machine.provide({
        actions: {
          refuse: assign({}),
          refuseFirst: assign({}),
          noteInquiry: enqueueActions(({ context, event, enqueue }) => {
            const from = 'from' in event ? event.from : '';
            enqueue.assign({ votes: context.votes.filter((id) => id !== from) });
            enqueue(
              tell(
                () => [from],
                () => ({ type: 'relinquish' }),
              ),
            );
          }),
        },
      });
      const protocol = withMachine(best, yielding);
      expect(found(protocol, 3, { commands: 2 }).verdicts).toMatchObject(all);
      expect(found(protocol, 4, {})).toMatchObject({ states: 67_728, verdicts: all });
    },
  );
});

describe('maekawa assumptions', () => {
  proof('a client ignores an INQUIRE that overtakes its LOCKED: a node waits forever', () => {
    const budget = { order: 'any', initiators: ['b', 'c'] } as const;
    const { states, verdicts, traces } = found(best, 4, budget);
    expect(states).toBe(427);
    expect(verdicts).toMatchObject({
      [everyMessageHandled]: 'violated in 13',
      [quiescence]: 'violated in 10',
    });
    expect(page).toContain(traces[quiescence]);
    // A FAILED after the vote is not handled; nodes that ignore it show the other properties.
    expect(found(ignoringUnexpected(best), 4, budget)).toMatchObject({
      states: 427,
      verdicts: { ...all, ...stuckIn(10) },
    });
  });

  proof(
    'an INQUIRE about an earlier vote makes a client return the current one, for which no voter waits: the vote is lost',
    () => {
      const { states, verdicts } = found(ignoringUnexpected(best), 4, {
        order: 'any',
        commands: 2,
        initiators: ['b', 'c'],
      });
      expect(states).toBe(55_810);
      expect(verdicts).toMatchObject({ ...all, ...stuckIn(10), [oneVoteEach]: 'violated in 21' });
    },
  );

  it('among three nodes, where no voter inquires of another node, only a late FAILED is unexpected', () => {
    const late = { [everyMessageHandled]: 'violated in 7', [quiescence]: 'incomplete' };
    expect(found(best, 3, { order: 'any' })).toMatchObject({ states: 605, verdicts: late });
    expect(found(ignoringUnexpected(best), 3, { order: 'any' })).toMatchObject({
      states: 605,
      verdicts: all,
    });
  });

  it.each([
    [2, 103, 4],
    [3, 1_222, 6],
  ])('one lost message among %i nodes breaks liveness, not safety', (n, states, steps) => {
    const broken = {
      [entry]: 'violated in 2',
      [oneVoteEach]: 'violated in 3',
      [quiescence]: `violated in ${steps}`,
    };
    expect(found(best, n, { losses: 1 })).toMatchObject({
      states,
      verdicts: { ...all, ...broken },
    });
  });

  proof('a duplicated message breaks safety: an old vote counts for a new request', () => {
    const early = { [oneVoteEach]: 'violated in 3', [everyMessageHandled]: 'violated in 4' };
    expect(found(best, 3, { duplications: 1 })).toMatchObject({ states: 5_077, verdicts: early });
    const { verdicts } = found(ignoringUnexpected(best), 3, {
      duplications: 1,
      commands: 2,
      initiators: ['a', 'b'],
    });
    expect(verdicts).toMatchObject({
      [exclusion]: 'violated in 11',
      [oneVoteEach]: 'violated in 3',
      [fencing]: 'violated in 11',
    });
  });

  it('a crash stops the nodes whose quorum it hits; safety holds', () => {
    const broken = {
      [entry]: 'violated in 2',
      [oneVoteEach]: 'violated in 4',
      [quiescence]: 'violated in 6',
    };
    expect(found(best, 3, { crashes: 1 })).toMatchObject({
      states: 3_237,
      verdicts: { ...all, ...broken },
    });
  });

  it.each([
    ['f', 462, 'holds'], // in neither quorum
    ['d', 596, 'violated'], // in the quorum of a (abd), not in that of b (bce)
  ])(
    'of seven nodes, where a and b want to enter, the crash of %s stops none of them or both',
    (crashing, states, verdict) => {
      const found = exploreCrashes(best, complete(7), {
        initiators: ['a', 'b'],
        mayCrash: ({ id }) => id === crashing,
      });
      expect(found).toMatchObject({ complete: true, states });
      for (const id of ['a', 'b']) expect(found.verdicts[`${id}: ${entry}`]).toBe(verdict);
      expect(found.verdicts[exclusion]).toBe('holds');
    },
  );

  proof('a reliable link compensates loss, duplication and overtaking', () => {
    expect(failingOverReliable(best, complete(4), 30)).toEqual([]);
  });
});

describe('maekawa fencing', () => {
  const entered = (protocol: Protocol, n: number) =>
    simulate({ protocol, topology: complete(n), workload: closedLoop({ entries: 4 }) });

  it.each(['plane', 'grid', 'majority'] as const)(
    'tokens grow from entry to entry through a common voter of two quorums: %s',
    (quorums) => {
      const { exclusion, properties } = entered(maekawa({ quorums }), 7);
      expect(exclusion.entries).toHaveLength(28);
      expect(propertyNamed(properties, fencing).verdict).toBe('holds');
    },
  );

  proof(
    'a lost message or a crash does not break that: a node that enters has the votes of its whole quorum',
    () => {
      for (const fault of [{ losses: 1 }, { crashes: 1 }])
        expect(found(best, 3, { commands: 2, ...fault }).verdicts).toMatchObject({
          [fencing]: 'holds',
        });
    },
  );

  it('a voter that restarts without its memory gives its vote and its number twice', () => {
    const { states, verdicts, traces } = found(ignoringUnexpected(best), 3, {
      crashes: 1,
      restarts: 1,
    });
    expect(states).toBe(6_888);
    expect(verdicts).toMatchObject({ [exclusion]: 'violated in 8', [fencing]: 'violated in 8' });
    expect(page).toContain(traces[fencing]);
  });
});

const protocol = maekawa({ cancel: true });

cancelContract({
  protocol,
  topologies: [2, 3, 4, 7].map((n) => complete(n)),
  explored: [
    [complete(2), { commands: 2 }, 3_773],
    [complete(3), {}, 9_065],
    [complete(4), { initiators: ['b', 'c'] }, 7_646],
  ],
  costs: [
    { topology: complete(2), budget: { commands: 2 }, most: 5 },
    { topology: complete(4), budget: { initiators: ['b', 'c'] }, most: 10 },
  ],
});

describe('maekawa rules with cancel', () => {
  const on = (state: LocalState, ...events: readonly { readonly type: string }[]) =>
    takeAll(cancellableMachine, 'a', state, events);
  const from = (from: string, type: string, fields: object = {}) => ({ ...fields, type, from });
  const client = start(cancellableMachine, 'a', { self: 'a', quorum: ['b', 'c'] }).state;
  const cancelled = on(client, { type: 'acquire' }, from('b', 'locked', { entries: 0 }), {
    type: 'cancel',
  });
  /** A voter with its vote for c that has inquired for b. */
  const inquiring = on(
    client,
    from('c', 'request', { ts: 4 }),
    from('b', 'request', { ts: 2 }),
  ).state;

  it('[MK11] a client that cancels sends withdraw to its quorum, and forgets its votes', () => {
    expect(cancelled.effects).toEqual(['b', 'c'].map((voter) => send(voter, { type: 'withdraw' })));
    expect(cancelled.state).toMatchObject({
      value: { client: 'withdrawing' },
      context: { votes: [], unconfirmed: ['b', 'c'] },
    });
  });

  it('[MK12] a voter removes a queued request, and votes for the next one where the withdrawn one had its vote', () => {
    const queued = on(inquiring, from('b', 'withdraw'));
    expect([queued.state.context.queue, queued.effects]).toEqual([
      [],
      [send('b', { type: 'withdrawn' })],
    ]);
    expect(on(inquiring, from('c', 'withdraw')).effects).toEqual([
      send('b', { type: 'locked', entries: 0 }),
      send('c', { type: 'withdrawn' }),
    ]);
  });

  it('[MK13] the client ignores other answers until all voters have confirmed', () => {
    const answers = [
      from('b', 'failed'),
      from('c', 'locked', { entries: 0 }),
      from('c', 'inquire'),
      from('c', 'withdrawn'),
    ];
    const { state } = on(cancelled.state, ...answers);
    expect(state).toMatchObject({
      value: { client: 'withdrawing' },
      context: { votes: [], unconfirmed: ['b'] },
    });
    expect(on(state, from('b', 'withdrawn')).state.value).toMatchObject({ client: 'released' });
  });

  it('[MK14] a voter that has inquired for a withdrawn request refuses younger ones, and may become free', () => {
    const { state } = on(inquiring, from('b', 'withdraw'));
    expect(on(state, from('b', 'request', { ts: 5 })).effects).toEqual([
      send('b', { type: 'failed' }),
    ]);
    expect(on(state, from('c', 'released', { entries: 1 })).state.value).toMatchObject({
      voter: 'free',
    });
  });
});

const light = poisson({ mean: 1_000_000, entries: 5, hold: { kind: 'fixed', ms: 1 } });
const heavy = closedLoop({ entries: 10, think: { kind: 'fixed', ms: 0 } });
const run = (protocol: Protocol, n: number, workload: Workload): SimulationResult =>
  simulate({
    protocol,
    topology: complete(n),
    workload,
    conditions: { order: 'fifo', delay: { kind: 'uniform', least: 1, most: 30 } },
  });
const perEntry = (result: SimulationResult) =>
  totalMessages(result) / result.exclusion.entries.length;
/** K−1 on average: the other nodes in a quorum. */
const othersOf = (quorums: QuorumKind, n: number) => {
  const sets = [...quorumSets(quorums, complete(n).nodes).values()];
  return sets.reduce((sum, { length }) => sum + length - 1, 0) / sets.length;
};

describe('maekawa cost', () => {
  proof.each([
    ['best', 2, { commands: 3 }, 4],
    ['best', 3, { commands: 2 }, 4],
    ['grid', 3, { commands: 2 }, 6],
    ['best', 4, { commands: 1 }, 9],
    ['majority', 4, { initiators: ['a', 'b', 'c'] }, 9],
    ['best', 7, { initiators: ['a', 'b', 'c'] }, 7],
  ] satisfies [QuorumKind, number, ExploreOptions, number][])(
    'in every interleaving, quorums %s of %i nodes, %o: at most %i messages per entry, and this bound is reached; it is below 5(K−1)',
    (quorums, n, budget, most) => {
      const protocol = maekawa({ quorums });
      expectTight(protocol, complete(n), budget, most, 'acquire');
      const largest = Math.max(
        ...[...quorumSets(quorums, complete(n).nodes).values()].map(({ length }) => length),
      );
      expect(most).toBeLessThan(5 * (largest - 1));
      expect(costOf(protocol, n)?.most).toBe(6 * largest - 3);
    },
  );

  const sizes = [3, 7, 9, 13, 16, 21];

  proof.each(['best', 'majority'] as const)(
    'without contention it is exactly one REQUEST, one vote and one RELEASE for each other node of the quorum: %s',
    (quorums) => {
      for (const n of sizes) {
        const { messages, exclusion } = run(maekawa({ quorums }), n, light);
        expect(exclusion.entries).toHaveLength(5 * n);
        const each = 5 * n * othersOf(quorums, n);
        expect(messages).toEqual({ request: each, locked: each, released: each });
      }
    },
  );

  proof(
    'under heavy load it is 4 for each other node of the quorum, within 10 %: one FAILED more',
    () => {
      const measured = (quorums: QuorumKind) =>
        sizes.map((n) => {
          const result = run(maekawa({ quorums }), n, heavy);
          expect(result.exclusion.entries).toHaveLength(10 * n);
          expect(Math.abs(perEntry(result) / othersOf(quorums, n) / 4 - 1)).toBeLessThan(0.1);
          return [n, Number(perEntry(result).toFixed(1))];
        });
      const [best, majority] = [measured('best'), measured('majority')];
      expect(best).toEqual([
        [3, 3.7],
        [7, 7.9],
        [9, 15.9],
        [13, 12],
        [16, 23.9],
        [21, 16],
      ]); // 9 and 16 are grids
      expect(majority).toEqual([
        [3, 3.7],
        [7, 12],
        [9, 15.9],
        [13, 24],
        [16, 32],
        [21, 40],
      ]);
    },
  );
});
