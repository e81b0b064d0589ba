import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { type LocalState, send } from '@conclave/core/protocol';
import { chain, complete, grid, ring, star, type Topology, tree } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { allGraphs } from '../../../checks/networks.js';
import { expectTight } from '../../../contract/cost.contract.js';
import { propertyNamed } from '../../../contract/findings.contract.js';
import { mutantOf, takeAll, withState } from '../../../contract/machines.contract.js';
import { labelledTrees, randomGraph } from '../../../contract/networks.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import {
  entry,
  exclusion,
  fencing,
  ignoringUnexpected,
  outcomeOf,
} from '../../outcome.contract.js';
import { ricartAgrawalaEcho } from './protocol.js';
import { type Event, machine, type Wave } from './ricart-agrawala-echo.js';

const mutant = mutantOf(ricartAgrawalaEcho);
const small = (topology: Topology, ...initiators: readonly string[]) => ({
  topology,
  budget: { initiators },
});

/** Without a look at the ids. */
const sameAgeHasReturned = ({
  context,
}: {
  readonly context: { readonly requestedAt: number; readonly waves: readonly Wave[] };
}) => context.waves.some(({ pending, ts }) => pending.length === 0 && ts <= context.requestedAt);

mutualExclusionContract({
  protocol: ricartAgrawalaEcho,
  topologies: [chain(2), ring(3, { oneWay: false }), star(4), randomGraph(4, 0.5, 2)],
  small: [{ topology: chain(2), budget: { commands: 2 } }, small(chain(3), 'a', 'b')],
  explored: [
    [chain(2), { commands: 2 }, 231],
    [
      'all connected graphs of 3 nodes, 2 of them an entry each',
      allGraphs(3).map((topology) => small(topology, 'a', 'c')),
      {},
      2_340,
    ],
    [chain(3), {}, 2_717],
    [
      'all trees of 4 nodes, 2 of them an entry each',
      labelledTrees(4).map((topology) => small(topology, 'a', 'c')),
      {},
      8_088,
    ],
    ['ring of 4, 2 nodes an entry each', [small(ring(4, { oneWay: false }), 'a', 'b')], {}, 8_792],
  ],
  costs: [chain(2), complete(4), grid(3, 3), tree(2, 7)],
  mutants: {
    'no tie-break': mutant(
      'chain:2, 6 steps: at most one node is in the critical section',
      withState(machine, ['wanted'], {
        always: [
          { guard: 'allPermit', target: 'held' },
          { guard: sameAgeHasReturned, actions: 'echo' },
        ],
      }),
    ),
    'requests from other neighbours do not count': mutant(
      'edges:a,b,c,a-b,a-c,b-c, 10 steps: no node waits in a quiescent state',
      withState(machine, [], {
        on: {
          request: [{ guard: 'isNews', actions: ['witness', 'join'] }, {}],
          echo: { actions: 'crossOff' },
        },
      }),
    ),
  },
});

describe('ricart-agrawala-echo rules', () => {
  const neighbours = ['a', 'c', 'd'];
  const first: LocalState = start(machine, 'b', {
    self: 'b',
    neighbours,
    nodes: ['a', 'b', 'c', 'd'],
  }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'b', state, events);
  const request = (from: string, id: string, ts: number): Event => ({
    type: 'request',
    id,
    ts,
    from,
  });
  const echo = (from: string, id: string): Event => ({ type: 'echo', id, from });
  const wanted = after(first, { type: 'acquire' }).state;
  const held = after(wanted, echo('a', 'b'), request('c', 'b', 1), echo('d', 'b')).state;

  it('[RE1] stamps its request and sends it to all neighbours', () => {
    const { state, effects } = after(first, { type: 'acquire' });
    expect(effects).toEqual(
      neighbours.map((peer) => send(peer, { type: 'request', ts: 1, id: 'b' })),
    );
    expect(state).toMatchObject({
      value: 'wanted',
      context: { clock: 1, requestedAt: 1, pending: neighbours },
    });
  });

  it('[RE2] sends a request that is news to all other neighbours, in each state; the clock passes the stamp', () => {
    for (const state of [first, wanted, held]) {
      const joined = after(state, request('c', 'e', 7));
      expect(joined.effects).toEqual(
        ['a', 'd'].map((peer) => send(peer, { type: 'request', ts: 7, id: 'e' })),
      );
      expect(joined.state.context).toMatchObject({
        clock: 8,
        waves: [{ id: 'e', ts: 7, parent: 'c', pending: ['a', 'd'] }],
      });
    }
  });

  it('[RE3] crosses off each neighbour of which it hears in a wave, by request or by echo', () => {
    const { state, effects } = after(first, request('c', 'e', 7), request('a', 'e', 7));
    expect(effects).toEqual([]);
    expect(state.context).toMatchObject({ clock: 8, waves: [{ id: 'e', pending: ['d'] }] });
    expect(after(wanted, request('c', 'b', 1), echo('a', 'b')).state.context).toMatchObject({
      clock: 1,
      pending: ['d'],
    });
  });

  it('[RE4] echoes a wave of which it has heard from all neighbours, unless its own request is older', () => {
    const all = (id: string, ts: number) => [
      request('c', id, ts),
      request('a', id, ts),
      echo('d', id),
    ];
    const echoed = [send('c', { type: 'echo', id: 'e' })];
    expect(after(first, ...all('e', 7))).toMatchObject({
      effects: echoed,
      state: { context: { waves: [] } },
    });
    expect(after(wanted, ...all('a', 1)).effects).toEqual([send('c', { type: 'echo', id: 'a' })]);
    expect(after(wanted, ...all('e', 1)).effects).toEqual([]);
    expect(after(held, ...all('a', 1)).effects).toEqual([]);
  });

  it('[RE5] enters when it has heard from all neighbours', () => {
    expect(held).toMatchObject({ value: 'held', context: { pending: [] } });
    expect(after(wanted, echo('a', 'b'), echo('c', 'b')).state.value).toBe('wanted');
  });

  it('[RE6] echoes all waves that have returned when it leaves', () => {
    const waves = [
      request('c', 'e', 7),
      request('a', 'e', 7),
      echo('d', 'e'),
      request('a', 'a', 9),
      echo('c', 'a'),
    ];
    const { state, effects } = after(held, ...waves, { type: 'release' });
    expect(effects).toEqual([send('c', { type: 'echo', id: 'e' })]);
    expect(state).toMatchObject({
      value: 'released',
      context: { waves: [{ id: 'a', pending: ['d'] }] },
    });
  });
});

describe('ricart-agrawala-echo cost', () => {
  it('is 2e messages per entry, in every interleaving', () => {
    const initiators = ['a', 'b'];
    for (const topology of [chain(2), ...allGraphs(3)])
      expectTight(ricartAgrawalaEcho, topology, { initiators }, topology.links.length, 'acquire');
  });
});

describe('ricart-agrawala-echo assumptions', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

  it.each([
    ['a lost request', { losses: 1 }, entry, 2],
    ['a crash', { crashes: 1 }, entry, 2],
    ['a restart', { crashes: 1, restarts: 1 }, exclusion, 8],
    ['a duplicated echo', { duplications: 1 }, exclusion, 10],
  ] satisfies [string, ExploreOptions, string, number][])(
    '%s: the shortest run, as on the page',
    (_what, faults, name, steps) => {
      const protocol = ignoringUnexpected(ricartAgrawalaEcho);
      const properties = [propertyNamed(protocol.properties, name)];
      const found = explore(protocol, chain(2), {
        commands: 2,
        ...faults,
        properties,
        limits: { states: 20_000 },
      });
      const { trace } = propertyNamed(found.properties, name);
      expect(trace?.lines).toHaveLength(steps);
      expect(trace && replay(protocol, chain(2), trace)).toEqual({ steps });
      expect(page).toContain(linesText(trace?.lines ?? []));
    },
  );

  proof('a lost message or a crash does no harm to exclusion and fencing', () => {
    for (const budget of [{ losses: 1 }, { crashes: 1 }])
      expect(outcomeOf(ricartAgrawalaEcho, chain(3), budget).verdicts).toMatchObject({
        [exclusion]: 'holds',
        [fencing]: 'holds',
      });
  });
});
