/**
 * Compares the search reduced by symmetry with the full one, and its worlds with the orbits of a
 * naive count.
 */
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { centralLock } from '../../../protocol/examples.contract.js';
import type { NodeId } from '../../../protocol/node.js';
import {
  always,
  eventually,
  never,
  type Property,
  type SystemView,
  sometimes,
} from '../../../protocol/property.js';
import type { Protocol } from '../../../protocol/protocol.js';
import { interchangeable, type Permutation } from '../../../protocol/symmetry.js';
import { standardProperties } from '../../../protocol/unhandled-messages.js';
import { complete, ring, star } from '../../../topology/generators.js';
import type { Topology } from '../../../topology/topology.js';
import { replay } from '../../../trace/replay.js';
import { type Exploration, explore } from '../../explore/explore.js';
import type { ExploreOptions } from '../../explore/options.js';
import { finding, tennis, verdicts } from '../../fixtures/explored.contract.js';
import {
  coinRing,
  leavesAlike,
  postOffice,
  rotations,
  tokenRing,
  unfair,
  withSymmetry,
} from '../../fixtures/symmetric.contract.js';
import { alike, letters, lock, systems } from '../../fixtures/symmetric-systems.contract.js';
import { askable } from '../../fixtures/systems.contract.js';
import type { World } from '../../worlds/world.js';
import { worldKey } from '../../worlds/world-key.js';
import { Worlds } from '../../worlds/worlds.js';
import { longTimer } from './long-timer.contract.js';
import { symmetryOf } from './symmetry.js';

const values = (system: SystemView) => system.nodes.map(({ value }) => JSON.stringify(value));
const probes: readonly Property[] = [
  always('at most one waits', (system) => system.count('waiting') <= 1),
  always('at most two messages are in flight', (system) => system.inFlight().length <= 2),
  never(
    'a node has crashed while a message is in flight',
    (system) => system.live < system.nodes.length && system.inFlight().length > 1,
  ),
  sometimes('all are in one state', (system) => new Set(values(system)).size === 1),
  sometimes('no message is in flight', (system) => system.inFlight().length === 0),
  sometimes('an unreachable state', (system) => values(system).join() === ''),
];

/** Renames a world through its text: {@link Renaming} does the same by tables. */
function renamed(
  world: World,
  permutation: Permutation,
  { nodes }: Topology,
  { optional: inputs, counts }: Worlds['commands'],
): World {
  const name = (id: NodeId) => permutation.get(id) ?? id;
  const ids = nodes.join('|');
  const text = JSON.stringify(world)
    .replace(new RegExp(`"(${ids})→(${ids})"`, 'g'), (_, from, to) => `"${name(from)}→${name(to)}"`)
    .replace(new RegExp(`"(${ids})"`, 'g'), (_, id) => `"${name(id)}"`);
  const moved: World = JSON.parse(text);
  const isOther = moved.cut.includes(nodes[0] ?? '');
  // A count moves with the commands that it counts.
  const places: number[] = [];
  for (const [index, command] of inputs.entries()) {
    const its = JSON.stringify(command).replace(
      new RegExp(`"(${ids})"`),
      (_, id) => `"${name(id)}"`,
    );
    places[counts[index] ?? 0] =
      counts[inputs.findIndex((other) => JSON.stringify(other) === its)] ?? 0;
  }
  const commands = Object.fromEntries(
    Object.entries(moved.remaining.commands).map(([id, left]) => [
      id,
      left.map((_, place) => left[places.indexOf(place)] ?? 0),
    ]),
  );
  return {
    ...moved,
    remaining: { ...moved.remaining, commands },
    crashed: [...moved.crashed].sort(),
    cut: nodes.filter((id) => moved.cut.length > 0 && moved.cut.includes(id) !== isOther),
  };
}

/** The number of orbits of the reachable worlds. */
function orbitsOf(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions,
): { readonly states: number; readonly orbits: number } {
  const worlds = new Worlds(protocol, topology, options);
  const { group } = symmetryOf(protocol, topology);
  const key = (world: World) => worldKey(world, worlds.order);
  const known = new Map([[key(worlds.initial), worlds.initial]]);
  for (const world of known.values())
    for (const action of worlds.actions(world)) {
      try {
        const next = worlds.next(world, action);
        if (!known.has(key(next))) known.set(key(next), next);
      } catch {
        // The step has a fault and leads to no world.
      }
    }
  const least = (world: World) =>
    group
      .map((permutation) => key(renamed(world, permutation, topology, worlds.commands)))
      .sort()[0];
  return { states: known.size, orbits: new Set([...known.values()].map(least)).size };
}

describe.each(sampled(systems, 7))('%s', (_name, protocol, topology, options) => {
  const found = new Map<'none' | 'symmetry', Exploration>();
  const search = (reduce: 'none' | 'symmetry') => {
    const known =
      found.get(reduce) ??
      explore(protocol, topology, { ...options, properties: askable(protocol, probes), reduce });
    found.set(reduce, known);
    return known;
  };

  proof('has one world for each orbit', () => {
    const { states, orbits } = orbitsOf(protocol, topology, options);
    expect(search('none').states).toBe(states);
    expect(search('symmetry')).toMatchObject({ states: orbits, complete: true });
  });

  it('has the verdicts of the full search, at no greater depth', () => {
    const [full, reduced] = [search('none'), search('symmetry')];
    const verdictsOf = ({ properties }: Exploration) =>
      properties.map(({ name, verdict }) => [name, verdict]);
    expect(verdictsOf(reduced)).toEqual(verdictsOf(full));
    expect(reduced.depth).toBeLessThanOrEqual(full.depth); // the nearest world of an orbit counts
  });

  it('gives real runs, as long as those of the full search', () => {
    const [full, reduced] = [search('none'), search('symmetry')];
    for (const { name, trace, steps } of reduced.properties) {
      if (!trace) continue;
      expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
      const other = finding(full, name);
      if (!options.partitions && protocol.name !== 'cards')
        expect([name, steps?.length]).toEqual([name, other.steps?.length]);
      expect(trace.header.has('fault')).toBe(other.trace?.header.has('fault'));
    }
    expect(reduced.properties.some(({ trace }) => trace)).toBe(true);
  });
});

describe('the reduction factor', () => {
  const statesOf = (protocol: Protocol, topology: Topology, options: ExploreOptions = {}) => [
    explore(protocol, topology, options).states,
    explore(protocol, topology, { ...options, reduce: 'symmetry' }).states,
  ];

  it('approaches the number of permutations', () => {
    expect(statesOf(lock, star(5))).toEqual([1017, 75]);
    expect(statesOf(tokenRing, ring(5))).toEqual([1620, 324]);
  });
});

describe('a reduced search', () => {
  it('leaves properties of runs open: an orbit does not say which node waits', () => {
    const served = eventually('a node is served', (system) => system.count('critical') > 0);
    const found = explore(lock, star(4), {
      reduce: 'symmetry',
      properties: [...lock.properties, served],
    });
    expect(verdicts(found)).toEqual([
      'holds',
      'reached',
      'incomplete',
      'incomplete',
      'holds',
      'holds',
      'holds',
    ]);
  });

  proof('lists its assumptions: none without normalise', () => {
    const trusts = (options: ExploreOptions) => explore(lock, star(3), options).assumptions;
    for (const reduce of ['none', 'order', 'symmetry', 'all'] as const)
      expect(trusts({ reduce })).toEqual([]);
    const normal = expect.stringContaining('normalise');
    expect(trusts({ normalise: (world) => world })).toEqual([normal]);
    expect(trusts({ normalise: (world) => world, reduce: 'symmetry' })).toEqual([
      expect.stringContaining('the symmetry'),
      normal,
    ]);
  });

  it('gives real runs also depth-first', () => {
    const found = explore(lock, star(4), { search: 'depth', reduce: 'symmetry', losses: 1 });
    const { trace, verdict } = finding(found, standardProperties[1] ?? '');
    expect(verdict).toBe('violated');
    expect(trace && replay(lock, star(4), trace)).toEqual({ steps: trace?.lines.length });
  });

  it("with 'all', uses the declared symmetry", () => {
    const verdictsOf = (protocol: Protocol) =>
      verdicts(explore(protocol, star(4), { reduce: 'all', properties: probes }));
    expect(verdictsOf(lock)).toEqual(verdictsOf(centralLock));
    expect(explore(lock, star(4), { reduce: 'all', properties: probes }).states).toBeLessThan(
      explore(lock, star(4), { reduce: 'order', properties: probes }).states,
    );
  });
});

describe('together with the reduction of order', () => {
  const blind = probes.filter(
    ({ name }) => name === 'at most one waits' || name === 'an unreachable state',
  );

  it.each([
    ['tokens', tokenRing, ring(4), { order: 'fifo' }],
    ['coins', coinRing, ring(4), { order: 'fifo' }],
    ['a lock', lock, star(4), { order: 'fifo', commands: 2 }],
  ] as const)(
    '%s: the verdicts stay, the worlds become no more, and the traces replay',
    (_name, protocol, topology, options) => {
      const found = (reduce: 'none' | 'symmetry' | 'order' | 'all') =>
        explore(protocol, topology, { ...options, properties: askable(protocol, blind), reduce });
      const both = found('all');
      expect(verdicts(both)).toEqual(verdicts(found('none')));
      expect(both.states).toBeLessThanOrEqual(
        Math.min(found('symmetry').states, found('order').states),
      );
      for (const { trace } of both.properties)
        if (trace) expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
    },
  );
});

describe('the group', () => {
  const sizeOf = (symmetry: Protocol['symmetry'] & {}, topology: Topology) =>
    symmetryOf({ ...withSymmetry(centralLock, symmetry), roleOf: () => 'client' }, topology).group
      .length;

  it('has every permutation of interchangeable nodes, and every rotation of a ring', () => {
    expect(sizeOf(leavesAlike, star(5))).toBe(24);
    expect(sizeOf(leavesAlike, star(8))).toBe(5040);
    expect(sizeOf(rotations, ring(5))).toBe(5);
    expect(sizeOf(rotations, ring(['b', 'c', 'a', 'd'], { oneWay: false }))).toBe(4);
    expect(
      sizeOf(() => [...interchangeable(['b', 'c']), ...interchangeable(['d', 'e'])], star(6)),
    ).toBe(4);
    expect(sizeOf(() => [], star(3))).toBe(1);
  });
});

describe('an invalid symmetry is refused', () => {
  const exploring =
    (protocol: Protocol, topology: Topology, options: ExploreOptions = {}) =>
    () =>
      explore(protocol, topology, { ...options, reduce: 'symmetry' });

  it('a server that prefers a client', () => {
    expect(exploring(unfair(centralLock), star(4))).toThrow(
      /^Protocol 'unfair-lock' on 'star:4': renaming .* changes what can happen. In \(a: given .*\), {"type":"deliver",.*} is possible; in \(a: given .*\), .* is possible with another outcome: state.context.queue.0 . instead of .\. Remove it from the declared symmetry/,
    );
  });

  it('a centre that prefers a leaf in a state that no random walk reaches', () => {
    expect(exploring(longTimer, star(3), { commands: 45, initiators: ['a'] })).toThrow(
      /^Protocol 'long-timer' on 'star:3': renaming b→c→b changes what can happen/,
    );
  });

  it('a machine that treats one name differently when it restarts', () => {
    expect(exploring(alike(tennis), complete(2), { crashes: 1, restarts: 1 })).toThrow(
      /^Protocol 'tennis' on 'complete:2': renaming a→b→a changes what can happen/,
    );
  });

  it('a property that names a node, where the symmetry changes the initial world', () => {
    const named = never('b is in the critical section', (system) =>
      system.node('b').tags.has('critical'),
    );
    expect(exploring(lock, star(3), { properties: [named], initiators: ['b'] })).toThrow(
      /^Property 'b is in the critical section' has another value after renaming b→c→b: false in \(a: given .*c: critical .*\), but true in .*b: critical .*; and the symmetry changes the initial world: renaming b→c→b, it has remaining.commands.b.0 0 instead of 1. Let all nodes/,
    );
  });

  it('a permutation that does not fit the network', () => {
    const swapped = (...pairs: [string, string][]) =>
      exploring(
        withSymmetry(centralLock, () => [new Map(pairs)]),
        star(3),
      );
    expect(swapped(['x', 'b'])).toThrow("it has no node 'x'");
    expect(swapped(['b', 'x'])).toThrow("it has no node 'x'");
    expect(swapped(['b', 'c'])).toThrow('both b and c become c');
    expect(swapped(['a', 'b'], ['b', 'a'])).toThrow('a is a keeper, b a client');
    expect(
      exploring(
        withSymmetry(tokenRing, ({ nodes }) => interchangeable(nodes)),
        ring(3),
      ),
    ).toThrow('a→b is a link, b→a is none');
  });

  it('commands that are not closed under the symmetry', () => {
    expect(exploring(postOffice, star(3), { inputs: letters('b') })).toThrow(
      'Budget: {"type":"post","to":"b"} is a command, but {"type":"post","to":"c"}, its image under the symmetry, is not. Give both',
    );
  });

  it('too many permutations, or none declared', () => {
    expect(exploring(lock, star(9))).toThrow(
      /more than 5040 symmetries on 'star:9'. Explore fewer nodes/,
    );
    expect(exploring(centralLock, star(3))).toThrow(
      "Protocol 'central-lock' declares no symmetry. Leave out reduce: 'symmetry'",
    );
  });
});
