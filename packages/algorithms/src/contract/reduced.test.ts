/**
 * Reduced searches have the verdicts of full ones, on small networks of every protocol of the
 * catalogue.
 */
import { existsSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { isOfRuns } from '@conclave/core/internal/protocol';
import type { Protocol } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { catalogue } from '../catalogue.js';
import type { Reduced } from '../checks/checks.js';
import { dolevKlaweRodeh } from '../election/dolev-klawe-rodeh/protocol.js';
import { lelannChangRoberts } from '../election/lelann-chang-roberts/protocol.js';
import { oneExample } from './one-example.js';

/** A protocol with a larger search needs a `reduced` in the `checks.ts` of its folder. */
const limits = { states: 40_000 };

/**
 * In exact time there are no reductions; without it, each time-out begins another election, or makes
 * another heartbeat, token, copy or round.
 */
const isTimed = ({ channels: { time = 'untimed' } }: Protocol) => time !== 'untimed';

const searched = await Promise.all(
  catalogue
    .filter(({ make }) => !isTimed(make()))
    .map(async ({ name, folder, make }) => {
      const path = new URL(`../${folder}/checks.ts`, import.meta.url);
      const checks: { readonly reduced?: Reduced } = existsSync(path)
        ? await import(path.href)
        : {};
      return [name, make(), checks.reduced ?? {}] as const;
    }),
);

describe.each(searched)('%s', (_name, protocol, reduced) => {
  const properties = protocol.properties.filter((property) => !isOfRuns(property));
  const { once = 3, twice = 3, crashing = once, initiators, oneExample: isRestricted } = reduced;
  const kinds: readonly (readonly [most: number, options: ExploreOptions])[] = [
    [once, { order: 'fifo' }],
    [once, { order: 'any' }],
    [crashing, { order: 'fifo', crashes: 1 }],
    [twice, { order: 'fifo', commands: 2 }],
  ];
  const cases = kinds.filter(([most]) => most > 1);

  proof.each(cases)(
    'has the same verdicts if independent steps are taken in one order only: %i nodes, %o',
    (n, options) => {
      const topology = protocol.topology.example(n);
      const few = {
        ...options,
        ...(initiators !== undefined && { initiators: topology.nodes.slice(0, initiators) }),
        ...(isRestricted && { inputs: oneExample(protocol) }),
        properties,
      };
      const full = explore(protocol, topology, { ...few, limits });
      expect(full).toMatchObject({ complete: true });
      const reduced = explore(protocol, topology, { ...few, reduce: 'order' });
      expect(reduced.properties.map(({ name, verdict }) => [name, verdict])).toEqual(
        full.properties.map(({ name, verdict }) => [name, verdict]),
      );
      expect(reduced.states).toBeLessThanOrEqual(full.states);
      for (const { trace } of reduced.properties)
        if (trace) expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
    },
  );
});

proof.each([
  ['Dolev–Klawe–Rodeh', dolevKlaweRodeh, 'abcdefg', 66_921, 0.01],
  ['Dolev–Klawe–Rodeh', dolevKlaweRodeh, 'aebfcgd', 118_638, 0.01],
  ['LeLann–Chang–Roberts', lelannChangRoberts, 'abcdefg', 9369, 0.02],
  ['LeLann–Chang–Roberts', lelannChangRoberts, 'gfedcba', 63_132, 0.025],
])('keeps few states of a ring of seven: %s', (_name, protocol, ids, states, share) => {
  const properties = protocol.properties.filter((property) => !isOfRuns(property));
  const search = (reduce: 'none' | 'order') =>
    explore(protocol, ring([...ids]), { order: 'fifo', properties, reduce });
  expect(search('none').states).toBe(states);
  expect(search('order').states / states).toBeLessThanOrEqual(share);
});
