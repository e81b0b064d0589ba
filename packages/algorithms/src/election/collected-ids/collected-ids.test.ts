import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { fire, start, step } from '@conclave/core/internal';
import { type LocalState, type NodeId, send } from '@conclave/core/protocol';
import { oneShot, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { and } from 'xstate';
import { rings } from '../../checks/networks.js';
import { expectTight } from '../../contract/cost.contract.js';
import { failing } from '../../contract/findings.contract.js';
import { mutantOf, takeAll, withMachine, withState } from '../../contract/machines.contract.js';
import { anyInitiators } from '../../contract/networks.contract.js';
import { conditionsFor } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  outcomeOf,
  quiescence,
  withoutTimers,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { decision, largestLeads, termination } from '../election.js';
import { acknowledgedMachine } from './acknowledged.js';
import { learningBy } from './changed.contract.js';
import { type Event, type Message, machine } from './collected-ids.js';
import { collectedIds, collectedIdsAcknowledged } from './protocol.js';

const mutant = mutantOf(collectedIds);

/** The order of the nodes is that of a ring. */
const orders = (n: number) => rings(n).map(({ nodes }) => complete(nodes));

electionContract({
  protocol: collectedIds,
  topologies: [
    complete(2),
    complete(['a', 'c', 'b']),
    complete(['d', 'c', 'b', 'a']),
    complete(['c', 'a', 'e', 'b', 'd']),
  ],
  small: [
    { topology: complete(2), budget: {} },
    { topology: complete(['a', 'c', 'b']), budget: { initiators: ['a', 'b'] } },
  ],
  explored: [
    ['rings of 2, any set of initiators', anyInitiators(orders(2)), {}, 56],
    ['rings of 3 in any order, any set of initiators', anyInitiators(orders(3)), {}, 1900],
    ['rings of 4 in any order, each node may start', orders(4), {}, 86_736],
  ],
  costs: [complete(2), complete(3), complete(16), complete(['c', 'a', 'e', 'b', 'd'])],
  winner: ({ nodes }) => [...nodes].sort().at(-1) ?? '',
  mutants: {
    'the coordinator message ends at the leader': mutant(
      'complete:a,b, 4 steps: the node that announces the leader terminates',
      learningBy(
        { guard: 'own', target: 'leader', actions: 'learn' },
        { target: 'follower', actions: ['learn', 'inform'] },
      ),
    ),
  },
});

describe('collected-ids rules', () => {
  const asleep: LocalState = start(machine, 'm', {
    self: 'm',
    ring: ['n', 'o'],
    timeout: null,
  }).state;
  const after = (...events: Event[]) => takeAll(machine, 'm', asleep, events);
  const elect: Event = { type: 'elect' };
  const election = (...list: NodeId[]): Event => ({ type: 'election', list, from: 'l' });
  const coordinator = (list: NodeId[], ...informed: NodeId[]): Event => ({
    type: 'coordinator',
    list,
    informed,
    from: 'l',
  });

  it('[CI1] an initiator sends a list with its id; all others ignore elect', () => {
    const { state, effects } = after(elect);
    expect(state.value).toBe('participating');
    expect(effects).toEqual([send('n', { type: 'election', list: ['m'] })]);
    for (const before of [
      [elect],
      [election('a')],
      [elect, coordinator(['z'], 'z')],
      [elect, election('m')],
    ]) {
      const ignored = after(...before, elect);
      expect(ignored.state).toEqual(after(...before).state);
      expect(ignored.effects).toEqual([]);
    }
  });

  it('[CI2] a node that is not in the list of an election appends its id', () => {
    for (const before of [
      [],
      [elect],
      [elect, coordinator(['z'], 'z')],
      [elect, coordinator(['m'], 'z')],
    ])
      expect(after(...before, election('a', 'z')).effects).toEqual([
        send('n', { type: 'election', list: ['a', 'z', 'm'] }),
      ]);
    expect(after(election('a')).state.value).toBe('participating');
  });

  it('[CI3] a node that finds its id takes the largest of the list, and announces it', () => {
    for (const [id, value] of [
      ['z', { follower: 'unsure' }],
      ['a', { leader: 'unsure' }],
    ] as const) {
      const { state, effects } = after(elect, election('m', id));
      expect(state).toMatchObject({ value, context: { leader: id === 'z' ? 'z' : 'm' } });
      expect(effects).toEqual([
        send('n', { type: 'coordinator', list: ['m', id], informed: ['m'] }),
      ]);
    }
    expect(after(elect, coordinator(['z', 'm'], 'z'), election('m', 'z')).effects).toEqual([
      send('n', { type: 'coordinator', list: ['m', 'z'], informed: ['m'] }),
    ]);
  });

  it('[CI4] a node that is not informed takes the largest of the list, and hands the message on', () => {
    for (const [id, value] of [
      ['z', { follower: 'unsure' }],
      ['a', { leader: 'unsure' }],
    ] as const) {
      const { state, effects } = after(elect, coordinator([id, 'm'], id));
      expect(state).toMatchObject({ value, context: { leader: id === 'z' ? 'z' : 'm' } });
      expect(effects).toEqual([
        send('n', { type: 'coordinator', list: [id, 'm'], informed: [id, 'm'] }),
      ]);
    }
  });

  it('[CI5] a node to which the announcement comes back has terminated', () => {
    for (const [id, value] of [
      ['z', { follower: 'sure' }],
      ['a', { leader: 'sure' }],
    ] as const) {
      const { state, effects } = after(elect, election('m', id), coordinator(['m', id], 'm', id));
      expect(state.value).toEqual(value);
      expect(effects).toEqual([]);
    }
  });
});

describe('collected-ids acknowledged rules', () => {
  const asleep: LocalState = start(acknowledgedMachine, 'm', {
    self: 'm',
    ring: ['n', 'o'],
    timeout: 1000,
  }).state;
  const after = (...events: readonly (Event | 'timeout')[]) =>
    events.reduce(
      (taken, event) =>
        event === 'timeout'
          ? fire(
              acknowledgedMachine,
              'm',
              taken.state,
              taken.state.timers.find(({ id }) => !id.includes('patience'))?.id ?? '',
            )
          : step(acknowledgedMachine, 'm', taken.state, event),
      { state: asleep, effects: [] } as ReturnType<typeof step>,
    );
  const elect: Event = { type: 'elect' };
  const election = (...list: NodeId[]): Event => ({ type: 'election', list, from: 'l' });
  const coordinator = (list: NodeId[], ...informed: NodeId[]): Event => ({
    type: 'coordinator',
    list,
    informed,
    from: 'l',
  });
  const ack = (of: Message['type'], starter: NodeId, from = 'n'): Event => ({
    type: 'ack',
    of,
    starter,
    from,
  });
  const sends = ({ effects }: ReturnType<typeof step>) =>
    effects.filter(({ type }) => type === 'send');

  it('[CI6] a node acknowledges each message to its sender', () => {
    expect(sends(after(election('a', 'b')))).toContainEqual(
      send('l', { type: 'ack', of: 'election', starter: 'a' }),
    );
    expect(sends(after(elect, coordinator(['b', 'a'], 'a')))).toContainEqual(
      send('l', { type: 'ack', of: 'coordinator', starter: 'b' }),
    );
  });

  it('[CI7] a node notes what it has sent until the next node acknowledges it; other acknowledgements change nothing', () => {
    const two = [elect, election('a')];
    expect(after(...two).state.context.unacknowledged).toHaveLength(2);
    for (const late of [ack('election', 'a', 'o'), ack('coordinator', 'a'), ack('election', 'z')])
      expect(after(...two, late).state).toEqual(after(...two).state);
    const one = after(...two, ack('election', 'a')).state;
    expect(one).toMatchObject({
      value: { link: 'awaiting' },
      context: { unacknowledged: [{ type: 'election', list: ['m'] }] },
    });
    const none = after(...two, ack('election', 'a'), ack('election', 'm')).state;
    expect(none).toMatchObject({ value: { link: 'quiet' }, context: { unacknowledged: [] } });
    expect(none.timers.map(({ delay }) => delay)).toEqual([5000]); // CI10
  });

  it('[CI8] after `timeout` a node leaves the next one out, and sends the messages to the one after; a node that is alone receives its own', () => {
    const taken = after(elect, 'timeout');
    expect(sends(taken)).toEqual([send('o', { type: 'election', list: ['m'] })]);
    expect(taken.state.context.ring).toEqual(['o']);
    const alone = after(elect, 'timeout', 'timeout');
    expect(sends(alone)).toEqual([]);
    expect(alone.state).toMatchObject({
      value: { link: 'quiet', member: { leader: 'sure' } },
      context: { ring: [], leader: 'm' },
      timers: [],
    });
  });

  it('[CI10] a node that has waited too long for the leader starts again', () => {
    const waiting = after(election('a'), ack('election', 'a')).state;
    const again = fire(acknowledgedMachine, 'm', waiting, waiting.timers[0]?.id ?? '');
    expect(sends(again)).toEqual([send('n', { type: 'election', list: ['m'] })]);
    expect(again.state.value).toMatchObject({ member: 'participating' });
  });

  it('[CI9] a follower that receives a list with a smaller largest id takes that one for the leader', () => {
    const following = [elect, coordinator(['m', 'x', 'z'], 'x')];
    expect(after(...following, coordinator(['a', 'm', 'x'], 'x')).state).toMatchObject({
      value: { member: { follower: 'unsure' } },
      context: { leader: 'x' },
    });
    expect(after(...following, coordinator(['a', 'm'], 'a')).state).toMatchObject({
      value: { member: { leader: 'unsure' } },
      context: { leader: 'm' },
    });
    expect(after(...following, coordinator(['zz'], 'zz')).state.context.leader).toBe('z');
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('collected-ids assumptions', () => {
  const knowsTheLeader = 'every live node knows the one leader';
  const oneLeader = 'at most one node is the leader';

  proof.each([
    [2, 'a lost message', { losses: 1 }, { [oneLeader]: 'holds', [quiescence]: 'violated in 4' }],
    [
      3,
      'a lost message',
      { losses: 1 },
      { [oneLeader]: 'holds', [knowsTheLeader]: 'violated in 6' },
    ],
    [2, 'a crash', { crashes: 1 }, { [oneLeader]: 'holds', [knowsTheLeader]: 'violated in 2' }],
    [3, 'a crash', { crashes: 1 }, { [oneLeader]: 'holds', [knowsTheLeader]: 'violated in 4' }],
    [
      2,
      'a duplicated message',
      { duplications: 1 },
      { [oneLeader]: 'holds', [everyMessageHandled]: 'holds' },
    ],
    [2, 'a restart', { crashes: 1, restarts: 1 }, { [everyMessageHandled]: 'violated in 5' }],
  ] as const)('ring of %i, %s', (n, _what, budget, verdicts) => {
    expect(outcomeOf(collectedIds, complete(n), budget).verdicts).toMatchObject(verdicts);
  });

  it('if the announcement ends at the leader, the nodes behind it never learn of it: the page shows the shortest run', () => {
    const endsAtLeader = learningBy(
      { guard: 'own', target: 'leader', actions: 'learn' },
      { target: 'follower', actions: ['learn', 'inform'] },
    );
    const { verdicts, traces } = outcomeOf(
      withMachine(collectedIds, endsAtLeader),
      complete(['a', 'c', 'b']),
      { initiators: ['a'] },
    );
    expect(verdicts).toMatchObject({ [quiescence]: 'violated in 5' });
    expect(page).toContain(traces[quiescence]);
  });
});

describe('collected-ids cost', () => {
  it.each([complete(2), complete(3)])(
    'is 2n for each initiator in every interleaving, and no less: $spec',
    (topology) => {
      const n = topology.nodes.length;
      expectTight(collectedIds, topology, {}, 2 * n, 'elect');
    },
  );

  proof(
    'is 2n times the number of initiators that start before a message wakes them, for n = 2 … 64',
    () => {
      for (const n of [2, 3, 8, 64])
        for (const initiators of [1, 2, n])
          for (const conditions of conditionsFor(collectedIds)) {
            const topology = complete(n);
            const workload = oneShot(
              { type: 'elect' },
              { nodes: topology.nodes.slice(0, initiators) },
            );
            const { messages } = simulate({
              protocol: { ...collectedIds, properties: [] },
              topology,
              workload,
              conditions,
            });
            expect(messages).toEqual({ election: n * initiators, coordinator: n * initiators });
          }
    },
  );
});

// B2 with acknowledgements: nodes may crash.

const protocol = collectedIdsAcknowledged();
const crash: ExploreOptions = { crashes: 1 };
/** Every message takes 250 ms: far fewer interleavings. */
const fixed: ExploreOptions = { ...crash, time: { kind: 'exact', delay: [250, 250] } };

const statesOf = (n: number, options: ExploreOptions, initiators: readonly NodeId[]) =>
  rings(n).reduce((sum, { nodes }) => {
    const found = explore(protocol, complete(nodes), { ...options, initiators });
    expect(found.complete).toBe(true);
    expect(failing(found)).toEqual([]);
    return sum + found.states;
  }, 0);

describe('collected-ids acknowledged', () => {
  it('its properties hold in every interleaving with one crash: rings of 2, each node may start', () => {
    expect(statesOf(2, crash, ['a', 'b'])).toBe(2247);
  });

  const systems = [
    [3, ['a'], 18_194, crash],
    [4, ['a'], 13_734, fixed],
    [3, ['a', 'b'], 17_342, fixed],
    [3, ['b', 'c'], 17_339, fixed],
  ] as const;
  proof.each(systems)(
    'its properties hold in every interleaving with one crash: rings of %i in any order, initiators %j',
    (n, initiators, states, options) => {
      expect(statesOf(n, options, initiators)).toBe(states);
    },
  );

  proof('without a crash, the properties of the problem hold on rings of 2 and 3', () => {
    const properties = [...decision, ...termination, largestLeads];
    for (const { topology, budget } of anyInitiators(rings(2)))
      expect(
        failing(explore({ ...protocol, properties }, complete(topology.nodes), budget)),
      ).toEqual([]);
    for (const { topology, budget } of anyInitiators(rings(3)))
      expect(
        failing(
          explore({ ...protocol, properties }, complete(topology.nodes), {
            ...fixed,
            ...budget,
            crashes: 0,
          }),
        ),
      ).toEqual([]);
  });

  it('costs 4n for each initiator', () => {
    for (const n of [2, 3, 8])
      for (const initiators of [1, n]) {
        const topology = complete(n);
        const workload = oneShot({ type: 'elect' }, { nodes: topology.nodes.slice(0, initiators) });
        const { messages } = simulate({
          protocol: { ...protocol, properties: [] },
          topology,
          workload,
        });
        expect(messages).toEqual({
          election: n * initiators,
          coordinator: n * initiators,
          ack: 2 * n * initiators,
        });
      }
  });
});

describe('collected-ids acknowledged: mutants', () => {
  const changed = (path: readonly string[], fields: Parameters<typeof withState>[2]) =>
    withMachine(protocol, withState(acknowledgedMachine, path, fields));
  const ack = [
    { guard: and(['isAwaited', 'isLast']), target: 'quiet', actions: 'crossOff' },
    { guard: 'isAwaited', target: 'awaiting', reenter: true, actions: 'crossOff' },
    {},
  ];
  const skipping = { target: 'awaiting', reenter: true, actions: ['skip', 'resend'] };
  const systems: readonly [number, ExploreOptions][] = [
    [2, { crashes: 1 }],
    [3, { ...fixed, initiators: ['a', 'b'] }],
  ];

  proof.each([
    [
      'a node sends again to the node that does not answer',
      changed(['link', 'awaiting'], {
        on: { ack },
        after: { timeout: { target: 'awaiting', reenter: true, actions: 'resend' } },
      }),
      'complete:2, 6 steps: after a time-out, a node leaves the next one out, and sends what it has not acknowledged',
    ],
    [
      'a node that is alone does not receive its own messages',
      changed(['link', 'awaiting'], { on: { ack }, after: { timeout: skipping } }),
      'complete:2, 9 steps: a node that has waited too long for the leader starts again',
    ],
    [
      'a node does not acknowledge announcements',
      changed(['link'], { on: { election: { actions: 'acknowledge' } } }),
      'complete:2, 6 steps: a node acknowledges each message once',
    ],
    [
      'a follower keeps the leader that it knew first',
      changed(['member', 'follower'], {
        on: {
          elect: {},
          election: { guard: 'listed', actions: 'announce' },
          coordinator: [{ guard: 'informed', target: '.sure' }, { actions: 'inform' }],
        },
      }),
      'complete:3, 26 steps: all nodes know the same leader when no message is on its way',
    ],
  ])('the explorer refutes the mutant: %s', (_name, mutant, refuted) => {
    const refute = ([n, options]: (typeof systems)[number]): string | undefined => {
      const found = explore(mutant, complete(n), {
        ...options,
        all: false,
        limits: { states: 20_000 },
      });
      const violated = found.properties.find(({ verdict }) => verdict === 'violated');
      return violated && `complete:${n}, ${violated.trace?.lines.length} steps: ${violated.name}`;
    };
    const [small, large] = systems;
    expect((small && refute(small)) ?? (large && refute(large))).toBe(refuted);
  });
});

/** As on the page: without starts and ends of timers. */
const pageLines = (lines: Parameters<typeof linesText>[0]): readonly string[] =>
  withoutTimers(linesText(lines).replaceAll(/(, )?(start|cancel) patience\.[^\s,]+( \d+ms)?/g, ''));

describe('collected-ids acknowledged: assumptions', () => {
  proof('time-outs that end too early make two leaders: the page shows the shortest run', () => {
    const found = explore(protocol, complete(2), {
      initiators: ['a'],
      time: 'untimed',
      limits: { states: 2000 },
    });
    const trace = found.properties.find(
      ({ name }) => name === 'at most one node is the leader',
    )?.trace;
    expect(trace?.lines).toHaveLength(4);
    for (const line of pageLines(trace?.lines ?? [])) expect(page).toContain(line);
  });

  it('two leaders stay: nothing is on its way any more, and no timer runs; the page shows the shortest run', () => {
    const { properties } = explore(collectedIdsAcknowledged({ timeout: 200 }), complete(2), {
      initiators: ['a'],
      time: { kind: 'exact', delay: [100, 100] },
    });
    const trace = properties.find(
      ({ name }) => name === 'all nodes know the same leader when no message is on its way',
    )?.trace;
    const lines = pageLines(trace?.lines ?? []);
    expect(lines).toHaveLength(7);
    expect(page).toContain(lines.join('\n'));
  });

  it.each([
    [3, 'holds'],
    [2, 'violated in 6'],
  ])('messages take 0 or 1 ms, and `timeout` is %i ms: one leader %s', (timeout, verdict) => {
    const options: ExploreOptions = { initiators: ['a'], time: { kind: 'exact', delay: [0, 1] } };
    const { verdicts } = outcomeOf(collectedIdsAcknowledged({ timeout }), complete(2), options);
    expect(verdicts['at most one node is the leader']).toBe(verdict);
  });

  proof('two crashes on a ring of 3, one initiator: the last node starts again, and leads', () => {
    const found = explore(protocol, complete(3), { initiators: ['a'], crashes: 2 });
    expect([found.complete, found.states, ...failing(found)]).toEqual([true, 30_767]);
  });
});
