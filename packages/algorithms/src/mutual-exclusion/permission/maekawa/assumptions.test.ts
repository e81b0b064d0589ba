import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { assign, enqueueActions } from 'xstate';
import { exploreCrashes } from '../../../contract/crashing.js';
import { withMachine } from '../../../contract/mutant.js';
import { withoutSteps } from '../../../contract/without-steps.js';
import { forgiving } from '../../ignoring-unexpected.contract.js';
import { isOlder, type Request } from '../building-blocks/requests.js';
import { machine, tell } from './maekawa.js';
import { maekawa } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const best = maekawa();

interface Waiting {
  readonly lock: Request | null;
  readonly queue: readonly Request[];
}

/** By property: its verdict, and where it is violated the length of the shortest trace; and the traces. */
function found(protocol: Protocol, n: number, budget: ExploreOptions) {
  const topology = complete(n);
  const { complete: whole, states, properties } = explore(withoutSteps(protocol), topology, budget);
  expect(whole).toBe(true);
  const [exclusion, enters, , votes, quorum, fence, handled, rest] = properties.map(({ verdict, trace }) => {
    if (verdict === 'violated') expect(trace && replay(protocol, topology, trace)).toEqual({ steps: trace?.lines.length });
    return verdict === 'violated' ? `violated in ${trace?.lines.length}` : verdict;
  });
  const traces = properties.map(({ trace }) => linesText(trace?.lines ?? []));
  return { verdicts: { states, exclusion, enters, votes, quorum, fence, handled, rest }, traces };
}

const all = { exclusion: 'holds', enters: 'holds', votes: 'holds', quorum: 'holds', fence: 'holds', handled: 'holds', rest: 'holds' };

describe('maekawa: what keeps it from deadlock', () => {
  it('without FAILED, INQUIRE and RELINQUISH three nodes wait for each other', () => {
    const { verdicts, traces } = found(maekawa({ naive: true }), 3, {});
    expect(verdicts).toEqual({ ...all, states: 306, enters: 'violated in 6', rest: 'violated in 6' });
    expect(page).toContain(traces.at(-1));
  });

  it('as first published, without FAILED to a request that is overtaken: not with three nodes, but with four', () => {
    const original = withMachine(best, machine.provide({ actions: { refuseFirst: assign({}) } }));
    expect(found(original, 3, { commands: 2 }).verdicts).toEqual({ ...all, states: 11_444 });
    const { verdicts, traces } = found(original, 4, { initiators: ['b', 'c', 'd'] });
    expect(verdicts).toEqual({ ...all, states: 8_886, enters: 'violated in 14', rest: 'violated in 14' });
    expect(page).toContain(traces.at(-1));
  });

  it('without FAILED to a request that comes while the vote is being asked for, on behalf of an older one, four nodes get stuck', () => {
    const olderWaits = ({ lock, queue: [first] }: Waiting) => lock && first && isOlder(first, lock);
    const refuse = tell(
      ({ context, event }) => ('from' in event && !olderWaits(context) ? [event.from] : []),
      () => ({ type: 'failed' }),
    );
    const { verdicts } = found(withMachine(best, machine.provide({ actions: { refuse } })), 4, { initiators: ['a', 'b', 'd'] });
    expect(verdicts).toEqual({ ...all, states: 8_820, enters: 'violated in 13', rest: 'violated in 13' });
  });

  it('no FAILED is needed at all where whoever is asked gives its vote back, unless it is inside', () => {
    const obliging = machine.provide({
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
    const protocol = withMachine(best, obliging);
    expect(found(protocol, 3, { commands: 2 }).verdicts).toMatchObject(all);
    expect(found(protocol, 4, {}).verdicts).toMatchObject({ ...all, states: 67_728 });
  });
});

describe('maekawa assumptions', () => {
  const stuck = { enters: 'violated in 10', rest: 'violated in 10' };

  it('an INQUIRE that overtakes the vote it asks for is taken for one that comes too late: somebody waits for ever', () => {
    const budget = { order: 'any', initiators: ['b', 'c'] } as const;
    const { verdicts, traces } = found(best, 4, budget);
    expect(verdicts).toMatchObject({ states: 427, handled: 'violated in 13', rest: 'violated in 10' });
    expect(page).toContain(traces.at(-1));
    // A FAILED that comes after the vote is an error; with nodes that ignore it, all the rest can be judged.
    expect(found(forgiving(best), 4, budget).verdicts).toEqual({ ...all, states: 427, ...stuck });
  });

  it('an INQUIRE about an earlier vote makes a client give back the one it has now, to a voter that did not ask: the vote is lost', () => {
    const { verdicts } = found(forgiving(best), 4, { order: 'any', commands: 2, initiators: ['b', 'c'] });
    expect(verdicts).toEqual({ ...all, states: 55_810, ...stuck, votes: 'violated in 21' });
  });

  it('with three nodes, where no voter ever inquires of another, only a late FAILED tells that messages overtake', () => {
    expect(found(best, 3, { order: 'any' }).verdicts).toMatchObject({ states: 605, handled: 'violated in 7', rest: 'incomplete' });
    expect(found(forgiving(best), 3, { order: 'any' }).verdicts).toEqual({ ...all, states: 605 });
  });

  it.each([
    [2, 103, 4],
    [3, 1_222, 6],
  ])('one lost message among %i nodes: nobody enters who should not, but somebody waits for ever', (n, states, rest) => {
    const { verdicts } = found(best, n, { losses: 1 });
    expect(verdicts).toEqual({ ...all, states, enters: 'violated in 2', votes: 'violated in 3', rest: `violated in ${rest}` });
  });

  it('a message that comes twice breaks everything: a vote of yesterday lets in today', () => {
    expect(found(best, 3, { duplications: 1 }).verdicts).toMatchObject({ states: 5_077, votes: 'violated in 3', handled: 'violated in 4' });
    const { verdicts } = found(forgiving(best), 3, { duplications: 1, commands: 2, initiators: ['a', 'b'] });
    expect(verdicts).toMatchObject({ exclusion: 'violated in 11', votes: 'violated in 3', fence: 'violated in 11' });
  });

  it('a node that crashes stops those whose quorum it is in; nobody enters who should not', () => {
    const { verdicts } = found(best, 3, { crashes: 1 });
    expect(verdicts).toEqual({ ...all, states: 2_563, enters: 'violated in 2', votes: 'violated in 4', rest: 'violated in 5' });
  });

  it.each([
    ['f', 462, 'holds'], // in the quorum of neither
    ['d', 545, 'violated'], // in that of a (abd), not in that of b (bce)
  ])('of seven nodes, where a and b want to enter, the crash of %s stops none of them or both', (crashing, states, enters) => {
    const found = exploreCrashes(best, complete(7), { initiators: ['a', 'b'], mayCrash: ({ id }) => id === crashing });
    expect(found).toMatchObject({ complete: true, states });
    for (const id of ['a', 'b']) expect(found.verdicts[`${id}: every node that wants to enter eventually enters`]).toBe(enters);
    expect(found.verdicts['at most one node is in the critical section']).toBe('holds');
  });

  it('a reliable link below makes up for loss, doubling and overtaking', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const { properties } = simulate({
        protocol: best,
        topology: complete(4),
        conditions: { order: 'any', loss: 0.1, duplication: 0.1, delay: { kind: 'uniform', least: 1, most: 20 } },
        workload: closedLoop({ entries: 3 }),
        reliable: true,
        seed,
      });
      expect(new Set(properties.map(({ verdict }) => verdict))).toEqual(new Set(['holds', 'reached']));
    }
  });
});

describe('maekawa fencing', () => {
  const entered = (protocol: Protocol, n: number) => simulate({ protocol, topology: complete(n), workload: closedLoop({ entries: 4 }) });

  it.each(['plane', 'grid', 'majority'] as const)(
    'numbers grow from entry to entry, through whichever voter two quorums share: %s',
    (quorums) => {
      const { exclusion, properties } = entered(maekawa({ quorums }), 7);
      expect(exclusion.entries).toHaveLength(28);
      expect(properties.find(({ kind }) => kind === 'increases')?.verdict).toBe('holds');
    },
  );

  it('no lost message and no node that stays down breaks that: whoever enters has heard from its whole quorum', () => {
    for (const fault of [{ losses: 1 }, { crashes: 1 }])
      expect(found(best, 3, { commands: 2, ...fault }).verdicts).toMatchObject({ fence: 'holds' });
  });

  it('a voter that comes back without its memory gives its vote and its numbers a second time', () => {
    const { verdicts, traces } = found(forgiving(best), 3, { crashes: 1, restarts: 1 });
    expect(verdicts).toMatchObject({ states: 5_781, exclusion: 'violated in 8', fence: 'violated in 8' });
    expect(page).toContain(traces[5]);
  });
});
