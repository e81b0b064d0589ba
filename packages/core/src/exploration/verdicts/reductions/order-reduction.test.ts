/**
 * Compares searches reduced by the order of steps with full ones, which are correct by definition.
 */
import { assertRuns, isWhole, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calls, cards, centralLock } from '../../../protocol/examples.contract.js';
import {
  always,
  type NodeView,
  never,
  type Property,
  type SystemView,
  sometimes,
} from '../../../protocol/property.js';
import type { Protocol } from '../../../protocol/protocol.js';
import { chain, complete, ring, star } from '../../../topology/generators.js';
import type { Topology } from '../../../topology/topology.js';
import { replay } from '../../../trace/replay.js';
import { type Exploration, explore } from '../../explore/explore.js';
import type { ExploreOptions } from '../../explore/options.js';
import { greetings, tennis } from '../../fixtures/explored.contract.js';
import { randomProtocol } from '../../fixtures/random-protocol.contract.js';
import { askable } from '../../fixtures/systems.contract.js';

const values = ({ nodes }: SystemView) => nodes.map(({ value }) => JSON.stringify(value)).join();
const some = (field: string, wanted: unknown) => (system: SystemView) =>
  system.nodes.some(({ context }) => context[field] === wanted);

/**
 * Whether each combination of what up to three nodes may show is reached: the reduction must not
 * lose one.
 */
function combinations<T>(
  options: readonly T[],
  shows: (node: NodeView, option: T) => boolean,
): readonly Property[] {
  const all = options.flatMap((a) =>
    options.flatMap((b) => options.map((c) => [a, b, c] as const)),
  );
  return all.map((wanted) =>
    sometimes(wanted.join(), ({ nodes }) =>
      nodes.every((node, index) => shows(node, wanted[index] ?? wanted[0])),
    ),
  );
}

/** Properties by what they read. */
const looks: Readonly<Record<string, readonly Property[]>> = {
  nothing: [],
  tags: [
    always('at most one waits', (system) => system.count('waiting') <= 1),
    never(
      'one waits and another is in the critical section',
      (system) => system.count('waiting') > 0 && system.count('critical') > 0,
    ),
    sometimes(
      'two are in the critical section',
      (system) => system.tagged('critical').length === 2,
    ),
    sometimes(
      'the last two differ',
      ({ nodes }) => nodes.at(-1)?.tags.size !== nodes.at(-2)?.tags.size,
    ),
  ],
  'one tag': combinations([true, false], ({ tags }, wanted) => tags.has('waiting') === wanted),
  values: [
    ...combinations(['s0', 's1', 's2'], ({ value }, wanted) => value === wanted),
    sometimes('all are in one state', (system) => new Set(values(system).split(',')).size === 1),
    never(
      'the first has moved, the last has not',
      ({ nodes: [first, ...rest] }) => first?.value !== 's0' && rest.at(-1)?.value === 's0',
    ),
  ],
  'one field': [
    ...combinations([0, 1, 2], ({ context }, wanted) => context.n === wanted),
    sometimes('n is 2 in all', ({ nodes }) => nodes.every(({ context }) => context.n === 2)),
    never(
      'n is 1 at one and 2 at another',
      (system) => some('n', 1)(system) && some('n', 2)(system),
    ),
    sometimes('two tries', some('tries', 2)),
    always(
      'all nodes in the critical section have the same n',
      (system) => system.distinct('critical', 'n').length <= 1,
    ),
  ],
  'a field by and by': [
    never('fuel is out where n is 2', ({ nodes }) =>
      nodes.some(({ context }) => context.n === 2 && context.fuel === 0),
    ),
    sometimes(
      'all fields',
      ({ nodes }) => nodes.filter(({ context }) => Object.values(context).includes(1)).length === 2,
    ),
  ],
  'messages in flight': [
    never('two messages are in flight', (system) => system.inFlight().length > 1),
    sometimes(
      'no message is in flight, but a node waits',
      (system) => system.inFlight().length === 0 && system.count('waiting') > 0,
    ),
  ],
};

/** The results that must be equal. */
const verdictsOf = ({ properties }: Exploration) =>
  properties.map(({ name, verdict }) => `${name}: ${verdict}`);

function compare(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions,
  all: readonly Property[],
): readonly [number, number] {
  const properties = askable(protocol, all);
  const full = explore(protocol, topology, {
    limits: { states: 1500 },
    ...options,
    properties,
    coverage: true,
  });
  if (!full.complete) return [0, 0];
  let fewest = full.states;
  for (const more of [{}, { search: 'depth' }, { coverage: true }] as const) {
    const reduced = explore(protocol, topology, {
      ...options,
      properties,
      ...more,
      reduce: 'order',
    });
    expect(verdictsOf(reduced)).toEqual(verdictsOf(full));
    expect(reduced.states).toBeLessThanOrEqual(full.states);
    if (reduced.coverage)
      expect([reduced.coverage, reduced.diagnosis.nodes]).toEqual([
        full.coverage,
        full.diagnosis.nodes,
      ]);
    for (const { trace } of reduced.properties)
      if (trace) expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
    fewest = Math.min(fewest, reduced.states);
  }
  return [fewest, full.states];
}

describe.each(Object.entries(looks))(
  'a search reduced by order, with properties that read %s',
  (look, properties) => {
    const topologies = [ring(3), complete(2), complete(3), chain(3), ring(2)];

    it('finds what a full search finds, on random protocols', () => {
      let [reduced, full] = [0, 0];
      assertRuns(
        fc.property(
          randomProtocol,
          fc.constantFrom(...topologies),
          fc.constantFrom('fifo' as const, 'any' as const),
          fc.constantFrom(0, 0, 0, 1),
          (protocol, topology, order, crashes) => {
            const [some, all] = compare(protocol, topology, { order, crashes }, properties);
            reduced += some;
            full += all;
          },
        ),
        1,
        20,
        3,
      );
      if (look === 'messages in flight') expect(reduced).toBe(full);
      else if (isWhole) expect(reduced).toBeLessThan(full);
    });

    const systems: readonly (readonly [string, Protocol, Topology, ExploreOptions])[] = [
      ['a lock', centralLock, star(3), { commands: 2, order: 'fifo' }],
      ['a lock without order', centralLock, star(3), { commands: 2 }],
      ['callers', calls, complete(2), { commands: 2, order: 'fifo' }],
      ['callers that crash', calls, complete(3), { crashes: 1, initiators: ['a'], order: 'fifo' }],
      ['card players', cards, complete(2), { initiators: ['a'], order: 'fifo' }],
      ['a ball', tennis, complete(2), {}],
      ['a ball among three nodes', tennis, complete(3), {}],
      ['greetings', greetings, complete(3), {}],
    ];

    proof.each(systems)(
      'finds what a full search finds: %s',
      (_name, protocol, topology, options) => {
        const [, full] = compare(protocol, topology, { ...options, limits: {} }, properties);
        expect(full).toBeGreaterThan(0);
      },
    );
  },
);
