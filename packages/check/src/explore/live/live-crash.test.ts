/** Untimed searches: the explorer against live nodes that go down at any instant. */

import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { chain, complete, ring, star } from '@conclave/core/topology';
import { isWhole, proof, sampled } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calls, cards, centralLock } from '../../../../core/src/protocol/examples.contract.js';
import {
  randomListener,
  randomProtocol,
} from '../../../../core/src/protocol/random-protocol.contract.js';
import { greetings, tennis } from '../../fixtures/explored.contract.js';
import { explore } from '../explore.js';
import type { ExploreOptions } from '../options.js';
import { criers, drawers, mourners } from './live-examples.contract.js';
import { explored, judged } from './live-search.contract.js';
import { untimed } from './live-system.contract.js';
import { forgetful, nothingInside, oneAfterTheOther } from './live-world.contract.js';

const systems: readonly (readonly [string, Protocol, Topology, ExploreOptions])[] = [
  ['a lock', centralLock, star(3), { crashes: 1, restarts: 1 }],
  ['callers', calls, complete(2), { crashes: 2, restarts: 1, initiators: ['a'] }],
  [
    'callers on lossy channels',
    calls,
    complete(2),
    { crashes: 1, restarts: 1, losses: 1, duplications: 1, initiators: ['a'] },
  ],
  [
    'callers that crash while they wait',
    calls,
    complete(2),
    { crashes: 1, restarts: 1, mayCrash: ({ context }) => context.tries !== 0 },
  ],
  ['card players at their start', cards, complete(2), { crashes: 2, restarts: 1, commands: 0 }],
  [
    'three card players at their start',
    cards,
    complete(3),
    { crashes: 1, commands: 0, order: 'fifo' },
  ],
  ['a ball among three nodes', tennis, complete(3), { crashes: 2, restarts: 1 }],
  ['greetings', greetings, complete(3), { crashes: 2 }],
  ['criers', criers, complete(2), { crashes: 2, restarts: 1, initiators: ['a'] }],
  [
    'criers whose messages overtake',
    criers,
    complete(2),
    { crashes: 1, restarts: 1, order: 'any', initiators: ['a'], losses: 1 },
  ],
  [
    'criers, one of which may crash at its start',
    criers,
    complete(3),
    { crashes: 1, commands: 0, mayCrash: ({ id }) => id !== 'b' },
  ],
  ['mourners', mourners, complete(2), { crashes: 2, restarts: 2, initiators: ['a'] }],
  [
    'mourners whose messages overtake',
    mourners,
    complete(2),
    { crashes: 1, restarts: 1, order: 'any' },
  ],
  ['three mourners', mourners, complete(3), { crashes: 1, commands: 0 }],
];

describe.each(systems)('%s', (_name, protocol, topology, options) => {
  proof.each([
    ['at any instant', false],
    ['between steps', true],
  ])('are the same if nodes go down %s', (_when, atomicSteps) => {
    const judgement = judged(protocol, topology, { ...options, atomicSteps }, untimed);
    expect(explored(protocol, topology, { ...options, atomicSteps })).toEqual(judgement);
  });
});

const options = fc.record({
  commands: fc.constantFrom(0, 1, 1),
  losses: fc.constantFrom(0, 0, 1),
  duplications: fc.constantFrom(0, 0, 1),
  crashes: fc.constantFrom(1, 1, 2),
  initiators: fc.constant(['a']),
  restarts: fc.constantFrom(0, 1),
  order: fc.constantFrom('fifo' as const, 'any' as const),
});
const networks = fc.constantFrom(complete(2), complete(2), ring(3), chain(3), complete(3));
const most = 1_000;

it('are the same for random protocols', () => {
  let compared = 0;
  let inside = 0;
  const cases = fc.sample(fc.tuple(randomProtocol, networks, options), { seed: 23, numRuns: 60 });
  for (const [protocol, topology, asked] of sampled(cases, 5)) {
    const found = explored(protocol, topology, asked, most);
    if (!found) continue;
    expect(found).toEqual(judged(protocol, topology, asked, untimed));
    compared++;
    if (
      explore(protocol, topology, { ...asked, atomicSteps: true }).transitions !== found.transitions
    )
      inside++;
  }
  if (!isWhole) return;
  expect(compared).toBeGreaterThan(35);
  expect(inside).toBeGreaterThan(8); // there, crashes in the middle of steps make a difference
});

it('are the same for random protocols whose network reports crashes', () => {
  let compared = 0;
  const cases = fc.sample(fc.tuple(randomListener, networks, options), { seed: 17, numRuns: 40 });
  for (const [listener, topology, asked] of sampled(cases, 5)) {
    const protocol = { ...listener, crashNotice: 'm2' };
    const reliable = { ...asked, losses: 0, duplications: 0 };
    const found = explored(protocol, topology, reliable, most);
    if (!found) continue;
    compared++;
    expect(found).toEqual(judged(protocol, topology, reliable, untimed));
  }
  if (isWhole) expect(compared).toBeGreaterThan(15);
});

proof.each([
  ['channels wait for each other', oneAfterTheOther, greetings, complete(3), { crashes: 2 }],
  ['nothing is lost', nothingInside, greetings, complete(3), { crashes: 2 }],
  [
    'nothing is stored',
    forgetful,
    calls,
    complete(2),
    { crashes: 2, restarts: 1, initiators: ['a'] },
  ],
] as const)(
  'a judge that is wrong is noticed where %s',
  (_what, crashes, protocol, topology, asked) => {
    const found = explored(protocol, topology, asked);
    expect(found).toEqual(judged(protocol, topology, asked, untimed));
    expect(found).not.toEqual(judged(protocol, topology, asked, { ...untimed, crashes }));
  },
);

it('are the same if a node goes down between two answers', () => {
  const asked = { crashes: 1, initiators: ['a'], properties: drawers.properties };
  expect(explored(drawers, complete(2), asked)).toEqual(
    judged(drawers, complete(2), asked, untimed),
  );
});
