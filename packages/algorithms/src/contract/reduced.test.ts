/** Searches that leave out interleavings find what full ones find, on small networks of every protocol of the catalogue. */
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { isOfRuns } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../catalogue.js';
import { dolevKlaweRodeh } from '../election/dolev-klawe-rodeh/protocol.js';
import { lelannChangRoberts } from '../election/lelann-chang-roberts/protocol.js';

/** The largest networks on which everything is searched in full: where each node wishes once, where it wishes twice, and where one may crash. */
const largest: Readonly<Record<string, readonly [once: number, twice: number, crashing?: number]>> = {
  lamport: [2, 2], // with three nodes it has more than 100,000 worlds
  'ricart-agrawala': [3, 2],
  'interval-reservation': [3, 2],
  'ricart-agrawala-83': [3, 3],
  'suzuki-kasami': [3, 3],
  'echo-token': [3, 2],
  'tree-token': [3, 3],
  maekawa: [3, 3],
  'naimi-trehel': [4, 3],
  'hunted-token': [4, 3],
  'regenerated-token': [3, 3, 1], // with a node of the ring gone, its tokens are made and lost for ever
  hierarchical: [2, 1], // its smallest network has four nodes, and twice is too much for them
};
const usual = [4, 4] as const;
/** A search that is not over by then belongs into {@link largest}. */
const limits = { states: 40_000 };

describe.each(catalogue.map((entry) => [entry.name, entry.make()] as const))('%s', (name, protocol) => {
  const properties = protocol.properties.filter((property) => !isOfRuns(property));
  const [once, twice, crashing = once] = largest[name] ?? usual;
  const kinds: readonly (readonly [most: number, options: ExploreOptions])[] = [
    [once, { order: 'fifo' }],
    [once, { order: 'any' }],
    [crashing, { order: 'fifo', crashes: 1 }],
    [twice, { order: 'fifo', commands: 2 }],
  ];
  const cases = kinds.flatMap(([most, options]) => [2, 3, 4].filter((n) => n <= most).map((n) => [n, options] as const));

  it.each(cases)('has the same verdicts when independent steps are taken in one order only: %i nodes, %o', (n, options) => {
    const topology = protocol.topology.example(n);
    const full = explore(protocol, topology, { ...options, properties, limits });
    expect(full).toMatchObject({ complete: true });
    const reduced = explore(protocol, topology, { ...options, properties, reduce: 'order' });
    expect(reduced.properties.map(({ name, verdict }) => [name, verdict])).toEqual(
      full.properties.map(({ name, verdict }) => [name, verdict]),
    );
    expect(reduced.states).toBeLessThanOrEqual(full.states);
    for (const { trace } of reduced.properties) if (trace) expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
  });
});

it.each([
  ['Dolev–Klawe–Rodeh', dolevKlaweRodeh, 'abcdefg', 66_921, 0.01],
  ['Dolev–Klawe–Rodeh', dolevKlaweRodeh, 'aebfcgd', 118_638, 0.01],
  ['LeLann–Chang–Roberts', lelannChangRoberts, 'abcdefg', 9369, 0.02],
  ['LeLann–Chang–Roberts', lelannChangRoberts, 'gfedcba', 63_132, 0.025],
])('leaves little of a ring of seven: %s', (_name, protocol, ids, states, share) => {
  const properties = protocol.properties.filter((property) => !isOfRuns(property));
  const search = (reduce: 'none' | 'order') => explore(protocol, ring([...ids]), { order: 'fifo', properties, reduce });
  expect(search('none').states).toBe(states);
  expect(search('order').states / states).toBeLessThanOrEqual(share);
});
