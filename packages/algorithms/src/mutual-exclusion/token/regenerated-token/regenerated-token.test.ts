import type { ExploreOptions } from '@conclave/core/exploration';
import { fire, type LocalState, type NodeId, notify, send, start, step } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, enqueueActions, stateIn } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { withoutSteps } from '../../../contract/without-steps.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { regeneratedToken } from './protocol.js';
import { type Event, electingMachine, epochOf, fenceOf, machine } from './regenerated-token.js';

const plain = regeneratedToken();
/** A coordinator whose tokens are all of epoch 1. */
const makeOldToken = enqueueActions(({ context: { next }, enqueue }) => {
  enqueue.assign({ seen: 1 });
  enqueue.emit(send(next, { type: 'token', epoch: 1, entries: 0 }));
});

/** Its time-outs are false alarms: only so does a run in which nothing is lost ever need epochs. */
const impatient = regeneratedToken({ patience: 5 });
/** One candidate's time-outs may not put off another's for ever; with a coordinator that is given there are none. */
const timed = { time: 'bounded', fairness: 'strong' } as const satisfies ExploreOptions;
const mutant = (refuted: string, changed: AnyStateMachine, of = plain) => ({ protocol: withMachine(withoutSteps(of), changed), refuted });

mutualExclusionContract({
  protocol: plain,
  topologies: [ring(2), ring(3), ring(['c', 'b', 'a'])],
  small: [{ topology: ring(2), budget: { time: 'bounded' } }],
  explored: [
    {
      what: '2 nodes, 1 entry each, up to 2 losses',
      systems: [0, 1, 2].map((losses) => ({ topology: ring(2), budget: { ...timed, losses } })),
      states: 5_749,
    },
    {
      what: '3 nodes either way round, 1 entry each, 1 loss',
      systems: [ring(3), ring(['c', 'b', 'a'])].map((topology) => ({ topology, budget: { ...timed, losses: 1 } })),
      states: 54_490,
    },
    { what: '3 nodes, 2 entries each', systems: [{ topology: ring(3), budget: { ...timed, commands: 2 } }], states: 66_995 },
    { what: '4 nodes, 1 entry each', systems: [{ topology: ring(4), budget: timed }], states: 54_228 },
  ],
  covered: [
    {
      topology: ring(3),
      budget: { ...timed, losses: 1 },
      states: 25_525,
      transitions: 79_757,
      depth: 45,
      missed: [
        'regenerator.off: always [isCoordinator] → regenerator.watching', // it starts again: assumptions.test.ts
        // Every node is a candidate from its start, and nobody asks again.
        'election.active: election-elect',
        'election.follower: election-elect',
        'election.leader: election-elect',
        'election.passive.relaying: election-elect',
        'election.passive.asleep: election-election [election:larger] → election.passive.relaying',
        'election.passive.asleep: election-election [election:smaller] → election.active',
      ],
      neverTrue: ['regenerator.off: always [isCoordinator] → regenerator.watching'],
      // An id that is not larger than that of a node which relays is smaller; its own does not come back to one that has not won.
      neverFalse: [
        'election.active: election-election [election:own] → election.leader',
        'election.leader.announcing: election-elected [election:own] → election.leader.known',
        'election.passive.relaying: election-election [election:smaller]',
      ],
      // Nobody is `starting` or `asleep` once it has started; no token goes past a candidate, nor an announcement, which comes once;
      // while the coordinator inquires all channels are empty of the election.
      undelivered: [
        ...['starting', 'asleep'].flatMap((state) =>
          ['election-elected', 'election-election', 'inquiry', 'token'].map(
            (message) => `${state === 'asleep' ? 'election.passive' : 'candidacy'}.${state}: ${message}`,
          ),
        ),
        ...['election-elected', 'inquiry', 'token'].map((message) => `election.active: ${message}`),
        'election.follower: election-elected',
        'election.leader.known: election-elected',
        ...['election-elected', 'election-election'].map((message) => `regenerator.asking: ${message}`),
      ],
    },
  ],
  costs: [2, 3, 5, 9].map((n) => ring(n)),
  mutants: {
    'a token of an earlier epoch is taken like any other': mutant(
      'ring:2, 8 steps: at most one node makes tokens, and nobody knows a later epoch than it does',
      electingMachine.provide({ guards: { isStale: () => false } }),
      impatient,
    ),
    'a new token has the epoch of the lost one': mutant(
      'ring:2, 5 steps: of each epoch there is at most one token, in a node or on its way',
      electingMachine.provide({
        actions: {
          makeToken: makeOldToken,
        },
      }),
      impatient,
    ),
    'every candidate makes tokens': mutant(
      'ring:2, 2 steps: of each epoch there is at most one token, in a node or on its way',
      electingMachine.provide({ guards: { isElected: stateIn('#election.active') } }),
    ),
    'nobody starts the election': mutant(
      'ring:2, 6 steps: no node waits in a quiescent state',
      electingMachine.provide({ actions: { elect: assign({}) } }),
    ),
    'a candidate with a larger id is extinguished': mutant(
      'ring:2, 11 steps: every node that wants to enter eventually enters',
      electingMachine.provide({
        guards: {
          'election:larger': () => false,
          'election:smaller': ({ context, event }: { context: { self: NodeId }; event: { id: NodeId } }) => event.id !== context.self,
        },
      }),
    ),
  },
});

const input = { self: 'm', next: 'n', coordinator: false, seen: 0, patience: 500, guesses: 1 };
const token = (epoch: number, entries = 0): Event => ({ type: 'token', epoch, entries, from: 'l' });
const inquiry: Event = { type: 'inquiry', from: 'l' };
const acquire: Event = { type: 'acquire' };
const release: Event = { type: 'release' };
const passed = (epoch: number, entries = 0) => send('n', { type: 'token', epoch, entries });

type Taken = ReturnType<typeof step>;
const run = (of: AnyStateMachine) => {
  const after = (state: LocalState, ...events: readonly (Event | 'patience')[]): Taken =>
    events.reduce(
      (taken: Taken, event) =>
        event === 'patience' ? fire(of, 'm', taken.state, taken.state.timers[0]?.id ?? '') : step(of, 'm', taken.state, event),
      { state, effects: [] },
    );
  return after;
};
const sends = ({ effects }: Taken) => effects.filter(({ type }) => type === 'send' || type === 'notify');

describe('regenerated-token rules', () => {
  const after = run(machine);
  const member = start(machine, 'm', input).state;
  const coordinator = start(machine, 'm', { ...input, coordinator: true });
  const watching = coordinator.state;

  it('[R1] the coordinator puts the first token on the ring, of epoch 1, the others do not', () => {
    expect(sends(coordinator)).toEqual([passed(1)]);
    expect(watching).toMatchObject({ value: { client: 'released', regenerator: 'watching' }, context: { seen: 1 } });
    expect(start(machine, 'm', input)).toMatchObject({ state: { value: { client: 'released', regenerator: 'off' } }, effects: [] });
  });

  it('[R2] the token is passed on, or lets in who wants to; it counts the entries of its epoch', () => {
    expect(sends(after(member, token(1, 4)))).toEqual([passed(1, 4)]);
    const held = after(member, acquire, token(3, 4));
    expect(held.state).toMatchObject({ value: { client: 'held' }, tags: ['critical', 'token'], context: { fence: fenceOf(3, 5) } });
    const left = after(held.state, release);
    expect(sends(left)).toEqual([passed(3, 5)]);
    expect(left.state.context).toMatchObject({ seen: 3, entries: 0, fence: 0 });
  });

  it('[R3] after `patience` without a token the coordinator makes one of the next epoch; each token that comes begins the wait anew', () => {
    const seen = step(machine, 'm', watching, token(1));
    expect(seen.effects.map(({ type }) => type).sort()).toEqual(['cancel', 'send', 'start']);
    const made = after(watching, 'patience');
    expect(sends(made)).toEqual([passed(2)]);
    expect(made.state).toMatchObject({ value: { regenerator: 'watching' }, context: { seen: 2, guessed: 1 } });
    expect(after(made.state, token(2)).state.context.guessed).toBe(0);
    const inside = after(watching, acquire, token(1)).state;
    expect(inside).toMatchObject({ value: { client: 'held', regenerator: 'inside' }, timers: [] });
    expect(after(inside, release).state).toMatchObject({ value: { regenerator: 'watching' }, timers: [{ delay: 500 }] });
  });

  it('[R4] a token of an earlier epoch than the node has seen is discarded, and does not count as a sign of life', () => {
    const knowing = after(member, token(2)).state;
    expect(after(knowing, token(1)).effects).toEqual([]);
    expect(after(knowing, acquire, token(1))).toMatchObject({ state: { value: { client: 'wanted' } }, effects: [] });
    expect(after(knowing, acquire, token(2), token(1)).state.context).toMatchObject({ seen: 2, entries: 1 });
    const made = after(watching, 'patience').state;
    expect(step(machine, 'm', made, token(1)).effects).toEqual([]);
  });

  it('[R5] whoever is inside when a later token comes keeps that one, and its own number', () => {
    const overtaken = after(member, acquire, token(1, 4), token(2, 7)).state;
    expect(overtaken).toMatchObject({ value: { client: 'held' }, context: { fence: fenceOf(1, 5) } });
    expect(sends(after(overtaken, release))).toEqual([passed(2, 7)]);
  });

  it('[R6] after `guesses` tokens in a row the coordinator inquires; whoever is inside stops the inquiry', () => {
    const asking = after(watching, 'patience', 'patience');
    expect(asking.state.value).toEqual({ client: 'released', regenerator: 'asking' });
    expect(sends(asking)).toEqual([send('n', { type: 'inquiry' })]);
    expect(sends(after(member, inquiry))).toEqual([send('n', { type: 'inquiry' })]);
    expect(after(member, acquire, token(1), inquiry).effects).toEqual([]);
    expect(sends(after(asking.state, inquiry))).toEqual([passed(3)]);
    expect(after(asking.state, token(2)).state).toMatchObject({ value: { regenerator: 'watching' }, context: { guessed: 0 } });
    expect(after(asking.state, acquire, token(2)).state.value).toEqual({ client: 'held', regenerator: 'inside' });
    expect(sends(after(asking.state, 'patience'))).toEqual([notify({ type: 'token-missing' }), send('n', { type: 'inquiry' })]);
    for (const late of [after(watching, inquiry), after(watching, acquire, token(1), inquiry)]) expect(late.effects).toEqual([]);
  });

  it('[R7] a coordinator that starts again knows its epoch, and waits before it makes a token', () => {
    const again = start(machine, 'm', { ...input, coordinator: true, seen: 4 });
    expect(sends(again)).toEqual([]);
    expect(sends(after(again.state, 'patience'))).toEqual([passed(5)]);
    expect(start(electingMachine, 'm', { ...input, seen: 4, election: { self: 'm', next: 'n' } }).effects).toEqual([]);
  });
});

describe('regenerated-token rules of the election', () => {
  const after = run(electingMachine);
  const first = start(electingMachine, 'm', { ...input, election: { self: 'm', next: 'n' } });
  const election = (id: string): Event => ({ type: 'election-election', id, from: 'l' });
  const elected = (id: string): Event => ({ type: 'election-elected', id, from: 'l' });
  const candidate = send('n', { type: 'election-election', id: 'm' });

  it('[E1] a node that has seen no token is a candidate from its start', () => {
    expect(sends(first)).toEqual([candidate]);
    expect(first.state.value).toEqual({ client: 'released', regenerator: 'off', candidacy: 'electing', election: 'active' });
  });

  it('[E2] whoever is elected is the coordinator, for good', () => {
    const won = after(first.state, election('m'));
    expect(sends(won)).toEqual([send('n', { type: 'election-elected', id: 'm' }), passed(1)]);
    expect(won.state).toMatchObject({
      value: { regenerator: 'watching', election: { leader: 'announcing' } },
      context: { coordinator: true },
    });
  });

  it('[E3] a candidate that hears of nothing for `patience` sends its id again; who has heard of a larger one does not', () => {
    const again = after(first.state, 'patience');
    expect(sends(again)).toEqual([candidate]);
    expect(sends(after(again.state, 'patience'))).toEqual([candidate]);
    const relaying = after(first.state, election('z'), 'patience');
    expect(sends(relaying)).toEqual([]);
    expect(relaying.state).toMatchObject({ value: { candidacy: 'settled' }, timers: [] });
  });

  it('[E4] with the first token the election is over, and what is left of it means nothing', () => {
    const settled = after(first.state, token(1)).state;
    expect(settled).toMatchObject({ value: { candidacy: 'settled' }, timers: [] });
    expect(after(first.state, election('z'), token(1), election('a')).effects).toEqual([]);
    expect(after(first.state, elected('z')).effects).toEqual([]);
    const back = start(electingMachine, 'm', { ...input, seen: 4, election: { self: 'm', next: 'n' } }).state;
    expect(after(back, election('m')).effects).toEqual([]);
  });
});

describe('regenerated-token options', () => {
  it('refuses what cannot be', () => {
    expect(() => regeneratedToken({ patience: 0 })).toThrow('regenerated-token: patience 0 is no time. Give milliseconds, more than 0.');
    expect(() => regeneratedToken({ guesses: 0.5 })).toThrow('regenerated-token: guesses 0.5 is no count. Give a whole number, 0 or more.');
    expect(regeneratedToken({ coordinator: 'a' }).topology.refuses(ring(['b', 'c']))).toMatch(/there is no node 'a'/);
  });

  it('a number tells its epoch', () => {
    expect([epochOf(fenceOf(0, 0)), epochOf(fenceOf(7, 123)), epochOf(fenceOf(8, 0))]).toEqual([0, 7, 8]);
    expect(fenceOf(8, 0)).toBeGreaterThan(fenceOf(7, 1_000_000));
  });
});
