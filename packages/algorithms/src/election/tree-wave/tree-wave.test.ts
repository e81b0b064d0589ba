import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { atMost, type LocalState, type NodeId, type Protocol, send } from '@conclave/core/protocol';
import { oneShot, simulate } from '@conclave/core/simulation';
import { chain, complete, star, type Topology, topology, tree } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { failing } from '../../contract/findings.contract.js';
import { mutantOf, takeAll, withMachine, withState } from '../../contract/machines.contract.js';
import { anyInitiators, labelledTrees } from '../../contract/networks.contract.js';
import { conditionsFor } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { treeWave } from './protocol.js';
import { type Event, machine } from './tree-wave.js';

const protocol: Protocol = treeWave;
const mutant = mutantOf(protocol);
const largest = ({ nodes }: Topology): NodeId => [...nodes].sort().at(-1) ?? '';
const tau = topology('edges:e-b,b-d,b-a,a-c');
const systems = (n: number) => anyInitiators(labelledTrees(n));

/** An echo that wakes a leaf is noted, as any other. */
const asSketched = withState(machine, ['asleep'], {
  on: {
    elect: [
      { guard: 'isAlone', target: 'leader', actions: 'learnOwn' },
      { target: 'awake', actions: 'explore' },
    ],
    explorer: { target: 'awake', actions: 'explore' },
    echo: { target: 'awake', actions: ['explore', 'note'] },
  },
});

electionContract({
  protocol,
  topologies: [chain(2), chain(['b', 'c', 'a']), star(4), tau],
  small: [
    { topology: chain(['b', 'c', 'a']), budget: { initiators: ['a', 'b'] } },
    { topology: star(4), budget: { initiators: ['b'] } },
  ],
  explored: [
    ['trees of up to 3 nodes, any set of initiators', [1, 2, 3].flatMap(systems), {}, 3_310],
    [
      'all trees of 4 nodes, any two initiators',
      systems(4).filter(({ budget }) => budget.initiators?.length === 2),
      {},
      45_408,
    ],
  ],
  costs: [chain(2), chain(9), star(9), tree(3, 40)],
  winner: largest,
  mutants: {
    'a leaf that is woken by an echo sends none': mutant(
      'edges:a,b,a-b, 3 steps: no node waits in a quiescent state',
      asSketched,
    ),
  },
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('tree-wave rules', () => {
  const neighbours = ['p', 'q', 'r'];
  const asleep = (neighbours: readonly NodeId[]): LocalState =>
    start(machine, 'm', { self: 'm', neighbours }).state;
  const run = (neighbours: readonly NodeId[], ...events: Event[]) =>
    takeAll(machine, 'm', asleep(neighbours), events);
  const after = (...events: Event[]) => run(neighbours, ...events);
  const elect: Event = { type: 'elect' };
  const explorer = (from: NodeId): Event => ({ type: 'explorer', from });
  const echo = (from: NodeId, id: NodeId): Event => ({ type: 'echo', id, from });
  const elected = (from: NodeId, id: NodeId): Event => ({ type: 'elected', id, from });
  const explores = (...ids: NodeId[]) => ids.map((id) => send(id, { type: 'explorer' }));

  it('[TW1] an initiator explores all its edges; a node that is awake ignores the command', () => {
    const { state, effects } = after(elect);
    expect(effects).toEqual(explores('p', 'q', 'r'));
    expect(state.value).toBe('awake');
    for (const before of [[explorer('p')], [elect], [elect, echo('p', 'a'), echo('q', 'b')]])
      expect(after(...before, elect)).toMatchObject({
        state: { value: after(...before).state.value },
        effects: [],
      });
    expect(run([], elect).state).toMatchObject({ value: 'leader', context: { leader: 'm' } });
  });

  it('[TW2] the first message wakes a node, which explores the other edges; later explorers are ignored', () => {
    for (const message of [explorer('q'), echo('q', 'z')]) {
      const { state, effects } = after(message);
      expect(effects).toEqual(explores('p', 'r'));
      expect(state.value).toBe('awake');
      expect(after(message, explorer('p')).effects).toEqual([]);
    }
  });

  it('[TW3] a node notes the sender of an echo and the larger id', () => {
    expect(after(elect, echo('q', 'z')).state.context).toMatchObject({
      pending: ['p', 'r'],
      max: 'z',
    });
    expect(after(elect, echo('q', 'a')).state.context).toMatchObject({
      pending: ['p', 'r'],
      max: 'm',
    });
  });

  it('[TW4] a node sends its echo to the last neighbour, a leaf when it wakes', () => {
    const { state, effects } = after(explorer('p'), echo('q', 'a'), echo('r', 'x'));
    expect(effects).toEqual([send('p', { type: 'echo', id: 'x' })]);
    expect(state.value).toBe('echoed');
    expect(run(['p'], explorer('p'))).toMatchObject({
      state: { value: 'echoed' },
      effects: [send('p', { type: 'echo', id: 'm' })],
    });
    expect(run(['p'], elect).effects).toEqual([
      ...explores('p'),
      send('p', { type: 'echo', id: 'm' }),
    ]);
    for (const [id, value, leader] of [
      ['a', 'leader', 'm'],
      ['z', 'follower', 'z'],
    ] as const)
      expect(run(['p'], echo('p', id))).toMatchObject({
        state: { value, context: { leader } },
        effects: [send('p', { type: 'echo', id: 'm' })],
      });
  });

  const echoed = [elect, echo('q', 'b'), echo('r', 'c')] as const;
  const tells = (leader: NodeId) =>
    ['q', 'r'].map((id) => send(id, { type: 'elected', id: leader }));

  it('[TW5] a node that gets an echo from that neighbour knows the leader, and tells the others', () => {
    expect(after(...echoed, echo('p', 'z'))).toMatchObject({
      state: { value: 'follower', context: { leader: 'z' } },
      effects: tells('z'),
    });
    expect(after(...echoed, echo('p', 'a'))).toMatchObject({
      state: { value: 'leader', context: { leader: 'm' } },
      effects: tells('m'),
    });
  });

  it('[TW6] a node that is told the leader tells the others', () => {
    expect(after(...echoed, elected('p', 'z'))).toMatchObject({
      state: { value: 'follower', context: { leader: 'z' } },
      effects: tells('z'),
    });
    expect(after(...echoed, elected('p', 'm'))).toMatchObject({
      state: { value: 'leader', context: { leader: 'm' } },
      effects: tells('m'),
    });
  });
});

describe('tree-wave assumptions', () => {
  const decided = 'every live node knows the one leader';
  const oneLeader = 'at most one node is the leader';

  it.each([
    ['a lost message', { losses: 1, initiators: ['a'] }, decided, 4],
    ['a crash', { crashes: 1 }, decided, 2],
    ['a duplicated message', { duplications: 1 }, everyMessageHandled, 3],
    ['a restart', { crashes: 1, restarts: 1 }, everyMessageHandled, 5],
  ])('%s has this shortest run', (_what, budget, violated, steps) => {
    expect(outcomeOf(protocol, chain(2), budget).verdicts).toMatchObject({
      [violated]: `violated in ${steps}`,
    });
  });

  proof(
    'a lost message or a crash never makes two leaders, a duplicated message or a restart does: the page shows it',
    () => {
      for (const n of [2, 3])
        for (const budget of [{ losses: 1 }, { crashes: 1 }])
          expect(outcomeOf(protocol, chain(n), budget).verdicts).toMatchObject({
            [oneLeader]: 'holds',
            [everyMessageHandled]: 'holds',
          });
      const { verdicts, traces } = outcomeOf(protocol, chain(3), { duplications: 1 });
      expect(verdicts[oneLeader]).toBe('violated in 5');
      expect(page).toContain(traces[oneLeader]);
      const restarted = outcomeOf(ignoringUnexpected(protocol), chain(3), {
        crashes: 1,
        restarts: 1,
      });
      expect(restarted.verdicts[oneLeader]).toBe('violated in 8');
    },
  );

  it('the page shows the run with a lost message, and the one in which a leaf only notes the echo that wakes it', () => {
    expect(page).toContain(
      outcomeOf(protocol, chain(2), { losses: 1, initiators: ['a'] }).traces[decided],
    );
    expect(page).toContain(
      outcomeOf(withMachine(protocol, asSketched), chain(2), { initiators: ['a'] }).traces[decided],
    );
  });

  it('in a network with a cycle all nodes wait', () => {
    const anywhere: Protocol = {
      ...protocol,
      topology: { ...protocol.topology, refuses: () => undefined },
    };
    const { verdicts } = outcomeOf(anywhere, complete(3), { initiators: ['a'] });
    expect(verdicts).toMatchObject({ [quiescence]: 'violated in 5' });
    expect(protocol.topology.refuses(complete(3))).toContain('cycle');
  });
});

describe('tree-wave cost', () => {
  /** Random trees: each node is linked with one before it. */
  const randomTree = (n: number, seed: number): Topology => {
    let last = seed;
    const below = (bound: number) => {
      last = (last * 48_271) % 2_147_483_647;
      return last % bound;
    };
    return topology(
      `edges:${Array.from({ length: n - 1 }, (_, i) => `n${below(i + 1)}-n${i + 1}`).join()}`,
    );
  };

  proof(
    'is n − 2 + k explorers, n echoes and n − 2 elected for k initiators, on random trees',
    () => {
      const met = new Set<number>();
      for (let n = 2; n <= 30; n += 4)
        for (let seed = 1; seed <= 2; seed++)
          for (const every of [1, 2, 5, 30])
            for (const conditions of conditionsFor(protocol)) {
              const network = randomTree(n, seed);
              const nodes = network.nodes.filter(
                (_, place) => place % every === seed % every || place === 0,
              );
              const workload = oneShot(
                { type: 'elect' },
                { nodes, after: { kind: 'exponential', mean: 5 } },
              );
              const { messages, trace } = simulate({
                protocol,
                topology: network,
                workload,
                conditions,
                seed,
                record: true,
              });
              const starts = trace?.lines.filter(
                ({ event, before, after }) =>
                  event.kind === 'command' && before === 'asleep' && after !== 'asleep',
              );
              const k = starts?.length ?? 0;
              met.add(k);
              expect(messages).toEqual({
                explorer: n - 2 + k,
                echo: n,
                ...(n > 2 && { elected: n - 2 }),
              });
            }
      expect(met.size).toBeGreaterThan(10);
    },
  );

  proof(
    'is 3(n − 1) for one initiator and 4(n − 1) for all, in every interleaving on all trees of up to 4 nodes',
    () => {
      for (const network of [2, 3, 4].flatMap(labelledTrees)) {
        const n = network.nodes.length;
        const most = atMost(3 * (n - 1), { per: 'elect' });
        const less = atMost(3 * (n - 1) - 1, { per: 'elect' });
        for (const initiator of network.nodes) {
          const found = explore(protocol, network, {
            initiators: [initiator],
            properties: [most, less],
          });
          expect([found.complete, failing(found)]).toEqual([true, [less.name]]);
          expect(found.depth).toBe(3 * (n - 1) + 1);
        }
        // All nodes start before any message arrives.
        const all = simulate({ protocol, topology: network, workload: oneShot({ type: 'elect' }) });
        expect(Object.values(all.messages).reduce((sum, count) => sum + count, 0)).toBe(
          4 * (n - 1),
        );
      }
    },
  );

  proof('is the same on a tree of 10,000 nodes', () => {
    const network = randomTree(10_000, 7);
    const nodes = network.nodes.slice(0, 3_000);
    const { messages, leader, complete } = simulate({
      protocol: { ...protocol, properties: [] },
      topology: network,
      workload: oneShot({ type: 'elect' }, { nodes }),
    });
    expect([complete, leader]).toEqual([true, largest(network)]);
    expect(messages).toEqual({ explorer: 9_998 + nodes.length, echo: 10_000, elected: 9_998 });
  });
});
