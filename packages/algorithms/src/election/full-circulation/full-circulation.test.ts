import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { type LocalState, type NodeId, send } from '@conclave/core/protocol';
import { oneShot, simulate } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { rings } from '../../checks/networks.js';
import { expectTight } from '../../contract/cost.contract.js';
import { propertyNamed } from '../../contract/findings.contract.js';
import { mutantOf, takeAll, withMachine, withState } from '../../contract/machines.contract.js';
import { anyInitiators, shuffledRing } from '../../contract/networks.contract.js';
import { conditionsFor } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { termination } from '../election.js';
import { countingMachine, type Event, machine } from './full-circulation.js';
import { fullCirculation } from './protocol.js';

const [fifo, sized] = [fullCirculation(), fullCirculation({ size: true })];
type Machine = Parameters<typeof withMachine>[1];
const mutant = mutantOf(fifo);
const sizedMutant = (refuted: string, changed: Machine) => ({
  protocol: withMachine(sized, changed),
  refuted,
});
/** FC2 with other actions. */
const wokenBy = (...actions: readonly string[]) =>
  withState(machine, ['asleep'], {
    on: {
      elect: { target: 'circulating', actions: 'sendOwn' },
      election: { target: 'circulating', actions },
    },
  });

const shared = {
  topologies: [ring(2), ring(['a', 'c', 'b']), ring(['d', 'c', 'b', 'a']), shuffledRing(5, 5)],
  small: [
    { topology: ring(['a', 'c', 'b']), budget: {} },
    { topology: ring(2), budget: { initiators: ['a'] } },
  ],
  costs: [ring(2), ring(3), ring(16), shuffledRing(33, 2)],
  winner: ({ nodes }: { readonly nodes: readonly NodeId[] }) => [...nodes].sort().at(-1) ?? '',
};
const eachMayStart = (n: number) => rings(n).map((topology) => ({ topology, budget: {} }));

electionContract({
  ...shared,
  protocol: fifo,
  explored: [
    ['rings of 2, any set of initiators', anyInitiators(rings(2)), {}, 34],
    ['rings of 3 in any order, any set of initiators', anyInitiators(rings(3)), {}, 898],
    ['rings of 4 in any order, any set of initiators', anyInitiators(rings(4)), {}, 37_752],
  ],
  mutants: {
    'a woken node passes the id on before it sends its own': mutant(
      'ring:a,b, 3 steps: the leader has the largest id',
      wokenBy('note', 'passOn', 'sendOwn'),
    ),
  },
});

electionContract({
  ...shared,
  protocol: sized,
  explored: [
    ['rings of 2, any set of initiators, size known', anyInitiators(rings(2)), {}, 40],
    [
      'rings of 3 in any order, any set of initiators, size known',
      anyInitiators(rings(3)),
      {},
      1942,
    ],
    ['rings of 4 in any order, each node may start, size known', eachMayStart(4), {}, 49_632],
  ],
  mutants: {
    'a node does not count its own id': sizedMutant(
      'ring:a,b, 5 steps: no node waits in a quiescent state',
      withState(countingMachine, ['circulating'], {
        on: { elect: {}, election: [{ guard: 'own' }, { actions: ['note', 'passOn'] }] },
      }),
    ),
  },
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const knowsTheLeader = 'every live node knows the one leader';
const sameLeader = 'all nodes that know a leader know the same one';
const oneLeader = 'at most one node is the leader';
const largest = 'the leader has the largest id';

describe.each([
  ['full-circulation', machine],
  ['full-circulation with size', countingMachine],
])('%s rules', (_name, machine) => {
  const asleep: LocalState = start(machine, 'm', {
    self: 'm',
    next: 'n',
    size: machine === countingMachine ? 3 : null,
  }).state;
  const after = (...events: Event[]) => takeAll(machine, 'm', asleep, events);
  const elect: Event = { type: 'elect' };
  const election = (id: NodeId): Event => ({ type: 'election', id, from: 'l' });
  const sends = (id: NodeId) => send('n', { type: 'election', id });
  const counts = machine === countingMachine;

  it('[FC1] an initiator sends its id; a node that is awake ignores elect', () => {
    const { state, effects } = after(elect);
    expect(state).toMatchObject({
      value: 'circulating',
      context: { largest: 'm', received: 0, leader: null },
    });
    expect(effects).toEqual([sends('m')]);
    for (const before of [
      [elect],
      [elect, election('z')],
      [elect, election('z'), election('a'), election('m')],
    ] as const) {
      const ignored = after(...before, elect);
      expect(ignored.state).toEqual(after(...before).state);
      expect(ignored.effects).toEqual([]);
    }
  });

  it('[FC2] an id wakes a sleeping node, which sends its own first', () => {
    const { state, effects } = after(election('a'));
    expect(state).toMatchObject({ value: 'circulating', context: { largest: 'm', received: 1 } });
    expect(effects).toEqual([sends('m'), sends('a')]);
    expect(after(elect, election('a')).state).toEqual(state);
  });

  it('[FC3] a node passes on each id of another node, larger or smaller, and notes the largest', () => {
    for (const [id, largest] of [
      ['a', 'm'],
      ['z', 'z'],
    ] as const) {
      const { state, effects } = after(elect, election(id));
      expect(state).toMatchObject({
        value: 'circulating',
        context: { largest, received: 1, leader: null },
      });
      expect(effects).toEqual([sends(id)]);
    }
  });

  it(`${counts ? '[FC7]' : '[FC4]'} a node that has received no larger id is the leader`, () => {
    const { state, effects } = after(elect, election('a'), election('b'), election('m'));
    expect(state).toMatchObject({ value: 'leader', context: { leader: 'm' } });
    expect(effects).toEqual([]);
  });

  it(`${counts ? '[FC7]' : '[FC5]'} a node that has received a larger id knows that the largest is the leader`, () => {
    const { state, effects } = after(elect, election('z'), election('y'), election('m'));
    expect(state).toMatchObject({ value: 'follower', context: { leader: 'z' } });
    expect(effects).toEqual([]);
  });

  if (counts)
    it('[FC6] the own id counts, and is not passed on; the last id that comes is', () => {
      const { state, effects } = after(elect, election('m'));
      expect(state).toMatchObject({ value: 'circulating', context: { received: 1 } });
      expect(effects).toEqual([]);
      const last = after(elect, election('m'), election('z'), election('a'));
      expect(last.state).toMatchObject({ value: 'follower', context: { leader: 'z' } });
      expect(last.effects).toEqual([sends('a')]);
    });
});

describe('full-circulation assumptions', () => {
  it('without FIFO and without the size, a node can take itself for the leader: the page shows the shortest run', () => {
    const { verdicts, traces } = outcomeOf(fifo, ring(2), { order: 'any' });
    expect(verdicts).toMatchObject({
      [largest]: 'violated in 3',
      [everyMessageHandled]: 'violated in 3',
    });
    expect(page).toContain(traces[largest]);
    expect(outcomeOf(sized, ring(2), { order: 'fifo' }).verdicts).toEqual(
      outcomeOf(sized, ring(2), { order: 'any' }).verdicts,
    );
  });

  it.each([
    [
      'FIFO',
      2,
      'a lost message',
      { losses: 1 },
      { [oneLeader]: 'holds', [sameLeader]: 'holds', [largest]: 'violated in 4' },
    ],
    [
      'FIFO',
      3,
      'a lost message',
      { losses: 1 },
      { [oneLeader]: 'holds', [sameLeader]: 'violated in 9', [largest]: 'violated in 6' },
    ],
    [
      'size',
      2,
      'a lost message',
      { losses: 1 },
      { [sameLeader]: 'holds', [largest]: 'holds', [quiescence]: 'violated in 5' },
    ],
    [
      'size',
      3,
      'a lost message',
      { losses: 1 },
      { [sameLeader]: 'holds', [largest]: 'holds', [quiescence]: 'violated in 10' },
    ],
    [
      'FIFO',
      2,
      'a crash',
      { crashes: 1 },
      { [sameLeader]: 'holds', [largest]: 'holds', [knowsTheLeader]: 'violated in 2' },
    ],
    [
      'FIFO',
      3,
      'a crash',
      { crashes: 1 },
      { [sameLeader]: 'holds', [largest]: 'holds', [knowsTheLeader]: 'violated in 4' },
    ],
    [
      'size',
      2,
      'a crash',
      { crashes: 1 },
      { [sameLeader]: 'holds', [largest]: 'holds', [knowsTheLeader]: 'violated in 2' },
    ],
    [
      'FIFO',
      2,
      'a duplicated message',
      { duplications: 1 },
      { [everyMessageHandled]: 'violated in 5' },
    ],
    [
      'size',
      2,
      'a duplicated message',
      { duplications: 1 },
      { [oneLeader]: 'violated in 6', [everyMessageHandled]: 'violated in 5' },
    ],
    [
      'FIFO',
      2,
      'a restart',
      { crashes: 1, restarts: 1 },
      { [oneLeader]: 'violated in 8', [largest]: 'violated in 7' },
    ],
    [
      'size',
      2,
      'a restart',
      { crashes: 1, restarts: 1 },
      { [oneLeader]: 'violated in 7', [largest]: 'violated in 7' },
    ],
  ] as const)('%s, ring of %i, %s', (known, n, _what, budget, verdicts) => {
    expect(outcomeOf(known === 'size' ? sized : fifo, ring(n), budget).verdicts).toMatchObject(
      verdicts,
    );
  });

  it.each([
    [fifo, 3, { losses: 1 }, sameLeader],
    [sized, 2, { duplications: 1 }, oneLeader],
  ] as const)(
    'the page shows the shortest run in which nodes disagree: %#',
    (protocol, n, budget, name) => {
      expect(page).toContain(outcomeOf(protocol, ring(n), budget).traces[name]);
    },
  );

  it('if sleeping nodes only passed ids on, they would never know the leader', () => {
    const relaying = withState(machine, ['asleep'], {
      on: { elect: { target: 'circulating', actions: 'sendOwn' }, election: { actions: 'passOn' } },
    });
    expect(
      outcomeOf(withMachine(fifo, relaying), ring(2), { initiators: ['a'] }).verdicts,
    ).toMatchObject({ [knowsTheLeader]: 'violated in 3' });
  });

  it.each(['leader', 'follower'])(
    'a %s does not know that all others know: it may be the first that decides',
    (state) => {
      const sure = withState(machine, [state], {
        tags: [...(state === 'leader' ? ['leader'] : []), 'decided', 'terminated'],
      });
      const { properties } = explore(
        withMachine({ ...fifo, properties: termination }, sure),
        ring(3),
      );
      expect(
        propertyNamed(
          properties,
          'a node has terminated while another one does not know the leader',
        ).verdict,
      ).toBe('violated');
    },
  );
});

describe('full-circulation cost', () => {
  proof.each([
    ['FIFO', fifo],
    ['size', sized],
  ])('is n² for n from 2 to 40, any initiators, orders and delays: %s', (_name, protocol) => {
    for (const n of [2, 3, 4, 5, 12, 40])
      for (const topology of [ring(ring(n).nodes.toReversed()), shuffledRing(n, n)])
        for (const nodes of [
          topology.nodes,
          topology.nodes.filter((_, place) => place % 3 === 1),
          topology.nodes.slice(-1),
        ])
          for (const conditions of conditionsFor(protocol).slice(-2)) {
            const workload = oneShot(
              { type: 'elect' },
              { nodes, after: { kind: 'exponential', mean: 30 } },
            );
            const { messages } = simulate({
              protocol: { ...protocol, properties: [] },
              topology,
              workload,
              conditions,
              seed: n,
            });
            expect(messages).toEqual({ election: n * n });
          }
  });

  it.each([ring(2), ring(3), ring(['a', 'c', 'b'])])(
    'is n² for one initiator in every interleaving, and no less: $spec',
    (topology) => {
      const n = topology.nodes.length;
      expectTight(fifo, topology, { initiators: ['a'] }, n * n, 'elect');
    },
  );
});
