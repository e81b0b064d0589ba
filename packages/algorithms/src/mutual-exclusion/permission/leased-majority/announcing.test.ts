/** The option `announce`: the node that has the lock tells all others. */
import { explore } from '@conclave/core/exploration';
import { fire, start, step } from '@conclave/core/internal/protocol';
import { mutate } from '@conclave/core/mutation';
import { send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { everyInterleavingOfVariant } from '../../../contract/explored.contract.js';
import { failing } from '../../../contract/findings.js';
import { mutantOf } from '../../../contract/mutant.js';
import { announcingOf } from './announcing.js';
import { machine } from './leased-majority.js';
import type { Event } from './node.js';
import { leasedMajority } from './protocol.js';
import { withQuestions } from './questions.contract.js';

const options = { lease: 5_000, renewal: 2_000, announce: true } as const;
const protocol = leasedMajority(options);
const announcing = announcingOf(machine);
const mutant = mutantOf(protocol);
const messages = { kind: 'exact', delay: [500, 500], stays: { critical: [0, 1_000] } } as const;
/** The holder may outstay its lease. */
const long = { ...messages, stays: { critical: [0, 8_000] } } as const;
/** Messages and stays that take no time. */
const points = { kind: 'exact', delay: [0, 0], stays: { critical: [0, 0] } } as const;

describe('leased-majority, a leader that tells all', () => {
  everyInterleavingOfVariant(
    protocol,
    [
      ['a loss, a long stay', complete(2), { initiators: ['a'], losses: 1, time: long }, 1_241],
      ['two nodes enter', complete(2), { time: points }, 360],
      [
        'any node crashes and restarts',
        complete(3),
        { initiators: ['a'], crashes: 1, restarts: 1, time: points },
        4_556,
      ],
      [
        'two nodes of three enter',
        complete(3),
        { initiators: ['a', 'b'], order: 'fifo', time: points },
        25_594,
      ],
    ],
    {
      'it tells nobody that it has the lock': mutant(
        'complete:2, 3 steps: a node that gets the lock tells all others, and again at each renewal',
        announcing.provide({ actions: { announce: assign({}) } }),
      ),
      'it shows a leader of an earlier term': mutant(
        'complete:2, 8 steps: a node shows the leader that tells it so, unless that is of an earlier term',
        announcing.provide({ guards: { isNoEarlier: () => true } }),
      ),
      'it does not hear that the leader has left': mutant(
        'complete:2, 6 steps: a node shows a leader no longer when that one leaves, when it has said nothing for a lease, and when the node itself leads',
        announcing.provide({ guards: { endsTheTerm: () => false } }),
      ),
    },
  );

  it('two servers tell each other, and a client that follows: 1,060 states', () => {
    const served = withQuestions(leasedMajority({ ...options, servers: 2, follow: true }), 1);
    const found = explore(served, complete(3), { initiators: ['a'], time: points });
    expect([found.complete, found.states, failing(found)]).toEqual([true, 1_060, []]);
  });

  it('with the other options of an election, a holder that an operator sends away is shown no longer: 83,376 states', () => {
    const elected = leasedMajority({ ...options, cancel: true, revoke: true });
    const found = explore(elected, complete(3), { initiators: ['a'], time: points });
    expect([found.complete, found.states, failing(found)]).toEqual([true, 83_376, []]);
  });

  proof('its properties notice 94.9 % of the mutants of the regions that it adds', () => {
    const { score, mutants: all } = mutate(protocol, {
      limits: { states: 30_000 },
      leaveOut: ['client', 'even', 'odd', 'voter'],
      systems: [
        { budget: { time: points }, topology: complete(2) },
        {
          budget: { time: messages, losses: 1, commands: 2, initiators: ['a'] },
          topology: complete(2),
        },
        { budget: { time: long, losses: 1, initiators: ['a'] }, topology: complete(2) },
        { budget: { initiators: ['a', 'b'], order: 'fifo', time: points }, topology: complete(3) },
      ],
    });
    // properties see no timers; the rules AN1 and AN3 are tested by themselves
    expect(all.filter(({ fate }) => fate === 'survived').map(({ id }) => id)).toEqual([
      'announcing.on: after announcement drop-timer',
      'announcing.on: after announcement drop-target',
      'view.known: leader #1 drop-target',
    ]);
    expect(score).toBeGreaterThan(0.949);
  });

  it('goes with an election only', () => {
    for (const other of [{ keep: 100 }, { priority: true }, { voters: ['a'] }, { servers: 2 }])
      expect(() => leasedMajority({ ...options, ...other })).toThrow(
        'leasedMajority: announce is for an election',
      );
  });
});

describe('leased-majority rules of a leader that tells all', () => {
  const input = {
    ...{ self: 'b', nodes: ['a', 'b', 'c'], lease: 5, validity: 4, renewal: 2 },
    ...{ ballot: 0, floor: 0, vote: 0 },
  };
  const after = (...events: readonly Event[]) =>
    events.reduce(
      (taken, event) => step(announcing, 'b', taken.state, event),
      start(announcing, 'b', input),
    );
  const sends = ({ effects }: ReturnType<typeof step>) =>
    effects.filter((effect) => effect.type === 'send');
  const timer = ({ state }: ReturnType<typeof step>, name: string) =>
    state.timers.find(({ id }) => id.includes(name))?.id ?? '';
  const shown = ({ state: { tags, context } }: ReturnType<typeof step>) =>
    tags.includes('told') ? [context.leader, context.term] : undefined;
  const leader = (from: string, ballot: number): Event => ({ type: 'leader', from, ballot });
  const released = (from: string, ballot: number): Event => ({
    ...{ type: 'released', from, ballot, floor: ballot + 1 },
  });
  const entered: readonly Event[] = [
    { type: 'acquire' },
    { type: 'vote', from: 'a', ballot: 1, round: 1 },
  ];
  const told = ['a', 'c'].map((to) => send(to, { type: 'leader', ballot: 1 }));

  it('[AN1] a node that gets the lock tells all others, and again each renewal, until it leaves', () => {
    const holder = after(...entered);
    expect(sends(holder)).toEqual(told);
    const again = fire(announcing, 'b', holder.state, timer(holder, 'announcement'));
    expect(sends(again)).toEqual(told);
    expect(timer(again, 'announcement')).not.toBe('');
    expect(timer(after(...entered, { type: 'release' }), 'announcement')).toBe('');
  });

  it('[AN2] a node shows who tells it so, whoever has its vote, unless the term is an earlier one', () => {
    const request: Event = { type: 'request', from: 'c', ballot: 2, round: 1, floor: 0 };
    expect(shown(after(request, leader('a', 3)))).toEqual(['a', 3]);
    expect(shown(after(leader('a', 3), leader('c', 5)))).toEqual(['c', 5]);
    expect(shown(after(leader('c', 5), leader('a', 3)))).toEqual(['c', 5]);
    expect(shown(after(...entered, { type: 'release' }, leader('a', 0)))).toBeUndefined();
  });

  it('[AN3] it shows it no longer when that one leaves, after a lease, and when it leads itself', () => {
    const knows = after(leader('a', 3));
    expect(shown(after(leader('a', 3), released('a', 3)))).toBeUndefined();
    expect(shown(after(leader('a', 3), released('a', 3), leader('a', 3)))).toBeUndefined();
    expect(shown(after(leader('a', 3), released('c', 2)))).toEqual(['a', 3]);
    expect(shown(fire(announcing, 'b', knows.state, timer(knows, 'silence')))).toBeUndefined();
    expect(shown(after(leader('a', 0), ...entered))).toBeUndefined();
    const again = step(announcing, 'b', knows.state, leader('a', 3));
    expect(again.effects.filter(({ type }) => type === 'start')).toHaveLength(1);
  });
});
