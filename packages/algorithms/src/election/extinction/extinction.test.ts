import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import {
  always,
  type LocalState,
  type NodeId,
  type Property,
  type Protocol,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import {
  chain,
  complete,
  grid,
  ring,
  star,
  type Topology,
  topology,
} from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign } from 'xstate';
import { allGraphs } from '../../checks/networks.js';
import { everyInterleaving } from '../../contract/explored.contract.js';
import { takeAll, withMachine, withoutSteps, withState } from '../../contract/machines.contract.js';
import { anyInitiators, labelledTrees, randomGraph } from '../../contract/networks.contract.js';
import { sharedContract } from '../../contract/shared.contract.js';
import { conditionsFor, seedsTo, sweep } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { type Event, machine, terminatingMachine } from './extinction.js';
import { extinction } from './protocol.js';

const oneDecides: Property = always(
  'at most one node decides',
  (system) => system.count('decided') <= 1,
);

const larger = { guard: 'isLarger', target: 'relaying', actions: ['note', 'flood'] };

interface Listening {
  /** The neighbours that have not sent a smaller id. */
  readonly silent: readonly NodeId[];
}

/** A candidate that decides when each neighbour has sent it a smaller id. */
const patient: AnyStateMachine = withState(machine, [], {
  states: {
    asleep: {
      on: {
        elect: { target: 'candidate', actions: ['noteOwn', 'flood', 'listen'] },
        explorer: { target: 'relaying', actions: ['note', 'flood'] },
      },
    },
    candidate: {
      tags: ['reached', 'candidate'],
      always: { guard: 'heardFromAll', target: 'decided' },
      on: { elect: {}, explorer: [larger, { actions: 'hear' }] },
    },
    decided: {
      tags: ['reached', 'candidate', 'decided'],
      on: { elect: {}, explorer: [larger, {}] },
    },
    relaying: {
      tags: 'reached',
      on: { elect: {}, explorer: [{ guard: 'isLarger', actions: ['note', 'flood'] }, {}] },
    },
  },
}).provide({
  actions: {
    listen: assign(({ context }) => ({ silent: context.neighbours })),
    hear: assign(({ context, event }) => ({
      silent: context.silent.filter((id: string) => id !== event.from),
    })),
  },
  guards: {
    heardFromAll: ({ context }: { readonly context: Listening }) => context.silent.length === 0,
  },
});

/** A candidate that decides at once. */
const hasty = withState(machine, ['candidate'], { tags: ['reached', 'candidate', 'decided'] });

const deciding = (nodes: AnyStateMachine): Protocol => ({
  ...withMachine(extinction(), nodes),
  properties: [oneDecides],
});

const eager = { patient: deciding(patient), hasty: deciding(hasty) };

const plain: Protocol = extinction();
const terminating: Protocol = extinction({ terminating: true });
/** Two triangles that share the edge a–d. */
const diamond = topology('edges:c-a,c-d,a-d,a-b,d-b');
const networks = [chain(['b', 'c', 'a']), complete(3), diamond, star(5)];
const workload = () => oneShot({ type: 'elect' }, { after: { kind: 'exponential', mean: 30 } });
const small = [
  { topology: chain(['b', 'c', 'a']), budget: { initiators: ['a', 'b'] } },
  { topology: complete(3), budget: { initiators: ['a', 'c'] } },
];
const upTo3 = anyInitiators([1, 2, 3].flatMap(allGraphs));
const what = 'all connected graphs of up to 3 nodes, any set of initiators';
const largest = (ids: readonly NodeId[]): NodeId => [...ids].sort().at(-1) ?? '';

const floods = (refuted: string, changed: Parameters<typeof withMachine>[1]) => ({
  protocol: withoutSteps(withMachine(plain, changed)),
  refuted,
});
const waves = (refuted: string, changed: Parameters<typeof withMachine>[1]) => ({
  protocol: withoutSteps(withMachine(terminating, changed)),
  refuted,
});

describe('B12 extinction: election by plain flooding', () => {
  it('one candidate is left in up to 400 seeded runs under each condition it assumes, and every message is handled', () => {
    const seeds = sampled(seedsTo(100), 5);
    const { runs, failure } = sweep({ protocol: plain, topologies: networks, workload, seeds });
    expect(failure).toBeUndefined();
    expect(runs).toBe(seeds.length * networks.length * conditionsFor(plain).length);
  });

  it('costs what its formula says: at most k(2e − n + 1) messages, exactly that for one initiator', () => {
    for (const network of [...networks, grid(3, 3), complete(8), ring(9, { oneWay: false })]) {
      const n = network.nodes.length;
      const flood = network.links.length - n + 1;
      expect(plain.cost?.messages(n, network)).toEqual({ least: flood, most: n * flood });
      for (let k = 1; k <= n; k++)
        for (const conditions of sampled(conditionsFor(plain), 1)) {
          const nodes = network.nodes.slice(0, k);
          const total = totalMessages(
            simulate({
              protocol: plain,
              topology: network,
              workload: oneShot({ type: 'elect' }, { nodes }),
              conditions,
            }),
          );
          expect(total).toBeGreaterThanOrEqual(flood);
          expect(total).toBeLessThanOrEqual(k * flood);
        }
    }
  });

  everyInterleaving(
    plain,
    [
      [what, upTo3, {}, 1_611],
      ['all trees of 4 nodes, any set of initiators', anyInitiators(labelledTrees(4)), {}, 32_618],
    ],
    {
      'a candidate stays a candidate': floods(
        'edges:a,b,a-b, 3 steps: a node is a candidate while it knows no larger id',
        withState(machine, ['candidate'], {
          on: { elect: {}, explorer: [{ guard: 'isLarger', actions: ['note', 'flood'] }, {}] },
        }),
      ),
    },
  );

  sharedContract(plain, networks, workload, small);
});

electionContract({
  protocol: terminating,
  topologies: networks,
  small,
  explored: [
    [what, upTo3, {}, 4_397],
    [
      'chain of 4 nodes, any set of initiators',
      anyInitiators([chain(['b', 'd', 'a', 'c'])]),
      {},
      6_149,
    ],
    [
      'two triangles with a common edge, one or two initiators, nothing overtakes',
      anyInitiators([diamond]).flatMap(({ topology, budget }) =>
        (budget.initiators?.length ?? 0) <= 2
          ? [{ topology, budget: { ...budget, order: 'fifo' as const } }]
          : [],
      ),
      {},
      27_267,
    ],
  ],
  costs: [...networks, grid(3, 3), complete(8)],
  winner: (_topology, initiators) => largest(initiators),
  mutants: {
    'a node that has echoed does not join again': waves(
      'edges:a,b,c,a-b,a-c, 7 steps: no node waits in a quiescent state',
      withState(terminatingMachine, ['green'], {
        on: {
          elect: {},
          explorer: {},
          echo: {},
          elected: { target: 'follower', actions: ['learn', 'announce'] },
        },
      }),
    ),
  },
});

describe('extinction rules', () => {
  const neighbours = ['p', 'q', 'r'];
  type Machine = typeof machine | typeof terminatingMachine;
  const asleep = (of: Machine): LocalState => start(of, 'm', { self: 'm', neighbours }).state;
  const after = (of: Machine, ...events: Event[]) => takeAll(of, 'm', asleep(of), events);
  const both = [machine, terminatingMachine];
  const elect: Event = { type: 'elect' };
  const explorer = (from: NodeId, id: NodeId): Event => ({ type: 'explorer', id, from });
  const echo = (from: NodeId, id: NodeId): Event => ({ type: 'echo', id, from });
  const sends = (type: 'explorer' | 'echo' | 'elected', id: NodeId, ...to: NodeId[]) =>
    to.map((one) => send(one, { type, id }));

  it('[EX1] a sleeping node that is asked becomes a candidate and sends its id to all; otherwise the command is ignored', () => {
    for (const of of both) {
      expect(after(of, elect)).toMatchObject({
        state: { context: { max: 'm' } },
        effects: sends('explorer', 'm', ...neighbours),
      });
      for (const before of [elect, explorer('p', 'a')]) {
        const { state, effects } = after(of, before, elect);
        expect(state).toEqual(after(of, before).state);
        expect(effects).toEqual([]);
      }
    }
    expect(after(machine, elect).state.value).toBe('candidate');
  });

  it('[EX2] a sleeping node notes the first id and passes it on, smaller or larger than its own', () => {
    for (const of of both)
      for (const id of ['a', 'z'])
        expect(after(of, explorer('q', id))).toMatchObject({
          state: { context: { max: id } },
          effects: sends('explorer', id, 'p', 'r'),
        });
    expect(after(machine, explorer('q', 'a')).state.value).toBe('relaying');
  });

  it('[EX3] a larger id is noted and passed on, and ends a candidacy', () => {
    for (const of of both)
      for (const before of [elect, explorer('p', 'a')])
        expect(after(of, before, explorer('q', 'z'))).toMatchObject({
          state: { context: { max: 'z' } },
          effects: sends('explorer', 'z', 'p', 'r'),
        });
    expect(after(machine, elect, explorer('q', 'z')).state.value).toBe('relaying');
  });

  it('[EX4] a smaller id is extinguished', () => {
    for (const of of both)
      for (const before of [[elect], [explorer('p', 'n')], [elect, explorer('p', 'z')]]) {
        const { state, effects } = after(of, ...before, explorer('q', 'a'));
        expect(state).toEqual(after(of, ...before).state);
        expect(effects).toEqual([]);
      }
    expect(after(terminatingMachine, elect, echo('q', 'a')).state).toEqual(
      after(terminatingMachine, elect).state,
    );
  });

  it('[EX5] with each id that it notes a node takes part in a new wave', () => {
    const first = after(terminatingMachine, explorer('p', 'c'), echo('q', 'c'));
    expect(first.state.context).toMatchObject({
      max: 'c',
      parent: 'p',
      pending: ['r'],
      children: ['q'],
    });
    const next = step(terminatingMachine, 'm', first.state, explorer('q', 'z'));
    expect(next.state.context).toMatchObject({
      max: 'z',
      parent: 'q',
      pending: ['p', 'r'],
      children: [],
    });
    expect(after(terminatingMachine, elect).state.context).toMatchObject({
      parent: null,
      pending: neighbours,
    });
  });

  it('[EX6] a node crosses off the neighbours that it hears from; those that send an echo are its children', () => {
    for (const [message, children] of [
      [explorer('q', 'm'), []],
      [echo('q', 'm'), ['q']],
    ] as const)
      expect(after(terminatingMachine, elect, message).state).toMatchObject({
        value: 'red',
        context: { pending: ['p', 'r'], children },
      });
  });

  it('[EX7] a node that has heard from all neighbours echoes, again in a larger wave', () => {
    const echoed = after(
      terminatingMachine,
      explorer('p', 'c'),
      explorer('q', 'c'),
      echo('r', 'c'),
    );
    expect(echoed).toMatchObject({ state: { value: 'green' }, effects: sends('echo', 'c', 'p') });
    const [joins, hears] = [
      step(terminatingMachine, 'm', echoed.state, explorer('q', 'z')),
      explorer('p', 'z'),
    ];
    expect(joins.state.value).toBe('red');
    const again = step(
      terminatingMachine,
      'm',
      step(terminatingMachine, 'm', joins.state, hears).state,
      echo('r', 'z'),
    );
    expect(again.effects).toEqual(sends('echo', 'z', 'q'));
  });

  it('[EX8] a candidate that has heard from all neighbours is the leader and tells its children', () => {
    const { state, effects } = after(
      terminatingMachine,
      elect,
      echo('r', 'm'),
      explorer('p', 'm'),
      echo('q', 'm'),
    );
    expect(state).toMatchObject({ value: 'leader', context: { leader: 'm' } });
    expect(effects).toEqual(sends('elected', 'm', 'q', 'r'));
  });

  it('[EX9] a node that is told the leader tells its children', () => {
    const green = [explorer('p', 'z'), echo('r', 'z'), explorer('q', 'z')];
    const { state, effects } = after(terminatingMachine, ...green, {
      type: 'elected',
      id: 'z',
      from: 'p',
    });
    expect(state).toMatchObject({ value: 'follower', context: { leader: 'z' } });
    expect(effects).toEqual(sends('elected', 'z', 'r'));
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const left = 'one candidate is left, every live node knows it, and no message is on its way';
const decided = 'every live node knows the one leader';
const oneLeader = 'at most one node is the leader';

/** The trace to the violation of the only property of an eager variant. */
const refutation = (protocol: Protocol, network: Topology) => {
  const wrong = explore(protocol, network).properties.find(({ verdict }) => verdict === 'violated');
  return wrong?.trace?.lines ?? [];
};

describe('extinction assumptions', () => {
  it('in the plain form no node knows that the election is over: it may be in its last state while others know nothing', () => {
    for (const network of [2, 3].flatMap(allGraphs)) {
      const winner = network.nodes.at(-1) ?? '';
      const ignorant = sometimes(
        'the winner is in its last state, and another node has heard of no candidate',
        (system) => {
          const { tags } = system.node(winner);
          return tags.has('candidate') && system.nodes.some(({ context }) => context.max === null);
        },
      );
      const known = sometimes('the winner is in the same state, and all nodes know it', (system) =>
        system.nodes.every(({ context }) => context.max === winner),
      );
      const found = explore(plain, network, { properties: [ignorant, known] });
      expect(found.properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual([
        'reached',
        'reached',
      ]);
    }
  });

  it('a candidate that decides by a rule of its own may be wrong: the page shows it', () => {
    expect(refutation(eager.hasty, chain(2))).toHaveLength(2);
    expect(refutation(eager.patient, chain(2))).toEqual([]);
    const run = refutation(eager.patient, chain(['b', 'a', 'c']));
    expect(run.length).toBeGreaterThan(0);
    expect(page).toContain(linesText(run));
  });

  it.each([
    ['a lost message', plain, { losses: 1 }, left, 4],
    ['a crash', plain, { crashes: 1 }, left, 2],
    ['a restart', plain, { crashes: 1, restarts: 1 }, left, 2],
    ['a lost message', terminating, { losses: 1 }, decided, 4],
    ['a crash', terminating, { crashes: 1 }, decided, 2],
    ['a duplicated message', terminating, { duplications: 1 }, everyMessageHandled, 4],
    ['a restart', terminating, { crashes: 1, restarts: 1 }, everyMessageHandled, 4],
  ] as const)('%s has this shortest run', (_what, protocol, budget, broken, steps) => {
    expect(outcomeOf(protocol, chain(2), budget).verdicts).toMatchObject({
      [broken]: `violated in ${steps}`,
    });
  });

  it('the page shows the lost message that leaves two candidates', () => {
    expect(page).toContain(outcomeOf(plain, chain(2), { losses: 1 }).traces[left]);
  });

  proof(
    'a lost message or a crash never makes two leaders, and one loss does no harm to a plain flood in a triangle',
    () => {
      for (const network of [chain(2), chain(3), complete(3)])
        for (const budget of [{ losses: 1 }, { crashes: 1 }])
          expect(outcomeOf(terminating, network, budget).verdicts).toMatchObject({
            [oneLeader]: 'holds',
            [everyMessageHandled]: 'holds',
            [quiescence]: expect.stringContaining('violated'),
          });
      expect(outcomeOf(plain, complete(3), { losses: 1 }).verdicts).toMatchObject({
        [left]: 'holds',
      });
    },
  );

  proof('a duplicate does no harm, if nodes ignore messages that they do not expect', () => {
    for (const network of [chain(3), complete(3)]) {
      expect(
        Object.values(outcomeOf(plain, network, { duplications: 1 }).verdicts),
      ).not.toContainEqual(expect.stringContaining('violated'));
      const tolerant = outcomeOf(ignoringUnexpected(terminating), network, { duplications: 1 });
      expect(Object.values(tolerant.verdicts)).not.toContainEqual(
        expect.stringContaining('violated'),
      );
    }
  });
});

describe('extinction cost', () => {
  proof(
    'of one candidate is 2e − n + 1 messages, or 2e + n − 1 with termination, in every interleaving',
    () => {
      for (const network of [2, 3].flatMap(allGraphs))
        for (const initiator of network.nodes) {
          const [n, links] = [network.nodes.length, network.links.length];
          // Each step but the command delivers a message.
          expect(explore(plain, network, { initiators: [initiator] }).depth).toBe(
            1 + links - n + 1,
          );
          expect(explore(terminating, network, { initiators: [initiator] }).depth).toBe(
            1 + links + n - 1,
          );
        }
    },
  );

  proof('is far below its bound if all nodes start at once: the page shows the means', () => {
    const mean = (protocol: Protocol, network: Topology): string => {
      let total = 0;
      for (let seed = 1; seed <= 20; seed++) {
        const conditions = {
          order: 'any',
          delay: { kind: 'uniform', least: 1, most: 20 },
        } as const;
        total += totalMessages(
          simulate({
            protocol: { ...protocol, properties: [] },
            topology: network,
            workload: oneShot({ type: 'elect' }),
            conditions,
            seed,
          }),
        );
      }
      return (total / 20).toLocaleString('en', { maximumFractionDigits: 0 });
    };
    for (const network of [grid(5, 5), complete(16), randomGraph(32, 0.2, 1)]) {
      const n = network.nodes.length;
      const bounds = [plain, terminating].map((protocol) =>
        (protocol.cost?.messages(n, network).most ?? 0).toLocaleString('en'),
      );
      const means = [plain, terminating].map((protocol) => mean(protocol, network));
      expect(page).toContain(
        `| \`${network.spec}\` | ${means[0]} | ${bounds[0]} | ${means[1]} | ${bounds[1]} |`,
      );
    }
  });
});
