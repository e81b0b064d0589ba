import { readFileSync } from 'node:fs';
import { expected, explore } from '@conclave/check';
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
import { proof, quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { emit } from 'xstate';
import {
  expectTight,
  extremesOf,
  type Fraction,
  harmonic,
  lineThrough,
  over,
  plus,
  sum,
  text,
  whole,
} from '../../contract/cost.contract.js';
import { quick } from '../../contract/explored.contract.js';
import { propertyNamed } from '../../contract/findings.contract.js';
import { mutantOf, takeAll, withMachine, withState } from '../../contract/machines.contract.js';
import { shuffledRing } from '../../contract/networks.contract.js';
import {
  everyMessageHandled,
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
    [ring(4), {}, 137_221],
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

  it.each(
    quickOf(
      [
        [2, 2, 85],
        [3, 2, 1093],
        [3, 3, 2929],
        [4, 2, 13_935],
      ] as const,
      ([, , states]) => states <= quick,
    ),
  )(
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
    [2, 'a duplicated message', { duplications: 1 }, { [everyMessageHandled]: 'violated in 5' }],
    [
      2,
      'any order',
      { order: 'any' },
      {
        [everyMessageHandled]: 'violated in 6',
        'no message takes more hops than there are nodes': 'violated in 10',
      },
    ],
  ] as const)('ring of %i, %s', (n, _what, budget, verdicts) => {
    expect(outcomeOf(coins, ring(n), budget).verdicts).toMatchObject(verdicts);
  });

  it('the page shows the shortest run without FIFO', () => {
    expect(page).toContain(outcomeOf(coins, ring(2), { order: 'any' }).traces[everyMessageHandled]);
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

  proof('grows like n² with two ids', () => {
    for (const n of [16, 32]) {
      const ratio = mean(n, 20, { ids: 2 }) / n ** 2;
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.6);
    }
  });
});

// What an election costs on average, exactly: by a recursion over rounds, and by `expected`.

/** One draw of the active nodes: where they are on the ring, and their ids. */
type Drawn = readonly { readonly place: number; readonly id: number }[];

function drawsOf(active: readonly number[], ids: number): readonly Drawn[] {
  return active.reduce<readonly Drawn[]>(
    (found, place) =>
      found.flatMap((drawn) => Array.from({ length: ids }, (_, id) => [...drawn, { place, id }])),
    [[]],
  );
}

/** What one round costs. */
type Round = (drawn: Drawn, size: number) => number;

/** Each id goes on until a node has a larger one, or until it is back. */
const messages: Round = (drawn, size) =>
  drawn.reduce((total, { place, id }) => {
    const hops = drawn
      .filter((other) => other.id > id)
      .map((other) => (other.place - place + size) % size);
    return total + Math.min(size, ...hops);
  }, 0);
const draws: Round = (drawn) => drawn.length;

/** What all rounds cost on average: several nodes with the largest id draw again. */
function byRecursion(size: number, active: readonly number[], cost: Round): Fraction {
  const all = drawsOf(active, size);
  let again = 0;
  const costs = all.map((drawn): Fraction => {
    const largest = Math.max(...drawn.map(({ id }) => id));
    const next = drawn.filter(({ id }) => id === largest).map(({ place }) => place);
    const own = whole(cost(drawn, size));
    if (next.length === 1) return own;
    if (next.length < active.length) return plus(own, byRecursion(size, next, cost));
    again++;
    return own;
  });
  return over(sum(costs), whole(all.length - again));
}

const ringOf = (size: number) => Array.from({ length: size }, (_, place) => place);

/** All nodes have drawn before the first message arrives. */
const { drawing } = machine.config.states ?? {};
const together = withMachine(
  itaiRodeh(),
  withState(machine, [], {
    initial: 'starting',
    states: { ...machine.config.states, starting: { ...drawing, entry: 'draw' } },
  }),
);

it.each(
  quickOf(
    [
      [2, '9', '7', '4'],
      [3, '211/16', '163/16', '9/2'],
      [4, '5696/315', '4436/315', '16/3'],
    ],
    ([size]) => size === 2,
  ),
)(
  'itai-rodeh, where all nodes start at once ring of %i: %s messages, %s of them with ids, and %s draws, in any order of steps',
  (...row) => {
    const [size, total, election, drawn] = row;
    const nodes = ringOf(size);
    const elect = byRecursion(size, nodes, messages);
    expect(text(elect)).toBe(election);
    expect(text(plus(elect, whole(size)))).toBe(total);
    expect(text(byRecursion(size, nodes, draws))).toBe(drawn);
    const found = (cost: string) =>
      extremesOf(expected(together, ring(size), { cost, commands: 0 }).expectation);
    expect(['messages', 'election', 'draws'].map(found)).toEqual(
      [total, election, drawn].map((fraction) => [fraction, fraction]),
    );
  },
);

describe('itai-rodeh, where a scheduler decides who starts when', () => {
  const costs = ['messages', 'election', 'draws'];
  const found = (size: number) =>
    costs.map((cost) => extremesOf(expected(itaiRodeh(), ring(size), { cost }).expectation));

  it('costs least if one node starts, and on a ring of 2 most if both do', () => {
    expect(found(2)).toEqual([
      ['4', '9'],
      ['2', '7'],
      ['1', '4'],
    ]);
  });

  proof('costs more on a ring of 3 than if all start: a late node need not start', () => {
    expect(found(3)).toEqual([
      ['6', '217/16'],
      ['3', '169/16'],
      ['1', '41/9'],
    ]);
  });

  /**
   * Two nodes have drawn. The third one draws as well, or passes their ids on: what costs more
   * draws. If both have drawn the smallest id, it would probably draw a larger one and win.
   */
  it('draws 41/9 times on a ring of 3, since a scheduler sees what was drawn', () => {
    const [two, three] = [byRecursion(3, [0, 1], draws), byRecursion(3, [0, 1, 2], draws)];
    expect([two, three].map(text)).toEqual(['3', '9/2']);
    const ids = [0, 1, 2];
    const rest = (drawn: readonly number[]): Fraction => {
      const largest = Math.max(...drawn);
      const again = drawn.filter((id) => id === largest).length;
      return again === 1 ? whole(0) : again === 2 ? two : three;
    };
    const larger = (a: Fraction, b: Fraction) => (a[0] * b[1] > b[0] * a[1] ? a : b);
    const mean = (list: readonly Fraction[]) => over(sum(list), whole(list.length));
    const greatest = ids.flatMap((a) =>
      ids.map((b) => {
        const starts = plus(whole(1), mean(ids.map((c) => rest([a, b, c]))));
        const passes = rest([a, b]);
        expect(larger(starts, passes)).toBe(a === 0 && b === 0 ? passes : starts);
        return larger(starts, passes);
      }),
    );
    expect(text(plus(whole(2), mean(greatest)))).toBe('41/9');
  });
});
