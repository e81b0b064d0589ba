import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { everyMessageHandled } from '@conclave/core/internal';
import {
  always,
  type NodeView,
  type Protocol,
  type SystemView,
  send,
} from '@conclave/core/protocol';
import { chain, complete, grid, ring, type Topology, topology } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign, enqueueActions } from 'xstate';
import { allGraphs } from '../../../checks/networks.js';
import { exploreAll } from '../../../contract/findings.contract.js';
import { withMachine, withoutSteps } from '../../../contract/machines.contract.js';
import { connectedGraphs } from '../../../contract/networks.contract.js';
import { failingOverReliable } from '../../../contract/sweep.contract.js';
import { endsOf, hasCycle } from '../building-blocks/edge-orientation.js';
import { countedTokenContract } from '../building-blocks/token-faults.contract.js';
import { type Context, type Event, statecharts } from './acyclic-graph.js';
import { acyclicGraph } from './protocol.js';

const plain = acyclicGraph({ startUp: 'given' });
const unacknowledged = acyclicGraph({ startUp: 'given', reversal: 'all' });
const told = acyclicGraph({ startUp: 'given', reversal: 'acknowledged' });
const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

/** The violated properties, with the number of steps and the runs, which are replayed. */
function violated(protocol: Protocol, network: Topology, options: ExploreOptions) {
  const found = explore(withoutSteps(protocol), network, options);
  expect(found.complete).toBe(true);
  const broken = found.properties.flatMap(({ name, verdict, trace }) => {
    if (verdict !== 'violated' || !trace) return [];
    expect(replay(protocol, network, trace)).toEqual({ steps: trace.lines.length });
    return [[name, trace] as const];
  });
  return {
    states: found.states,
    steps: Object.fromEntries(broken.map(([name, { lines }]) => [name, lines.length])),
    runs: Object.fromEntries(broken.map(([name, { lines }]) => [name, linesText(lines)])),
  };
}

const exclusion = 'at most one node is in the critical section';
const enters = 'every node that wants to enter eventually enters';
const grows = 'each entry has a larger fencing token than every entry before it';
const oneToken = 'there is exactly one token, in a node or on its way';
const noCycle = 'no directed cycle among the edges of the nodes that do not own the token';
const ends = 'every directed path ends at the owner of the token';
const rest = 'no node waits in a quiescent state';

describe('acyclic-graph assumptions: no answers are awaited', () => {
  const paw = topology('edges:a-b,a-c,b-c,b-d');

  it.each([['fifo'], ['any']] as const)(
    'then three nodes ask each other forever, channels %s',
    (order) => {
      const { steps, runs } = violated(unacknowledged, paw, { order });
      expect(steps).toEqual({ [enters]: 17, [noCycle]: 11, [rest]: 18 });
      expect(page).toContain(runs[enters]);
    },
  );

  proof(
    'this needs a cycle that avoids the owner: no tree, ring or graph of three nodes has one, every other graph of four nodes has',
    () => {
      expect(exploreAll(unacknowledged, allGraphs(3), { commands: 2 })).toEqual({
        complete: true,
        states: 8_308,
        broken: [],
      });
      expect(exploreAll(unacknowledged, [ring(5, { oneWay: false })], {})).toEqual({
        complete: true,
        states: 14_070,
        broken: [],
      });
      const { broken } = exploreAll(
        acyclicGraph({ startUp: 'given', reversal: 'all', edge: 'any' }),
        connectedGraphs(4),
        { all: false },
      );
      expect(broken).toEqual([
        'edges:a-b,a-c,a-d,b-c',
        'edges:a-b,a-c,a-d,b-c,b-d',
        'edges:a-b,a-c,a-d,b-c,b-d,c-d',
      ]);
    },
  );

  it.each([['travelled'], ['acknowledged'], ['numbered']] as const)(
    '%s: all properties hold there',
    (reversal) => {
      expect(violated(acyclicGraph({ startUp: 'given', reversal }), paw, {}).steps).toEqual({});
    },
  );
});

describe('acyclic-graph assumptions: the invariants as the lecture states them', () => {
  const pointers = ({ nodes }: SystemView) =>
    new Map(nodes.map(({ id, context }) => [id, context.out as readonly string[]]));
  const toTheLetter = always('no directed cycle', (system) => !hasCycle(pointers(system)));
  /** An edge with the token on it counts as reversed. */
  const travelledReversed = always('no directed cycle of several edges', (system) => {
    const [token] = system.inFlight('token');
    const out = (node: NodeView) =>
      (node.context.out as readonly string[]).filter(
        (id) => node.id !== token?.to || id !== token.from,
      );
    return !hasCycle(new Map(system.nodes.map((node) => [node.id, out(node)])));
  });

  proof.each([['travelled'], ['acknowledged'], ['numbered']] as const)(
    'hold while the token is in a node: %s',
    (reversal) => {
      const inNode = always('in a node', (system) => {
        const [holder] = system.tagged('token');
        if (!holder) return true;
        const ends = endsOf(pointers(system));
        return !hasCycle(pointers(system)) && ends.length === 1 && ends[0] === holder.id;
      });
      const found = explore(acyclicGraph({ startUp: 'given', reversal }), complete(3), {
        commands: 2,
        properties: [inNode],
      });
      expect([found.complete, found.properties[0]?.verdict]).toEqual([true, 'holds']);
    },
  );

  it('do not hold while the token is in transit: both ends point along its edge', () => {
    const { steps, runs } = violated(plain, chain(2), { properties: [toTheLetter] });
    expect(steps).toEqual({ 'no directed cycle': 2 });
    expect(page).toContain(runs['no directed cycle']);
  });

  it('do not even if that edge counts as reversed: the receiver still has its other edges', () => {
    expect(violated(plain, chain(2), { properties: [travelledReversed] }).steps).toEqual({});
    const { steps, runs } = violated(plain, complete(3), { properties: [travelledReversed] });
    expect(steps).toEqual({ 'no directed cycle of several edges': 2 });
    expect(page).toContain(runs['no directed cycle of several edges']);
  });
});

describe('acyclic-graph assumptions: neighbours that are not told', () => {
  proof('may be any, such as all with a larger id', () => {
    const toTell = ({ self, out }: Context, event: Event) => {
      assertEvent(event, 'token');
      return out.filter((id) => id !== event.from && id < self);
    };
    const some = statecharts.acknowledged.first.provide({
      actions: {
        tell: enqueueActions(({ context, event, enqueue }) => {
          for (const id of toTell(context, event)) enqueue.emit(send(id, { type: 'reversed' }));
        }),
        awaitAnswers: assign(({ context, event }) => ({ unacknowledged: toTell(context, event) })),
      },
    });
    const found = exploreAll(withoutSteps(withMachine(told, some)), allGraphs(4), {});
    expect(found).toEqual({ complete: true, states: 77_310, broken: [] });
  });
});

describe('acyclic-graph assumptions', () => {
  it.each([
    ['travelled', 288],
    ['acknowledged', 711],
  ] as const)('one lost message breaks liveness, never exclusion: %s', (reversal, states) => {
    const { steps, ...found } = violated(
      acyclicGraph({ startUp: 'given', reversal }),
      complete(3),
      { losses: 1 },
    );
    expect(found.states).toBe(states);
    expect(steps).toEqual({ [enters]: 2, [oneToken]: 3, [noCycle]: 3, [ends]: 3, [rest]: 7 });
  });

  it('one crash breaks liveness, never exclusion', () => {
    const { steps, ...found } = violated(plain, complete(3), { crashes: 1 });
    expect(found.states).toBe(877);
    expect(steps).toEqual({ [enters]: 2, [oneToken]: 1, [noCycle]: 4, [ends]: 1, [rest]: 6 });
  });

  it('a duplicated token breaks exclusion', () => {
    const { steps, runs } = violated(plain, chain(3), { duplications: 1 });
    expect(steps).toEqual({
      [exclusion]: 8,
      [grows]: 8,
      [oneToken]: 3,
      [noCycle]: 9,
      [ends]: 8,
      [everyMessageHandled]: 4,
    });
    expect(page).toContain(runs[exclusion]);
  });

  proof('a reliable link compensates loss, duplication and overtaking', () => {
    expect(failingOverReliable(told, grid(2, 3), 30)).toEqual([]);
  });
});

countedTokenContract(plain, { topology: chain(3), duplicated: 8, restarted: 6 });
