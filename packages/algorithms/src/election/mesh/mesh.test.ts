import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { type LocalState, type NodeId, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { grid, type Topology } from '@conclave/core/topology';
import { linesText, parseTrace, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { gridOf, grids } from '../../checks/networks.js';
import { lineThrough } from '../../contract/cost.contract.js';
import { mutantOf, takeAll, withMachine } from '../../contract/machines.contract.js';
import { anyInitiators } from '../../contract/networks.contract.js';
import { conditionsFor } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { alongBorder, type Event, machine } from './mesh.js';
import { mesh } from './protocol.js';

const mutant = mutantOf(mesh);
const square = grid(2, 2);
/** Every direction of every corner. */
const allDirections = Array.from({ length: 16 }, (_, bits) => bits);

const twoByThree = gridOf(2, 3, ['a', 'z', 'm9', 'b']);
const largestCorner = (network: Topology) =>
  [...network.nodes]
    .filter((id) => network.successors(id).length === 2)
    .sort()
    .at(-1) ?? '';

electionContract({
  protocol: mesh,
  topologies: [twoByThree, square, gridOf(2, 2, ['a', 'z', 'b', 'm9'], 9), grid(3, 3)],
  small: [{ topology: gridOf(2, 2, ['a', 'b', 'z', 'm9'], 6), budget: { initiators: ['b'] } }],
  explored: [
    [
      '2 × 2 and 2 × 3, one node starts',
      [
        { topology: square, budget: { initiators: ['a'] } },
        ...['a', 'm0'].map((id) => ({ topology: twoByThree, budget: { initiators: [id] } })),
      ],
      {},
      83_492,
    ],
    ['2 × 2 in any order, any set of initiators', anyInitiators(grids(2, 2, [9])), {}, 241_810],
  ],
  costs: [square, grid(2, 3), grid(3, 3), grid(2, 20), grid(7, 5), grid(9, 9)],
  winner: largestCorner,
  mutants: {
    'a border node takes the link across for one along the border': mutant(
      `${twoByThree.spec}, 15 steps: the leader is the corner with the largest id`,
      machine.provide({
        actions: {
          findBorder: assign(({ context }) => ({
            along: context.neighbours.slice(0, 2),
            beyond: {},
          })),
        },
      }),
    ),
  },
});

describe('mesh rules', () => {
  const nodeWith = (neighbours: readonly NodeId[]): LocalState =>
    start(machine, 'm', { self: 'm', neighbours }).state;
  const corner = nodeWith(['p', 'q']);
  const border = nodeWith(['p', 'q', 'r']);
  const interior = nodeWith(['p', 'q', 'r', 's']);
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'm', state, events);
  const elect: Event = { type: 'elect' };
  const wakeUp = (from: NodeId, neighbours: readonly NodeId[] = []): Event => ({
    type: 'wake-up',
    neighbours,
    from,
  });
  const candidate = (id: NodeId, from: NodeId): Event => ({ type: 'candidate', id, from });
  const elected = (id: NodeId, from: NodeId): Event => ({ type: 'elected', id, from });
  const wakes = (...ids: NodeId[]) =>
    ids.map((id) => send(id, { type: 'wake-up', neighbours: ids }));
  const sends = (type: 'candidate' | 'elected', id: NodeId, ...to: NodeId[]) =>
    to.map((other) => send(other, { type, id }));
  /**
   * p, m and q in a line along the border, and r across: p and r are neighbours of x, q and r of y.
   */
  const [p, q, r] = [
    wakeUp('p', ['m', 'x']),
    wakeUp('q', ['m', 'y']),
    wakeUp('r', ['m', 'x', 'y', 'z']),
  ];

  it('[ME1] a node that is told to elect, or woken, tells all neighbours who its neighbours are, once', () => {
    for (const event of [elect, wakeUp('q')]) {
      const { state, effects } = after(interior, event);
      expect(effects).toEqual(wakes('p', 'q', 'r', 's'));
      for (const again of [elect, wakeUp('p')])
        expect(step(machine, 'm', state, again)).toEqual({ state, effects: [] });
    }
  });

  it('[ME2] a corner that wakes up sends its id to one neighbour', () => {
    for (const event of [elect, wakeUp('p', ['m'])]) {
      const { state, effects } = after(corner, event);
      expect(state.value).toEqual({ awake: 'corner' });
      expect(effects).toEqual([...wakes('p', 'q'), ...sends('candidate', 'm', 'p')]);
    }
  });

  it('[ME3] a border node finds its neighbours along the border when it has heard from all three, in any order', () => {
    for (const events of [
      [elect, p, q, r],
      [r, q, p],
      [q, r, p],
    ]) {
      expect(after(border, ...events.slice(0, -1)).state.value).toEqual({ awake: 'learning' });
      expect(after(border, ...events).state).toMatchObject({
        value: { awake: 'relaying' },
        context: { along: ['p', 'q'], beyond: {}, held: [] },
      });
    }
  });

  it('[ME3] the neighbours along the border are those with one common neighbour: at every border node of every grid of up to 6 × 6', () => {
    let checked = 0;
    for (let rows = 2; rows <= 6; rows++)
      for (let columns = 2; columns <= 6; columns++) {
        const network = grid(rows, columns);
        for (const id of network.nodes) {
          const neighbours = network.successors(id);
          if (neighbours.length !== 3) continue;
          const beyond = Object.fromEntries(
            neighbours.map((other) => [other, network.successors(other)]),
          );
          const ports = alongBorder(neighbours, beyond).map(
            (other) => network.link(id, other)?.port,
          );
          expect([...ports].sort()).toEqual(
            network.at(id, 'north') && network.at(id, 'south')
              ? ['north', 'south']
              : ['east', 'west'],
          );
          checked++;
        }
      }
    expect(checked).toBe(200);
  });

  it('[ME4] a border node passes candidates straight along the border; those that came before it knew, in their order', () => {
    const early = after(border, p, candidate('a', 'p'), candidate('z', 'q'), q);
    expect(early.effects).toEqual([]);
    expect(after(early.state, r).effects).toEqual([
      ...sends('candidate', 'a', 'q'),
      ...sends('candidate', 'z', 'p'),
    ]);
    expect(after(border, p, q, r, candidate('a', 'q')).effects).toEqual(
      sends('candidate', 'a', 'p'),
    );
  });

  it('[ME5] a corner passes a larger candidate on along the border, and drops a smaller one', () => {
    for (const [from, to] of [
      ['p', 'q'],
      ['q', 'p'],
    ] as const)
      expect(after(corner, elect, candidate('z', from)).effects).toEqual(
        sends('candidate', 'z', to),
      );
    const { state, effects } = after(corner, elect, candidate('a', 'p'));
    expect(state.value).toEqual({ awake: 'corner' });
    expect(effects).toEqual([]);
  });

  it('[ME6] a corner whose id returns is the leader and tells its neighbours', () => {
    const { state, effects } = after(corner, elect, candidate('m', 'q'));
    expect(state).toMatchObject({ value: 'leader', context: { leader: 'm' } });
    expect(effects).toEqual(sends('elected', 'm', 'p', 'q'));
  });

  it('[ME7] every other node notes the leader and tells its other neighbours; an interior node does nothing else', () => {
    const awake = [after(corner, elect), after(border, p, q, r), after(interior, elect)];
    const others = [['p'], ['p', 'r'], ['p', 'r', 's']];
    for (const [index, { state }] of awake.entries()) {
      const taken = step(machine, 'm', state, elected('z', 'q'));
      expect(taken.state).toMatchObject({ value: 'follower', context: { leader: 'z' } });
      expect(taken.effects).toEqual(sends('elected', 'z', ...(others[index] ?? [])));
    }
  });

  it('[ME8] a node that knows the leader ignores all that is still on its way', () => {
    for (const { state } of [
      after(corner, elect, candidate('m', 'q')),
      after(interior, elect, elected('z', 'p')),
    ])
      for (const event of [elect, wakeUp('q'), candidate('b', 'q'), elected('z', 'q')])
        expect(step(machine, 'm', state, event)).toEqual({ state, effects: [] });
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const oneLeader = 'at most one node is the leader';

describe('mesh assumptions', () => {
  const fromA = { initiators: ['a'] };

  proof.each([
    ['a lost message', { losses: 1 }, everyMessageHandled, 2],
    ['a crash', { crashes: 1 }, 'every live node knows the one leader', 1],
    ['a restart', { crashes: 1, restarts: 1 }, everyMessageHandled, 4],
    ['messages out of order', { order: 'any' }, everyMessageHandled, 1],
  ] as const)(
    '%s never makes two leaders on 2 × 2, and has this shortest run',
    (_what, budget, broken, steps) => {
      const ignoring = outcomeOf(ignoringUnexpected(mesh), square, { ...fromA, ...budget });
      expect(ignoring.verdicts).toMatchObject({ [oneLeader]: 'holds' });
      expect(ignoring.verdicts[quiescence]).toMatch(/^violated in/);
      expect(outcomeOf(mesh, square, { ...fromA, ...budget }).verdicts).toMatchObject({
        [broken]: `violated in ${steps}`,
      });
    },
  );

  it('a duplicated message does no harm on 2 × 2', () => {
    const { verdicts, states } = outcomeOf(mesh, square, { ...fromA, duplications: 1 });
    expect(
      Object.values(verdicts).filter((verdict) => verdict !== 'holds' && verdict !== 'reached'),
    ).toEqual([]);
    expect(states).toBe(14_807);
  });

  proof(
    'if border nodes passed candidates on across, the wrong corner could win on 2 × 3: the page shows the shortest run',
    () => {
      const across = withMachine(
        mesh,
        machine.provide({
          actions: {
            findBorder: assign(({ context }) => ({
              along: context.neighbours.slice(0, 2),
              beyond: {},
            })),
          },
        }),
      );
      const network = gridOf(2, 3, ['a', 'z', 'm9', 'b']);
      const { properties } = explore(across, network, { ...fromA, all: false });
      const [wrong] = properties.filter(({ verdict }) => verdict === 'violated');
      const [, shown = ''] = /```text\n([^`]*# variant[^`]*)```/.exec(page) ?? [];
      expect(wrong).toMatchObject({ name: 'the leader is the corner with the largest id' });
      expect(linesText(parseTrace(shown).lines)).toBe(linesText(wrong?.trace?.lines ?? []));
      expect(replay(across, network, parseTrace(shown))).toEqual({
        steps: wrong?.trace?.lines.length,
      });
    },
  );
});

describe('mesh cost', () => {
  const run = (
    ...[topology, seed = 1, nodes = topology.nodes]: [
      ReturnType<typeof grid>,
      number?,
      (readonly string[])?,
    ]
  ) =>
    simulate({
      protocol: mesh,
      topology,
      workload: oneShot({ type: 'elect' }, { nodes }),
      seed,
      conditions: conditionsFor(mesh).at(-1) ?? {},
    });

  proof(
    'is 2m to wake all and 2m − n + 1 to announce, for all initiators; the candidates cost at most 6 max(a, b) + 4 min(a, b) − 10',
    () => {
      for (let rows = 2; rows <= 5; rows++)
        for (let columns = rows; columns <= 5; columns++)
          for (const nodes of [undefined, ['a'], ['b', 'c']]) {
            const network = grid(rows, columns);
            const [n, m] = [network.nodes.length, network.links.length / 2];
            const result = run(network, 7, nodes);
            expect(result.messages).toMatchObject({ 'wake-up': 2 * m, elected: 2 * m - n + 1 });
            expect(mesh.cost?.messages(n, network).most).toBeLessThanOrEqual(
              7 * n + 2 * columns - 9,
            );
            expect(totalMessages(result)).toBeLessThanOrEqual(
              mesh.cost?.messages(n, network).most ?? 0,
            );
            expect(totalMessages(result)).toBeGreaterThanOrEqual(
              mesh.cost?.messages(n, network).least ?? Infinity,
            );
          }
    },
  );

  proof(
    'reaches 7n + 2 max(a, b) − 9 for some order of the corners and some directions, on each of these grids',
    () => {
      for (const [rows, columns] of [
        [2, 2],
        [2, 3],
        [2, 4],
        [3, 3],
      ] as const) {
        const n = rows * columns;
        const networks = grids(rows, columns, allDirections);
        expect(
          Math.max(...networks.map((network) => mesh.cost?.messages(n, network).most ?? 0)),
        ).toBe(7 * n + 2 * columns - 9);
        const costs = networks.map((network) => totalMessages(run(network)));
        expect(Math.max(...costs)).toBe(7 * n + 2 * columns - 9);
        expect(Math.min(...costs)).toBeGreaterThanOrEqual(
          mesh.cost?.messages(n, networks[0]).least ?? Infinity,
        );
      }
    },
  );

  proof('grows by 7 messages a node on squares up to 50 × 50 and on grids of two rows', () => {
    const points = (sizes: readonly (readonly [number, number])[]) =>
      sizes.map(([rows, columns]) => ({
        x: rows * columns,
        y: totalMessages(run(grid(rows, columns))),
      }));
    const squares = lineThrough(points([5, 20, 35, 50].map((side) => [side, side])));
    const ladders = lineThrough(points([5, 50, 400].map((length) => [2, length])));
    for (const { slope, correlation } of [squares, ladders]) {
      expect(slope).toBeCloseTo(7, 1);
      expect(correlation).toBeGreaterThan(0.9999);
    }
    expect(totalMessages(run(grid(50, 50)))).toBe(17_542);
  });
});
