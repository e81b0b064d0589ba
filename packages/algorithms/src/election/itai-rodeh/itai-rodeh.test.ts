import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import {
  almostSurely,
  eventually,
  type LocalState,
  type NodeId,
  type Protocol,
  type SystemView,
  send,
} from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { ring, type Topology } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign, emit } from 'xstate';
import { expectTight } from '../../contract/cost.contract.js';
import { propertyNamed } from '../../contract/findings.js';
import { harmonic, lineThrough } from '../../contract/fit.js';
import { mutantOf, withMachine, withState } from '../../contract/mutant.js';
import { shuffledRing } from '../../contract/networks.contract.js';
import { takeAll } from '../../contract/take-all.js';
import {
  handled,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { decision, termination } from '../election.js';
import { type Event, machine } from './itai-rodeh.js';
import { itaiRodeh } from './protocol.js';

const protocol = itaiRodeh();
const mutant = mutantOf(protocol);

/** Nodes have no ids, so that one order of names is enough. */
const anyInitiators = (n: number) =>
  Array.from({ length: n }, (_, place) => ({
    topology: ring(n),
    budget: { initiators: ring(n).nodes.slice(0, place + 1) },
  }));

electionContract({
  protocol,
  topologies: [
    ring(2),
    ring(['a', 'c', 'b']),
    ring(4),
    ring(['c', 'a', 'e', 'b', 'd']),
    shuffledRing(12, 5),
  ],
  small: [
    { topology: ring(2), budget: {} },
    { topology: ring(['a', 'c', 'b']), budget: { initiators: ['a'] } },
  ],
  explored: [
    ['ring of 2, one or two initiators', anyInitiators(2), {}, 97],
    ['ring of 3, each set of neighbours starts', anyInitiators(3), {}, 3219],
    ['ring of 4, each node may start', ring(4), {}, 137_221],
  ],
  costs: [ring(2), ring(3), ring(16), shuffledRing(16, 1), shuffledRing(33, 2)],
  mutants: {
    'equal ids are not marked': mutant(
      'ring:2, 8 steps: at most one node is the leader',
      machine.provide({
        actions: {
          passOnMarked: emit(({ context, event }) =>
            send(context.next, {
              type: 'election',
              id: 'id' in event ? event.id : 0,
              hop: 'hop' in event ? event.hop + 1 : 0,
              unique: true,
            }),
          ),
        },
      }),
    ),
    'equal ids are extinguished': mutant(
      'ring:2, 6 steps: no node waits in a quiescent state',
      machine.provide({ guards: { equal: () => false } }),
    ),
    'a node stops larger ids, too': mutant(
      'ring:2, 6 steps: no node waits in a quiescent state',
      machine.provide({ guards: { larger: () => false } }),
    ),
    'a message is back one hop too early': mutant(
      'ring:2, 4 steps: no message takes more hops than there are nodes',
      machine.provide({
        guards: {
          cameBack: ({ context, event }) => 'hop' in event && event.hop === context.size - 1,
        },
      }),
    ),
    'the leader counts as one hop before itself': mutant(
      'ring:2, 4 steps: a node that is the leader knows itself as the leader',
      machine.provide({ actions: { lead: assign({ leader: 1 }) } }),
    ),
  },
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const isDecided = (system: SystemView) =>
  system.count('terminated') === 1 && system.count('decided') === system.live;

describe('itai-rodeh rules', () => {
  const asleep: LocalState = start(machine, 'm', { next: 'n', size: 4, ids: 3 }).state;
  const after = (...events: Event[]) => takeAll(machine, 'm', asleep, events);
  const elect: Event = { type: 'elect' };
  const chosen = (value: number): Event => ({ type: 'chosen', value });
  const election = (id: number, hop: number, unique: boolean): Event => ({
    type: 'election',
    id,
    hop,
    unique,
    from: 'l',
  });
  const elected = (hop: number): Event => ({ type: 'elected', hop, from: 'l' });
  const sends = (id: number, hop: number, unique: boolean) =>
    send('n', { type: 'election', id, hop, unique });
  const active = [elect, chosen(2)];

  it('[IRA1] an initiator draws an id; all others ignore elect', () => {
    const { state, effects } = after(elect);
    expect(state).toMatchObject({ value: 'drawing', context: { id: 0 } });
    expect(effects).toEqual([{ type: 'choose', options: [1, 2, 3], weights: [1, 1, 1] }]);
    for (const before of [
      active,
      [election(1, 1, true)],
      [...active, election(2, 4, true)],
      [election(1, 1, true), elected(1)],
    ]) {
      const ignored = after(...before, elect);
      expect(ignored.state).toEqual(after(...before).state);
      expect(ignored.effects).toEqual([]);
    }
  });

  it('[IRA2] a node that has drawn an id is active and sends it', () => {
    const { state, effects } = after(...active);
    expect(state).toMatchObject({ value: 'active', context: { id: 2 } });
    expect(effects).toEqual([sends(2, 1, true)]);
  });

  it('[IRA3] a sleeping node becomes passive, and passes on every id, as it does from then on', () => {
    for (const id of [1, 3])
      for (const unique of [true, false])
        for (const before of [[], [election(2, 1, true)], [...active, election(3, 1, true)]]) {
          const { state, effects } = after(...before, election(id, 2, unique));
          expect(state.value).toBe('passive');
          expect(effects).toEqual([sends(id, 3, unique)]);
        }
  });

  it('[IRA4] an active node becomes passive on a larger id, and passes it on', () => {
    const { state, effects } = after(...active, election(3, 2, false));
    expect(state.value).toBe('passive');
    expect(effects).toEqual([sends(3, 3, false)]);
  });

  it('[IRA5] an active node marks its own id from another node, and stays active', () => {
    const { state, effects } = after(...active, election(2, 3, true));
    expect(state.value).toBe('active');
    expect(effects).toEqual([sends(2, 4, false)]);
  });

  it('[IRA6] an active node stops a smaller id', () => {
    const { state, effects } = after(...active, election(1, 1, true));
    expect(state.value).toBe('active');
    expect(effects).toEqual([]);
  });

  it('[IRA7] a node whose id comes back without a mark is the leader, and announces it', () => {
    const { state, effects } = after(...active, election(2, 4, true));
    expect(state).toMatchObject({ value: { leader: 'announcing' }, context: { leader: 0 } });
    expect(effects).toEqual([send('n', { type: 'elected', hop: 1 })]);
  });

  it('[IRA8] a node whose id comes back marked draws again', () => {
    const { state, effects } = after(...active, election(2, 4, false));
    expect(state.value).toBe('drawing');
    expect(effects).toEqual([{ type: 'choose', options: [1, 2, 3], weights: [1, 1, 1] }]);
    expect(after(...active, election(2, 4, false), chosen(3))).toMatchObject({
      state: { context: { id: 3 } },
      effects: [sends(3, 1, true)],
    });
  });

  it('[IRA9] a passive node notes how far the leader is', () => {
    const { state, effects } = after(election(2, 1, true), elected(3));
    expect(state).toMatchObject({ value: 'follower', context: { leader: 3 } });
    expect(effects).toEqual([send('n', { type: 'elected', hop: 4 })]);
  });

  it('[IRA10] the leader whose announcement returns has terminated', () => {
    expect(after(...active, election(2, 4, true), elected(4)).state.value).toEqual({
      leader: 'known',
    });
  });

  it('draws from 2 ids at least', () => {
    for (const ids of [1, 0, 2.5])
      expect(() => itaiRodeh({ ids })).toThrow(
        `itaiRodeh: ids is ${ids}. Give a whole number, 2 or more.`,
      );
  });
});

describe('itai-rodeh properties', () => {
  it('are those of the problem; of those of all runs, with probability 1', () => {
    const kinds = [...decision, ...termination].map(({ name, kind }) => [
      name,
      kind === 'eventually' ? 'almostSurely' : kind,
    ]);
    expect(
      protocol.properties.slice(0, kinds.length).map(({ name, kind }) => [name, kind]),
    ).toEqual(kinds);
  });

  it('neither weak nor strong fairness keeps nodes from drawing equal ids forever: the page shows the run', () => {
    for (const fairness of ['weak', 'strong'] as const) {
      const [found] = explore(protocol, ring(2), {
        properties: [eventually('the election ends', isDecided)],
        fairness,
      }).properties;
      expect(found).toMatchObject({ verdict: 'violated', loopsFrom: 4 });
      expect(page).toContain(linesText(found?.trace?.lines ?? []));
    }
  });

  const ends = almostSurely('the election ends', isDecided);
  const endOf = (explored: ReturnType<typeof explore>) =>
    propertyNamed(explored.properties, ends.name).verdict;

  it.each([
    [2, 2, 85],
    [3, 2, 1093],
    [3, 3, 2929],
    [4, 2, 13_935],
  ])(
    'the election ends with probability 1 in any order of steps: ring of %i, %i ids',
    (n, ids, states) => {
      const explored = explore(itaiRodeh({ ids }), ring(n), { properties: [ends] });
      expect([explored.states, endOf(explored)]).toEqual([states, 'holds']);
    },
  );

  it('it does not if a node keeps its id', () => {
    const keeping = withState(machine, ['active'], {
      on: {
        elect: {},
        election: [
          {
            guard: ({
              context,
              event,
            }: {
              context: { size: number };
              event: { hop: number; unique: boolean };
            }) => event.hop === context.size && event.unique,
            target: 'leader',
            actions: ['lead', 'announce'],
          },
          { guard: 'cameBack', actions: 'sendId' },
          { guard: 'larger', target: 'passive', actions: 'passOn' },
          { guard: 'equal', actions: 'passOnMarked' },
          {},
        ],
      },
    });
    expect(endOf(explore(withMachine(protocol, keeping), ring(2), { properties: [ends] }))).toBe(
      'violated',
    );
    expect(endOf(explore(protocol, ring(2), { losses: 1, properties: [ends] }))).toBe('violated');
  });
});

describe('itai-rodeh assumptions', () => {
  const coins = itaiRodeh({ ids: 2 });
  const safety = Object.fromEntries(
    [
      'at most one node is the leader',
      'all nodes that know a leader know the same one',
      'a node has terminated while another one does not know the leader',
    ].map((name) => [name, 'holds']),
  );

  it.each([
    [2, 'a lost message', { losses: 1 }, { ...safety, [quiescence]: 'violated in 5' }],
    [3, 'a lost message', { losses: 1 }, { ...safety, [quiescence]: 'violated in 7' }],
    [2, 'a crash', { crashes: 1 }, { ...safety, [quiescence]: 'violated in 5' }],
    [3, 'a crash', { crashes: 1 }, { ...safety, [quiescence]: 'violated in 7' }],
    [2, 'a duplicated message', { duplications: 1 }, { [handled]: 'violated in 5' }],
    [
      2,
      'any order',
      { order: 'any' },
      {
        [handled]: 'violated in 6',
        'no message takes more hops than there are nodes': 'violated in 10',
      },
    ],
  ] as const)('ring of %i, %s', (n, _what, budget, verdicts) => {
    expect(outcomeOf(coins, ring(n), budget).verdicts).toMatchObject(verdicts);
  });

  it('the page shows the shortest run without FIFO', () => {
    expect(page).toContain(outcomeOf(coins, ring(2), { order: 'any' }).traces[handled]);
  });

  proof('a restarted node can be counted as informed: the page has the length of the run', () => {
    const { properties } = explore(coins, ring(2), {
      crashes: 1,
      restarts: 1,
      limits: { states: 50_000 },
    });
    expect(
      properties.find(({ name }) => name.startsWith('a node has terminated'))?.trace?.lines,
    ).toHaveLength(8);
  });

  proof(
    'nodes that take the ring for smaller than it is can elect two leaders: the page shows the shortest run',
    () => {
      const [role] = Object.values(coins.roles);
      if (!role) throw new Error('there is one');
      const input = (self: NodeId, topology: Topology) => ({
        next: topology.successors(self)[0] ?? self,
        size: topology.nodes.length / 2,
        ids: 2,
      });
      const properties = decision.slice(0, 1);
      const wrong = ignoringUnexpected({
        ...coins,
        roles: { node: { ...role, input } },
        properties,
      });
      const found = explore(wrong, ring(4), { initiators: ['a', 'c'], limits: { states: 20_000 } });
      const { verdict, trace } = propertyNamed(found.properties, 'at most one node is the leader');
      expect(verdict).toBe('violated');
      expect(page).toContain(linesText(trace?.lines ?? []));
    },
  );
});

describe('itai-rodeh cost', () => {
  const mean = (n: number, runs: number, options?: Parameters<typeof itaiRodeh>[0]) => {
    const bare: Protocol = { ...itaiRodeh(options), properties: [] };
    let total = 0;
    for (let seed = 1; seed <= runs; seed++)
      total += totalMessages(
        simulate({ protocol: bare, topology: ring(n), seed, workload: oneShot({ type: 'elect' }) }),
      );
    return total / runs;
  };

  it('is 2n if one node starts, and never less', () => {
    expectTight(itaiRodeh(), ring(3), { initiators: ['a'] }, 6, 'elect');
  });

  proof('grows like n·H_n on average if all nodes start', () => {
    const points = [8, 16, 32, 64, 128].map((n) => ({ x: harmonic(n), y: mean(n, 60) / n }));
    const { slope, correlation } = lineThrough(points);
    expect(correlation).toBeGreaterThan(0.98);
    expect(slope).toBeGreaterThan(0.9);
    expect(slope).toBeLessThan(1.3);
    expect(mean(1000, 2) / (1000 * harmonic(1000) + 1000)).toBeLessThan(1.4);
  });

  it('grows like n² with two ids', () => {
    for (const n of [16, 32]) {
      const ratio = mean(n, 20, { ids: 2 }) / n ** 2;
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.6);
    }
  });
});
