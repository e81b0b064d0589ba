import { readFileSync } from 'node:fs';
import type { ExploreOptions } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign, enqueueActions } from 'xstate';
import { exploreCrashes, propertyNamed } from '../../../contract/findings.js';
import { withMachine } from '../../../contract/mutant.js';
import { failingOverReliable } from '../../../contract/sweep.js';
import { ignoringUnexpected } from '../../ignoring-unexpected.contract.js';
import {
  allHold,
  entry,
  exclusion,
  fencing,
  handled,
  outcomeOf,
  quiescence,
} from '../../outcome.contract.js';
import { isOlder, type Request } from '../building-blocks/requests.js';
import { machine, tell } from './maekawa.js';
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
    expect(verdicts).toMatchObject({ [handled]: 'violated in 13', [quiescence]: 'violated in 10' });
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
    const late = { [handled]: 'violated in 7', [quiescence]: 'incomplete' };
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
    const early = { [oneVoteEach]: 'violated in 3', [handled]: 'violated in 4' };
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
