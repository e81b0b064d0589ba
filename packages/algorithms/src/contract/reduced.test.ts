/** Searches that leave out interleavings find what full ones find, on small networks of every protocol of the catalogue. */
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { ring } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../catalogue.js';
import { dolevKlaweRodeh } from '../election/dolev-klawe-rodeh/protocol.js';
import { lelannChangRoberts } from '../election/lelann-chang-roberts/protocol.js';

/** Far enough for most, and near enough for a test. */
const limits = { states: 20_000 };

describe.each(catalogue.map((entry) => [entry.name, entry.make()] as const))('%s', (_name, protocol) => {
  const properties = protocol.properties.filter(({ kind }) => kind !== 'eventually' && kind !== 'leadsTo');
  const options: readonly ExploreOptions[] = [
    { order: 'fifo' },
    { order: 'any' },
    { order: 'fifo', wishes: 2 },
    { order: 'fifo', crashes: 1 },
  ];

  it.each([2, 3, 4])('has the same verdicts when independent steps are taken in one order only, with %i nodes', (n) => {
    const topology = protocol.topology.example(n);
    let complete = 0;
    for (const option of options) {
      const full = explore(protocol, topology, { ...option, properties, limits });
      if (!full.complete) continue;
      complete++;
      const reduced = explore(protocol, topology, { ...option, properties, reduce: 'order' });
      expect(reduced.properties.map(({ name, verdict }) => [name, verdict])).toEqual(
        full.properties.map(({ name, verdict }) => [name, verdict]),
      );
      expect(reduced.states).toBeLessThanOrEqual(full.states);
      for (const { trace } of reduced.properties)
        if (trace) expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
    }
    expect(n > 3 || complete > 0).toBe(true);
  });
});

it.each([
  [dolevKlaweRodeh, 'abcdefg', 66_921, 0.01],
  [dolevKlaweRodeh, 'aebfcgd', 118_638, 0.01],
  [lelannChangRoberts, 'abcdefg', 9369, 0.03],
  [lelannChangRoberts, 'gfedcba', 63_132, 0.04],
])('leaves little of a ring of seven: $0.name, $1', (protocol, ids, states, share) => {
  const properties = protocol.properties.filter(({ kind }) => kind !== 'eventually' && kind !== 'leadsTo');
  const search = (reduce: 'none' | 'order') => explore(protocol, ring([...ids]), { order: 'fifo', properties, reduce });
  expect(search('none').states).toBe(states);
  expect(search('order').states / states).toBeLessThanOrEqual(share);
});
