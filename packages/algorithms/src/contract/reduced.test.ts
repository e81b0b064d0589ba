/**
 * Reduced searches have the verdicts of full ones, on small networks of every protocol of the
 * catalogue.
 */
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { isOfRuns } from '@conclave/core/internal/protocol';
import { ring } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../catalogue.js';
import { dolevKlaweRodeh } from '../election/dolev-klawe-rodeh/protocol.js';
import { lelannChangRoberts } from '../election/lelann-chang-roberts/protocol.js';
import { oneExample } from './one-example.js';

/**
 * The largest networks that are searched in full: with one command per node, with two, and with a
 * crash.
 */
const largest: Readonly<Record<string, readonly [once: number, twice: number, crashing?: number]>> =
  {
    'causal-fairness': [2, 2], // its default lock is Lamport's
    // the past of each event tells worlds apart: 55,724 with two nodes and two commands each
    'logical-clock': [2, 1],
    lamport: [2, 2], // with three nodes it has more than 100,000 worlds
    'ricart-agrawala': [3, 2],
    'ricart-agrawala-ring': [3, 2],
    'ricart-agrawala-echo': [3, 2],
    'causal-multicast': [3, 2, 2],
    'total-multicast': [2, 2, 2],
    'interval-reservation': [2, 2, 2],
    appointments: [3, 2],
    'ricart-agrawala-83': [3, 3],
    'suzuki-kasami': [3, 3],
    'echo-token': [3, 2],
    'tree-token': [3, 3],
    maekawa: [3, 2],
    'naimi-trehel': [3, 3],
    'hunted-token': [3, 3],
    firewire: [3, 3],
    'hirschberg-sinclair': [3, 3],
    'itai-rodeh': [2, 3, 3], // without FIFO, a message goes round a ring of three forever
    mesh: [2, 2], // its example of two, three and four nodes is 2 × 2
    'virtual-tree': [3, 3],
    'group-lock': [2, 2],
    // without FIFO, or with two commands, even two members have too many worlds
    membership: [1, 1, 2],
    // its smallest network has four nodes: too large with two commands per node
    hierarchical: [2, 1],
  };
const usual = [3, 3] as const;
/** With how many initiators, where the smallest networks with all of them are too large. */
const starting: Readonly<Record<string, number>> = { mesh: 1 };
/**
 * Of these, only one example of each command: with all of them even two nodes have too many worlds.
 */
const restricted = ['membership'];
/** A protocol with a larger search needs an entry in {@link largest}. */
const limits = { states: 40_000 };

/**
 * In exact time there are no reductions; without it, each time-out of these begins another
 * election, or makes another heartbeat, token, copy or round.
 */
const endless = [
  'bully',
  'heartbeat',
  'regenerated-token',
  'acknowledged-multicast',
  'negative-multicast',
  'leased-majority',
];

describe.each(
  catalogue
    .filter(({ name }) => !endless.includes(name))
    .map((entry) => [entry.name, entry.make()] as const),
)('%s', (name, protocol) => {
  const properties = protocol.properties.filter((property) => !isOfRuns(property));
  const [once, twice, crashing = once] = largest[name] ?? usual;
  const kinds: readonly (readonly [most: number, options: ExploreOptions])[] = [
    [once, { order: 'fifo' }],
    [once, { order: 'any' }],
    [crashing, { order: 'fifo', crashes: 1 }],
    [twice, { order: 'fifo', commands: 2 }],
  ];
  const cases = kinds.filter(([most]) => most > 1);

  it.each(cases)(
    'has the same verdicts if independent steps are taken in one order only: %i nodes, %o',
    (n, options) => {
      proof();
      const topology = protocol.topology.example(n);
      const few = {
        ...(starting[name] !== undefined && {
          initiators: topology.nodes.slice(0, starting[name]),
        }),
        ...(restricted.includes(name) && { inputs: oneExample(protocol) }),
      };
      const full = explore(protocol, topology, { ...options, ...few, properties, limits });
      expect(full).toMatchObject({ complete: true });
      const reduced = explore(protocol, topology, {
        ...options,
        ...few,
        properties,
        reduce: 'order',
      });
      expect(reduced.properties.map(({ name, verdict }) => [name, verdict])).toEqual(
        full.properties.map(({ name, verdict }) => [name, verdict]),
      );
      expect(reduced.states).toBeLessThanOrEqual(full.states);
      for (const { trace } of reduced.properties)
        if (trace) expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
    },
  );
});

it.each([
  ['Dolev–Klawe–Rodeh', dolevKlaweRodeh, 'abcdefg', 66_921, 0.01],
  ['Dolev–Klawe–Rodeh', dolevKlaweRodeh, 'aebfcgd', 118_638, 0.01],
  ['LeLann–Chang–Roberts', lelannChangRoberts, 'abcdefg', 9369, 0.02],
  ['LeLann–Chang–Roberts', lelannChangRoberts, 'gfedcba', 63_132, 0.025],
])('keeps few states of a ring of seven: %s', (_name, protocol, ids, states, share) => {
  proof();
  const properties = protocol.properties.filter((property) => !isOfRuns(property));
  const search = (reduce: 'none' | 'order') =>
    explore(protocol, ring([...ids]), { order: 'fifo', properties, reduce });
  expect(search('none').states).toBe(states);
  expect(search('order').states / states).toBeLessThanOrEqual(share);
});
