/** The option `follow`: clients of the servers that never have the lock, and know who has it. */
import { type ExploreOptions, explore, mutate } from '@conclave/check';
import { fire, start, step } from '@conclave/core/internal';
import { always, type Property, type Protocol, send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, emit, stateIn } from 'xstate';
import { everyInterleavingOfVariant, type Mutant } from '../../../contract/explored.contract.js';
import { mutantOf, withMachine, withState } from '../../../contract/machines.contract.js';
import { followerMachine, leadingOf } from './following.js';
import { machine } from './leased-majority.js';
import type { Context, Event, Follower } from './node.js';
import { leasedMajority } from './protocol.js';
import { withQuestions } from './reduced.contract.js';

const leadingMachine = leadingOf(machine);

/** So many servers, and clients that ask so often. */
const followed = (servers: number, questions: number) =>
  withQuestions(leasedMajority({ lease: 5_000, renewal: 2_000, servers, follow: true }), questions);
const [one, two, three] = [followed(1, 2), followed(2, 2), followed(3, 2)];
const messages = { kind: 'exact', delay: [500, 500], stays: { critical: [0, 1_000] } } as const;
/** Messages and stays that take no time. */
const points = { kind: 'exact', delay: [0, 0], stays: { critical: [0, 0] } } as const;
const server = { crashes: 1, restarts: 1, mayCrash: ['server'] } as const;
const client = { crashes: 1, mayCrash: ['client'] } as const;

const ofServer = mutantOf(two, 'server');
const ofClient = mutantOf(two, 'client');

/** It gives an answer for votes of the round that is under way when a question comes. */
const isHasty = leadingMachine.provide({
  actions: {
    note: assign(({ event }: { event: Event }) => {
      if (event.type !== 'follow') return {};
      const { from: id, asked } = event;
      return { followers: [{ id, asked, round: 1, waits: true }] satisfies Follower[] };
    }),
  },
});
/** It shows a leader for so long from when it has heard of it. */
const countsFromArrival = withState(followerMachine, ['view', 'known'], {
  entry: 'startItsStopwatch',
});
const answerAtOnce = emit(({ context, event }: { context: Context; event: Event }) =>
  send('from' in event ? event.from : '', {
    type: 'leads',
    ballot: context.ballot,
    asked: 'asked' in event ? event.asked : 0,
  }),
);

const mutants: Readonly<Record<string, Mutant>> = {
  'a client takes an answer of an earlier term': ofClient(
    'complete:3, 10 steps: a floor never falls, and a new ballot is larger than all that its node has seen',
    followerMachine.provide({ guards: { isAnswer: () => true } }),
  ),
  'a server answers whether it leads or not': ofServer(
    'complete:3, 4 steps: while a client shows a leader, a majority is bound to it, unless it has returned the votes',
    withState(leadingMachine.provide({ actions: { note: answerAtOnce } }), ['leading', 'off'], {
      always: { guard: stateIn({ client: 'held' }), target: 'on' },
      on: { follow: { actions: 'note' } },
    }),
  ),
};

const strict: Property = always('a client shows a leader only while it leads', (system) =>
  system.nodes
    .filter(({ tags }) => tags.has('informed'))
    .every(({ context: { leader, floor } }) => {
      const { tags, context } = system.node(String(leader));
      return tags.has('critical') && context.ballot === floor;
    }),
);

/** Who leads does so until it loses its lease, since the voter does not hear it. */
const verdicts = (of: Protocol, time: ExploreOptions['time'], losses = 2) => {
  const properties = [
    ...of.properties.filter(({ name }) => name.startsWith('while a client shows')),
    strict,
  ];
  const found = explore(of, complete(3), {
    ...{ initiators: ['a'], losses, properties, limits: { states: 500_000 } },
    ...(time && { time }),
  });
  return [found.complete, ...found.properties.slice(0, 2).map(({ verdict }) => verdict)];
};
const untilLoss = (ms: number) => ({ ...points, stays: { critical: [ms, ms] } }) as const;

describe('leased-majority, clients that follow', () => {
  everyInterleavingOfVariant(
    two,
    [
      [complete(3), { initiators: ['a'], time: points }, 771],
      [complete(3), { initiators: ['a'], commands: 2, time: points }, 4_877],
      [complete(3), { initiators: ['a', 'b'], time: points }, 72_059],
      [complete(3), { initiators: ['a'], losses: 1, time: messages }, 7_988],
      [complete(3), { initiators: ['a'], losses: 1, time: untilLoss(8_000) }, 8_461],
      [complete(4), { initiators: ['a'], ...client, time: points }, 47_663],
    ],
    mutants,
  );
  everyInterleavingOfVariant(three, [[complete(4), { initiators: ['a'], time: points }, 62_221]]);
  everyInterleavingOfVariant(followed(3, 1), [
    [complete(4), { initiators: ['a'], ...server, order: 'fifo', time: points }, 116_678],
  ]);

  proof(
    'their properties hold where the only server enters twice, crashes and restarts: 4,068 states',
    () => {
      const budget = { initiators: ['a'], commands: 2, ...server, time: points };
      const { properties, states } = explore(one, complete(2), budget);
      expect(properties.filter(({ verdict }) => !/holds|reached|vacuous/.test(verdict))).toEqual(
        [],
      );
      expect(states).toBe(4_068);
    },
  );

  proof(
    'their properties hold for two clients of three servers, over channels in order: 497,254 states',
    () => {
      const budget = { initiators: ['a'], order: 'fifo', time: points } as const;
      const { properties, states } = explore(followed(3, 1), complete(5), budget);
      expect(properties.filter(({ verdict }) => !/holds|reached/.test(verdict))).toEqual([]);
      expect(states).toBe(497_254);
    },
  );

  proof('their properties notice 97.9 % of the mutants of the regions that they add', () => {
    const late = { leads: [0, 1_000], ended: [0, 1_000] } as const;
    const { score, mutants: all } = mutate(two, {
      // the start is no step that a property sees: EF1 is tested by itself
      leaveOut: ['client', 'even', 'odd', 'voter', 'evens', 'odds', 'asking.first'],
      systems: [
        { time: points },
        { time: { ...points, messages: late }, commands: 2 },
        { time: messages, losses: 1 },
        { time: untilLoss(8_000), losses: 1 },
      ].map((budget) => ({ topology: complete(3), budget: { initiators: ['a'], ...budget } })),
    });
    expect(score).toBeGreaterThan(0.979);
    // it asks no more, and properties see no timers
    expect(all.filter(({ fate }) => fate === 'survived').map(({ id }) => id)).toEqual([
      'client asking.later: after halfRenewal #1 drop-target',
      'client asking.later: after halfRenewal #2 drop-target',
    ]);
  });

  proof(
    'a client shows nobody before a leader that nobody hears loses its lease: 33,476 states',
    () => {
      expect(verdicts(two, untilLoss(12_000))).toEqual([true, 'holds', 'holds']);
    },
  );

  proof('nor while clocks drift up to the bound: 62,113 states', () => {
    const drifting = withQuestions(
      leasedMajority({ lease: 4_000, renewal: 1_000, drift: 0.2, servers: 2, follow: true }),
      1,
    );
    const time = { ...untilLoss(4_000), drift: 0.2 };
    expect(verdicts(drifting, time, 1)).toEqual([true, 'holds', 'holds']);
  });

  proof.each([
    ['counts from when the answer comes', withMachine(two, countsFromArrival, 'client')],
    [
      'shows a leader for as long as a vote binds',
      withMachine(two, followerMachine.provide({ delays: { validity: 5_000 } }), 'client'),
    ],
    ['gets answers for votes from before its question', withMachine(two, isHasty, 'server')],
  ])('does so where it %s', (_what, mutant) => {
    expect(verdicts(mutant, untilLoss(12_000))).toContain('violated');
  });
});

describe('leased-majority rules of servers and clients that follow', () => {
  const given = { nodes: ['a'], lease: 5, validity: 4, renewal: 2, ballot: 0, floor: 0, vote: 0 };
  const after = (machine: AnyStateMachine, ...events: readonly Event[]) => {
    const first = start(machine, 'x', { ...given, self: machine === leadingMachine ? 'a' : 'x' });
    return events.reduce((taken, event) => step(machine, 'x', taken.state, event), first);
  };
  const sends = ({ effects }: ReturnType<typeof step>) =>
    effects.filter((effect) => effect.type === 'send');
  const follow = (from: string, asked: number): Event => ({ type: 'follow', from, asked });
  const leads = (ballot: number, asked: number): Event => ({
    ...{ type: 'leads', from: 'a', ballot, asked },
  });
  const ended = (ballot: number): Event => ({ type: 'ended', from: 'a', ballot });
  const shown = ({ state }: ReturnType<typeof step>) =>
    state.tags.includes('informed') ? state.context.floor : undefined;
  const acquire: Event = { type: 'acquire' };

  it('[EF1] a client asks all servers at once, when it starts', () => {
    expect(sends(after(followerMachine))).toEqual([send('a', { type: 'follow', asked: 1 })]);
  });

  it('[EF2] a server that does not lead answers nobody, and notes nobody', () => {
    const { state, effects } = after(leadingMachine, follow('x', 1));
    expect([effects, state.context.followers]).toEqual([[], []]);
  });

  it('[EF4] a leader renews its votes for a client that it does not know, and answers', () => {
    const led = after(leadingMachine, acquire, follow('x', 1));
    expect(led.state.context).toMatchObject({ round: 2 });
    expect(sends(led)).toEqual([send('x', { type: 'leads', ballot: 1, asked: 1 })]);
  });

  it('[EF3] a client that it knows waits for the next renewal; a copy is answered again', () => {
    const known = [acquire, follow('x', 1)];
    expect(sends(after(leadingMachine, ...known, follow('x', 2)))).toEqual([]);
    expect(sends(after(leadingMachine, ...known, follow('x', 1)))).toHaveLength(1);
    expect(sends(after(leadingMachine, ...known, follow('x', 2), follow('x', 1)))).toEqual([]);
  });

  it('[EF5] a leader that leaves tells those that it knows; a client shows that term no more', () => {
    const left = after(leadingMachine, acquire, follow('x', 1), { type: 'release' });
    expect(sends(left)).toEqual([send('x', { type: 'ended', ballot: 1 })]);
    expect(shown(after(followerMachine, leads(1, 1), ended(1)))).toBeUndefined();
    expect(shown(after(followerMachine, leads(1, 1), ended(1), leads(1, 1)))).toBeUndefined();
    expect(shown(after(followerMachine, leads(2, 1), ended(1)))).toBe(2);
  });

  it('[EF6] a client takes no earlier term, and no answer to a question that it has not asked', () => {
    expect(shown(after(followerMachine, leads(3, 1), leads(2, 1)))).toBe(3);
    expect(shown(after(followerMachine, leads(3, 2)))).toBeUndefined();
  });

  it('[EF7] a client shows a leader until the stopwatch of its question has run out', () => {
    const known = after(followerMachine, leads(3, 1));
    const stopwatch = known.state.timers.find(({ id }) => id.includes('validity'));
    expect(shown(known)).toBe(3);
    expect(shown(fire(followerMachine, 'x', known.state, stopwatch?.id ?? ''))).toBeUndefined();
  });
});
