import { type ExploreOptions, explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { alwaysEventually, notify, type Protocol, send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { proof, quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { everyInterleaving, quick } from '../../contract/explored.contract.js';
import { failing } from '../../contract/findings.contract.js';
import { mutantOf, withMachine, withState } from '../../contract/machines.contract.js';
import { anyInitiators } from '../../contract/networks.contract.js';
import { electionContract } from '../election.contract.js';
import { detectingMachine, type Event, machine } from './bully.js';
import { laterTerms } from './later-terms.contract.js';
import { bully } from './protocol.js';

const protocol = bully();
/** Messages of exactly 100 ms: fewer states. */
const fixed = { kind: 'exact', delay: [100, 100], tick: 50 } as const;
/** With one crash, terms grow from leader to leader, too. */
const growing = { ...protocol, properties: [...protocol.properties, laterTerms] };
const mutant = mutantOf(growing);
const onOf = (state: 'electing' | 'rejoining' | 'leader' | 'follower') =>
  machine.config.states?.[state]?.on;

electionContract({
  protocol,
  topologies: [complete(2), complete(3), complete(5)],
  small: [
    { topology: complete(2), budget: {} },
    { topology: complete(3), budget: { initiators: ['a'], time: fixed } },
  ],
  explored: [
    [complete(2), {}, 68],
    ['3 nodes, any set of initiators', anyInitiators([complete(3)]), {}, 10_959],
    [complete(4), { initiators: ['a'] }, 35_198],
    [complete(4), { time: fixed }, 78_810],
  ],
  costs: [complete(2), complete(3), complete(10), complete(33)],
  winner: ({ nodes }) => [...nodes].sort().at(-1) ?? '',
  mutants: {
    'a node waits no longer than the longest round trip': mutant(
      'complete:2, 3 steps: at most one node is the leader',
      machine.provide({ delays: { timeout: () => 200 } }),
    ),
  },
});

describe('B1 bully: a crash and a restart at any moment', () => {
  const crash = { crashes: 1, restarts: 1 };
  const systems = [
    { topology: complete(2), budget: crash },
    { topology: complete(3), budget: { ...crash, time: fixed } },
  ];
  everyInterleaving(
    growing,
    [
      ['2 nodes, and 3 with messages of 100 ms, a crash and a restart', systems, {}, 90_898],
      [complete(3), { crashes: 1 }, 45_728],
      [complete(4), { ...crash, initiators: ['a'], time: fixed }, 84_461],
    ],
    {
      'a leader does not resign when a larger node restarts': mutant(
        'complete:2, 10 steps: at most one node is the leader',
        withState(machine, ['leader'], {
          on: {
            ...onOf('leader'),
            election: [{ guard: 'isLower', actions: 'repeat' }, { actions: 'answer' }],
          },
        }),
      ),
    },
  );
});

describe('bully rules', () => {
  const input = {
    self: 'm',
    lower: ['a', 'b'],
    higher: ['x', 'y'],
    timeout: 250,
    hasRun: false,
    term: 0,
  };
  const from = (...events: readonly Event[]) => after(input, ...events);
  function after(own: typeof input, ...events: readonly Event[]) {
    const first = start(machine, own.self, own);
    return events.reduce((taken, event) => step(machine, own.self, taken.state, event), first);
  }
  const elect: Event = { type: 'elect' };
  const message = (
    type: 'election' | 'answer' | 'coordinator',
    sender: string,
    term = 0,
  ): Event => ({ type, from: sender, term });
  const sent = ({ effects }: ReturnType<typeof from>) =>
    effects.filter(({ type }) => type === 'send');
  const delays = ({ state }: ReturnType<typeof from>) => state.timers.map(({ delay }) => delay);
  const timeout = (taken: ReturnType<typeof from>): ReturnType<typeof from> => {
    const [timer] = taken.state.timers;
    if (!timer) throw new Error('no timer is armed');
    return step(machine, 'm', { ...taken.state, timers: [] }, timer.event);
  };
  const elections = ['x', 'y'].map((peer) => send(peer, { type: 'election', term: 0 }));

  it('[BU1] a node that is told to asks all larger ones; once it asks, or leads, it need not', () => {
    expect(from(elect).state.value).toBe('electing');
    expect(sent(from(elect))).toEqual(elections);
    expect(delays(from(elect))).toEqual([250]);
    expect(sent(from(elect, elect))).toEqual([]);
    const again = from(message('coordinator', 'y', 1), elect);
    expect(again.state.value).toBe('electing');
    expect(again.state.context.leader).toBe(null);
  });

  it('[BU2] a node answers a smaller one, and holds an election if it holds none', () => {
    const answer = send('a', { type: 'answer', term: 0 });
    expect(sent(from(message('election', 'a')))).toEqual([answer, ...elections]);
    expect(sent(from(elect, message('election', 'a')))).toEqual([answer]);
    expect(sent(from(elect, message('answer', 'x'), message('election', 'a')))).toEqual([answer]);
    const known = message('coordinator', 'y', 3);
    expect(from(known, message('election', 'a', 2)).state.value).toBe('follower');
    expect(sent(from(known, message('election', 'a', 2)))).toEqual([
      send('a', { type: 'answer', term: 3 }),
    ]);
    expect(from(known, message('election', 'a', 3)).state.value).toBe('electing');
  });

  it('[BU3] an answered node waits twice as long for the announcement, and then asks again', () => {
    const yielding = from(elect, message('answer', 'x'));
    expect(yielding.state.value).toBe('yielding');
    expect(delays(yielding)).toEqual([500]);
    expect(timeout(yielding).state.value).toBe('electing');
    expect(sent(timeout(yielding))).toEqual(elections);
  });

  it('[BU4] a node without an answer leads in its first term of a later round than it knows; the largest does not wait', () => {
    const announced = (term: number) =>
      ['a', 'b'].map((peer) => send(peer, { type: 'coordinator', term }));
    const led = timeout(from(elect));
    expect(led.state.value).toBe('leader');
    // round 1 of five nodes: y has 5, x 6, m 7, b 8, a 9
    expect(led.state.context).toMatchObject({ leader: 'm', term: 7 });
    expect(sent(led)).toEqual(announced(7));
    const known = [9, 10, 14].map(
      (term) => timeout(after({ ...input, term }, elect)).state.context.term,
    );
    expect(known).toEqual([12, 17, 17]);
    expect(sent(after({ ...input, higher: [] }, message('election', 'a', 4)))).toEqual([
      send('a', { type: 'answer', term: 4 }),
      ...announced(6), // round 2 of three nodes
    ]);
  });

  it('[BU5] a node follows an announcement, unless it knows a later term', () => {
    for (const before of [
      [],
      [elect],
      [elect, message('answer', 'x', 1)],
      [message('coordinator', 'x', 1)],
    ]) {
      const { state } = from(...before, message('coordinator', 'y', 2));
      expect([state.value, state.context.leader, state.context.term]).toEqual(['follower', 'y', 2]);
    }
    const late = from(message('coordinator', 'y', 2), message('coordinator', 'x', 1));
    expect([late.state.context.leader, late.state.context.term]).toEqual(['y', 2]);
    const leading = timeout(from(elect)).state;
    expect(step(machine, 'm', leading, message('coordinator', 'y', 10)).state.value).toBe(
      'follower',
    );
    expect(step(machine, 'm', leading, message('coordinator', 'y', 5)).state.value).toBe('leader');
  });

  it('[BU6] a leader repeats its announcement to a smaller node that asks', () => {
    const asked = step(machine, 'm', timeout(from(elect)).state, message('election', 'b', 1));
    expect(asked.state.value).toBe('leader');
    expect(asked.effects).toEqual([send('b', { type: 'coordinator', term: 7 })]);
  });

  it('[BU7] a restarted node asks the smaller ones for their terms, follows nobody meanwhile, and then holds an election', () => {
    const again = after({ ...input, hasRun: true, term: 2 });
    expect(again.state.value).toBe('rejoining');
    expect(sent(again)).toEqual(
      ['a', 'b'].map((peer) => send(peer, { type: 'election', term: 2 })),
    );
    const told = [
      message('answer', 'a', 6),
      message('coordinator', 'y', 5),
      message('election', 'x', 1),
      message('election', 'a', 1),
    ].reduce((taken, event) => step(machine, 'm', taken.state, event), again);
    expect([told.state.value, told.state.context.term, told.state.context.leader]).toEqual([
      'rejoining',
      6,
      null,
    ]);
    expect(told.effects).toEqual([send('a', { type: 'answer', term: 6 })]);
    const asked = timeout(told);
    expect(asked.state.value).toBe('electing');
    expect(sent(asked)).toEqual(
      ['x', 'y'].map((peer) => send(peer, { type: 'election', term: 6 })),
    );
    expect(timeout(asked).state.context.term).toBe(12);
    expect(timeout(after({ ...input, higher: [], hasRun: true })).state.value).toBe('leader');
  });

  it('[BU8] a node that a larger one asks answers it, and ends its election or resigns', () => {
    const answer = send('y', { type: 'answer', term: 0 });
    for (const before of [[], [elect], [elect, message('answer', 'x')]]) {
      const taken = from(...before, message('election', 'y'));
      expect(taken.state.value).toBe('yielding');
      expect(sent(taken)).toEqual([answer]);
    }
    const resigned = step(machine, 'm', timeout(from(elect)).state, message('election', 'y'));
    expect([resigned.state.value, resigned.state.context.leader]).toEqual(['yielding', null]);
    expect(sent(resigned)).toEqual([send('y', { type: 'answer', term: 7 })]);
    expect(from(message('coordinator', 'x', 1), message('election', 'y')).state.value).toBe(
      'follower',
    );
  });

  it('[BU9] a leader that hears of a later term takes its first one of a later round, and announces it', () => {
    const { state, effects } = step(
      machine,
      'm',
      timeout(from(elect)).state,
      message('election', 'a', 9),
    );
    expect([state.value, state.context.term]).toEqual(['leader', 12]);
    expect(effects).toEqual(
      ['a', 'b'].map((peer) => send(peer, { type: 'coordinator', term: 12 })),
    );
  });

  it('[BU11] a node asks the sender of an announcement of an earlier term, also while it holds an election', () => {
    const ask = (term: number) => [send('x', { type: 'election', term })];
    const follows = from(message('coordinator', 'y', 10), message('coordinator', 'x', 6));
    expect([follows.state.value, follows.state.context.leader]).toEqual(['follower', 'y']);
    expect(sent(follows)).toEqual(ask(10));
    const leads = step(machine, 'm', timeout(from(elect)).state, message('coordinator', 'x', 6));
    expect([leads.state.value, leads.state.context.term]).toEqual(['leader', 7]);
    expect(leads.effects).toEqual(ask(7));
    for (const [sender, state] of [
      ['a', 'electing'],
      ['y', 'yielding'],
    ] as const) {
      const waits = from(elect, message('answer', sender, 10), message('coordinator', 'x', 6));
      expect([waits.state.value, waits.state.context.leader]).toEqual([state, null]);
      expect(waits.effects).toEqual(ask(10));
    }
    const again = after({ ...input, hasRun: true, term: 10 });
    expect(step(machine, 'm', again.state, message('coordinator', 'x', 6)).effects).toEqual([]);
  });

  it('[BU10] a node that suspects the leader holds an election', () => {
    const watching = {
      ...input,
      detector: {
        watchers: ['a', 'b'],
        watched: ['x', 'y'],
        period: 100,
        timeout: 200,
        growth: 0,
        longest: 200,
      },
    };
    const following = step(
      detectingMachine,
      'm',
      start(detectingMachine, 'm', watching).state,
      message('coordinator', 'y', 1),
    );
    const suspecting = (peer: string) =>
      step(detectingMachine, 'm', { ...following.state, timers: [] }, overdue(peer));
    const overdue = (peer: string) => ({ type: 'detector-overdue', node: peer });
    expect(suspecting('x').state.value).toMatchObject({ election: 'follower' });
    expect(suspecting('y').state.value).toMatchObject({ election: 'electing' });
    expect(suspecting('y').effects.slice(0, 3)).toEqual([
      notify({ type: 'detector-suspect', node: 'y' }),
      ...['x', 'y'].map((peer) => send(peer, { type: 'election', term: 1 })),
    ]);
  });
});

// Messages that take longer than the time-out allows, none of them lost: what heals.

const oneForAll = alwaysEventually(
  'while all nodes are up, and one has started, all eventually know one leader',
  ({ nodes }) => {
    const leaders = nodes.filter(({ tags }) => tags.has('leader'));
    return (
      nodes.some(({ crashed }) => crashed) ||
      nodes.every(({ value }) => value === 'asleep') ||
      (leaders.length === 1 && nodes.every(({ context }) => context.leader === leaders[0]?.id))
    );
  },
);
const judged: Protocol = { ...bully(), properties: [...bully().properties, oneForAll] };

const crash = { crashes: 1, restarts: 1 };
const late = (least: number, most: number, links = {}) =>
  ({ kind: 'exact', delay: [least, most], tick: 50, links }) as const;
/** An answer comes before an announcement that is older. */
const unequal: ExploreOptions = {
  ...crash,
  initiators: ['a'],
  time: late(50, 300, {
    ...{ 'a→b': [200, 200], 'a→c': [50, 50], 'b→a': [200, 200] },
    ...{ 'b→c': [100, 100], 'c→a': [250, 250], 'c→b': [100, 300] },
  }),
};

describe('bully with late messages', () => {
  const systems = [
    [2, { time: late(100, 400) }, 855],
    [2, { ...crash, time: late(200, 200) }, 4_740],
    [3, { time: late(200, 200) }, 9_669],
    [3, { ...crash, initiators: ['a'], time: late(200, 200) }, 7_438],
    [3, unequal, 28_515],
  ] as const;
  it.each(quickOf(systems, ([, , states]) => states <= quick))(
    'two may lead, and eventually there is one, whom all know: %i nodes, %j',
    (n, budget, states) => {
      const found = explore(judged, complete(n), budget);
      expect([found.complete, found.states, ...failing(found)]).toEqual([
        true,
        states,
        'at most one node is the leader',
        'a live node larger than the leader holds an election',
      ]);
    },
  );

  proof(
    '[BU11] two lead for ever if a node that holds an election ignores an announcement of an earlier term',
    () => {
      const ignoring = ['electing', 'yielding'].reduce<AnyStateMachine>(
        (changed, state) =>
          withState(changed, [state], {
            on: {
              ...changed.config.states?.[state]?.on,
              coordinator: [{ guard: 'isEarlier' }, { target: 'follower', actions: 'follow' }],
            },
          }),
        machine,
      );
      const found = explore(withMachine(judged, ignoring), complete(3), unequal);
      expect([found.complete, failing(found).includes(oneForAll.name)]).toEqual([true, true]);
    },
  );
});
