/** The option `announce`: the node that has the lock tells all others. */
import { explore, mutate, walk } from '@conclave/check';
import { fire, start, step } from '@conclave/core/internal';
import {
  everyStep,
  type LocalState,
  type NodeId,
  type NodeView,
  type Protocol,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { closedLoop } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { everyInterleavingOfVariant } from '../../../contract/explored.contract.js';
import { failing } from '../../../contract/findings.contract.js';
import { mutantOf } from '../../../contract/machines.contract.js';
import { conditionsFor, seedsTo, sweep } from '../../../contract/sweep.contract.js';
import { waits } from '../../mutual-exclusion.js';
import { announcingOf } from './announcing.js';
import { changingMachine } from './changing.js';
import { cancellable, machine } from './leased-majority.js';
import type { Event } from './node.js';
import { leasedMajority } from './protocol.js';
import { type Wishes, wishing, withQuestions } from './reduced.contract.js';

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
      [complete(2), { initiators: ['a'], losses: 1, time: long }, 1_241],
      [complete(2), { time: points }, 360],
      [complete(3), { initiators: ['a'], crashes: 1, restarts: 1, time: points }, 4_556],
      [complete(3), { initiators: ['a', 'b'], order: 'fifo', time: points }, 25_594],
    ],
    {
      'it shows a leader of an earlier term': mutant(
        'complete:2, 8 steps: a node shows the leader that tells it so, unless that is of an earlier term',
        announcing.provide({ guards: { isNoEarlier: () => true } }),
      ),
    },
  );

  proof('two servers tell each other, and a client that follows: 1,060 states', () => {
    const served = withQuestions(leasedMajority({ ...options, servers: 2, follow: true }), 1);
    const found = explore(served, complete(3), { initiators: ['a'], time: points });
    expect([found.complete, found.states, failing(found)]).toEqual([true, 1_060, []]);
  });

  proof(
    'with the other options of an election, a holder that an operator sends away is shown no longer: 83,376 states',
    () => {
      const elected = leasedMajority({ ...options, cancel: true, revoke: true });
      const found = explore(elected, complete(3), { initiators: ['a'], time: points });
      expect([found.complete, found.states, failing(found)]).toEqual([true, 83_376, []]);
    },
  );

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

// Every interleaving of small systems whose holder changes the voters as soon as it enters.

const changes = sometimes('the voters have changed', ({ nodes }) =>
  nodes.some(({ context }) => Object(context.configuration).number > 0),
);

const plain = (voters: readonly NodeId[]) =>
  leasedMajority({ lease: 5_000, renewal: 2_000, voters });

function protocolOf(
  voters: readonly NodeId[],
  wishes: Wishes,
  machine: AnyStateMachine = changingMachine,
): Protocol {
  const protocol = wishing(plain(voters), wishes, machine);
  return { ...protocol, properties: [...protocol.properties, changes] };
}

/** Messages of half a second, and stays that are long enough for a change. */
const time = { kind: 'exact', delay: [500, 500], stays: { critical: [2_000, 2_000] } } as const;
const inputs = [{ type: 'acquire' }];
const one = { initiators: ['a'], inputs, time } as const;
const two = { initiators: ['a', 'b'], inputs, time } as const;
const faults = { crashes: 1, restarts: 1 } as const;
/** Before, or after, it has told anyone. */
const hasDecided = ({ id, context }: NodeView): boolean =>
  id === 'a' && Object(context.configuration).number === 1 && Number(context.round) > 0;
const [ab, abc] = [
  ['a', 'b'],
  ['a', 'b', 'c'],
];

describe('leased-majority with voters', () => {
  describe('a removed', () =>
    everyInterleavingOfVariant(protocolOf(abc, { a: ['b', 'c'] }), [
      [complete(3), one, 226],
      [complete(3), { ...one, ...faults }, 8_498],
    ]));
  describe('d added', () =>
    everyInterleavingOfVariant(protocolOf(abc, { a: ['a', 'b', 'c', 'd'] }), [
      [complete(4), one, 1_558],
      [complete(4), { ...one, ...faults }, 126_210],
    ]));
  describe('c replaced', () =>
    everyInterleavingOfVariant(protocolOf(abc, { a: ['a', 'b', 'd'] }), [
      [complete(4), one, 1_579],
      [complete(4), { ...one, ...faults }, 104_088],
    ]));
  describe('b replaced', () =>
    everyInterleavingOfVariant(protocolOf(ab, { a: ['a', 'c'] }), [
      [complete(3), one, 741],
      [complete(3), two, 32_374],
    ]));
  describe('two changes', () =>
    everyInterleavingOfVariant(protocolOf(abc, { a: ['b', 'c'], b: ['a', 'b'] }), [
      [complete(3), one, 226],
      [complete(3), two, 41_425],
      [complete(3), { ...two, crashes: 1, mayCrash: hasDecided }, 118_111],
    ]));

  proof('walks in which the only voter finishes the change of another node violate nothing', () => {
    const points = { kind: 'exact', delay: [0, 0], stays: { critical: [0, 0] } } as const;
    const protocol = plain(ab);
    const noneDecides = 'no node decides a change while it waits';
    const rule = everyStep(noneDecides, ({ before, after }) => {
      const [was, is] = [before, after].map(({ context }) => Object(context.change).phase);
      return !waits(before) || is !== 'decided' || was === 'decided';
    });
    const { properties } = walk(
      { ...protocol, properties: [...protocol.properties, rule] },
      complete(3),
      { commands: 2, ...faults, time: points, walks: 200, steps: 150, seed: 1 },
    );
    const violated = properties.filter(({ verdict }) => verdict === 'violated');
    expect(violated.map(({ name }) => name)).toEqual([noneDecides]);
  });

  proof(
    'walks with two changes violate nothing, where a node becomes a voter while it waits',
    () => {
      const to = (...voters: readonly NodeId[]) => ({ type: 'change', voters });
      const stays = { kind: 'exact', delay: [0, 0], stays: { critical: [0, 4_000] } } as const;
      const { properties } = walk(plain(ab), complete(3), {
        ...{ commands: 2, losses: 1, inputs: [...inputs, to('b'), to('a', 'c')], time: stays },
        ...{ walks: 150, steps: 150, seed: 1 },
      });
      expect(properties.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
    },
  );

  proof('is safe and live in seeded runs, and handles every message', () => {
    const { runs, failure } = sweep({
      protocol: protocolOf(abc, { a: ['b', 'c', 'd'], b: ['a', 'd'], c: ['a', 'b', 'c', 'e'] }),
      topologies: [complete(5)],
      workload: () =>
        closedLoop({
          entries: 3,
          think: { kind: 'exponential', mean: 500 },
          hold: { kind: 'uniform', least: 0, most: 3_000 },
        }),
      seeds: seedsTo(2),
    });
    expect(failure).toBeUndefined();
    expect(runs).toBe(2 * conditionsFor(protocolOf(abc, {})).length);
  });
});

// The option `voters`: the holder changes who votes.

const withCancel = cancellable(changingMachine);

const now = { number: 0, voters: ['a', 'b', 'c'] };
const next = { number: 1, voters: ['b', 'c', 'd'] };
/** Node b of four: its ballots are 1, 5, 9 … */
const input = {
  self: 'b',
  nodes: ['a', 'b', 'c', 'd'],
  ...{ lease: 5, validity: 4, renewal: 1, ballot: 0, floor: 0, vote: 0 },
  configuration: now,
  accepted: null,
};
type Taken = ReturnType<typeof step>;

const after = (state: LocalState, ...events: readonly (Event | 'renewal')[]): Taken =>
  events.reduce(
    (taken: Taken, event) => {
      if (event !== 'renewal') return step(withCancel, 'b', taken.state, event);
      const timer = taken.state.timers.find(({ id }) => id.split('.')[2] === event);
      return fire(withCancel, 'b', taken.state, timer?.id ?? '');
    },
    { state, effects: [] },
  );
const node = (more: object = {}) => start(withCancel, 'b', { ...input, ...more }).state;
const acquire: Event = { type: 'acquire' };
const change: Event = { type: 'change', voters: next.voters };
const accepted = { ballot: 1, voters: next.voters };
const vote = (from: string, more: object = {}): Event => ({
  ...{ type: 'vote', from, ballot: 1, round: 1, configuration: now, next: null },
  ...more,
});
const request = (from: string, more: object = {}): Event => ({
  ...{ type: 'request', from, ballot: 4, round: 1, floor: 0, configuration: now, next: null },
  ...more,
});
const sends = ({ effects }: Taken) => effects.filter(({ type }) => type === 'send');
const receivers = (taken: Taken) => sends(taken).map((effect) => ('to' in effect ? effect.to : ''));
const client = ({ state: { value } }: Taken) => Object(value).client;
const told = ({ effects }: Taken) => effects.filter(({ type }) => type === 'notify');
const changeOf = ({ state }: Taken) => Object(state.context).change;
const held = () => after(node(), acquire, vote('a')).state;
const proposed = () => after(held(), change, vote('d')).state;

describe('leased-majority rules with voters', () => {
  it('[VC1] it asks the voters, counts their votes only, and returns those of the new ones, too', () => {
    const waiting = after(node(), acquire);
    expect(receivers(waiting)).toEqual(['a', 'c']);
    expect(client(after(waiting.state, vote('d')))).toBe('waiting');
    expect(client(after(waiting.state, vote('c')))).toBe('held');
    expect(receivers(after(held(), change, { type: 'release' })).slice(-3)).toEqual([
      'a',
      'c',
      'd',
    ]);
    const outside = start(withCancel, 'b', {
      ...input,
      configuration: { number: 0, voters: ['a', 'c'] },
    }).state;
    expect(receivers(after(outside, acquire))).toEqual(['a', 'c']);
    expect(client(after(outside, acquire, vote('a')))).toBe('waiting');
    expect(client(after(outside, acquire, vote('a'), vote('c')))).toBe('held');
  });

  it('[VC2] it takes over a later configuration, and refuses requests of an earlier one', () => {
    const learnt = { configuration: next, accepted: null };
    for (const event of [
      request('a', { configuration: next }),
      vote('a', { configuration: next }),
      { type: 'refused', from: 'a', ballot: 0, floor: 0, configuration: next } as const,
    ])
      for (const state of [node({ accepted }), after(node(), acquire).state, held()])
        expect(after(state, event).state.context).toMatchObject(learnt);
    const bound = after(node(), request('a', { configuration: next }));
    expect(sends(bound)).toEqual([
      send('a', { type: 'vote', ballot: 4, round: 1, configuration: next, next: null }),
    ]);
    const refused = [send('a', { type: 'refused', ballot: 4, floor: 0, configuration: next })];
    expect(sends(after(node({ configuration: next }), request('a')))).toEqual(refused);
    expect(sends(after(bound.state, request('a')))).toEqual(refused);
    // it asks anew where the voters are now
    const again = after(node(), acquire, {
      ...{ type: 'refused', from: 'a', ballot: 1, floor: 0, configuration: next },
    });
    expect(receivers(again).slice(-2)).toEqual(['c', 'd']);
  });

  it('[VC3] a holder is asked once for each ballot', () => {
    const asked = after(held(), change);
    expect(changeOf(asked)).toMatchObject({ phase: 'asked', ballot: 1, voters: next.voters });
    expect(receivers(asked)).toEqual(['a', 'c', 'd']);
    const other: Event = { type: 'change', voters: ['a'] };
    expect(changeOf(after(asked.state, other))).toEqual(changeOf(asked));
    expect(changeOf(after(asked.state, { type: 'release' }))).toBeNull();
  });

  it('[VC4] it proposes with both majorities; who hears of a proposal does not enter without', () => {
    const sent = sends(after(held(), change, vote('d')));
    expect(sent.at(-1)).toMatchObject({ to: 'd', message: { next: accepted } });
    // majorities of both have voted for its ballot already
    const smaller = after(held(), { type: 'change', voters: ['a', 'b'] });
    expect(changeOf(smaller)).toMatchObject({ phase: 'proposed' });
    const heard = { ballot: 0.5, voters: ['b', 'd'] };
    const waiting = after(node(), acquire, vote('a', { next: { ...heard, ballot: 0.4 } }));
    expect([client(waiting), changeOf(waiting).phase]).toEqual(['waiting', 'asked']);
    const two = after(waiting.state, vote('c', { next: heard }));
    expect(changeOf(two)).toMatchObject({ phase: 'asked', ...heard });
    expect(changeOf(after(two.state, vote('d')))).toMatchObject({ phase: 'proposed' });
    // of an earlier configuration, a proposal is over
    const later = node({ configuration: next });
    expect(changeOf(after(later, acquire, vote('c', { next: heard })))).toBeNull();
  });

  it('[VC5] a voter accepts for the ballot that has its vote; a majority decides', () => {
    const proposal = { ballot: 4, voters: next.voters };
    const free = after(node(), request('a', { next: proposal }));
    expect(free.state.context).toMatchObject({ vote: 4, accepted: null, floor: 0 });
    const bound = after(free.state, request('a', { round: 2, next: proposal }));
    expect(bound.state.context).toMatchObject({ accepted: proposal, floor: 4 });
    expect(sends(bound)).toMatchObject([{ to: 'a', message: { round: 2, next: proposal } }]);
    const other = { ballot: 7, voters: ['a'] };
    expect(
      after(bound.state, request('d', { ballot: 7, next: other })).state.context,
    ).toMatchObject({ accepted: proposal });

    const ours = { next: accepted };
    const decided = after(proposed(), vote('a', ours));
    expect(decided.state.context).toMatchObject({ configuration: next, accepted: null });
    expect(client(decided)).toBe('held');
    expect(receivers(decided)).toEqual(['c', 'd', 'a']);
    for (const votes of [
      [vote('c'), vote('d'), vote('a')], // none has accepted it
      [vote('d', ours)], // no voter yet
    ])
      expect(after(proposed(), ...votes).state.context).toMatchObject({ configuration: now });
    // after a renewal, no new voter has answered the last round
    const late = after(proposed(), 'renewal', vote('a', { ...ours, round: 2 }));
    expect(late.state.context).toMatchObject({ round: 2, configuration: now });
    expect(after(late.state, vote('d', { ...ours, round: 2 })).state.context).toMatchObject({
      configuration: next,
    });
  });

  it('[VC6] it tells its application when a majority of the new voters knows', () => {
    const decided = after(proposed(), vote('a', { next: accepted }));
    expect(told(decided)).toEqual([]);
    const known = { configuration: next };
    expect(told(after(decided.state, vote('a', known)))).toEqual([]);
    const done = after(decided.state, vote('d', known));
    expect(told(done)).toMatchObject([{ notification: { type: 'changed', ...next } }]);
    expect(changeOf(done)).toMatchObject({ phase: 'known' });
  });
});
