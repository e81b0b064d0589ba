import { checkProperties } from '../protocol/check-properties.js';
import { calls, cards, centralLock } from '../protocol/examples.contract.js';
import {
  always,
  never,
  type Property,
  type SystemView,
  sometimes,
  type Verdict,
} from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { complete, star } from '../topology/generators.js';
import type { Topology } from '../topology/topology.js';
import { greetings, tennis } from './explored.contract.js';
import type { ExploreOptions } from './options.js';

const values = (system: SystemView) =>
  system.nodes.map(({ value }) => JSON.stringify(value)).join();
/** Some hold, some are violated, some are reached. */
export const probes: readonly Property[] = [
  always('at most one waits', (system) => system.count('waiting') <= 1),
  always('at most two messages are in flight', (system) => system.inFlight().length <= 2),
  never(
    'a node has crashed while a message is in flight',
    (system) => system.live < system.nodes.length && system.inFlight().length > 1,
  ),
  sometimes(
    'all are in one state',
    (system) => new Set(system.nodes.map(({ value }) => JSON.stringify(value))).size === 1,
  ),
  sometimes('no message is in flight', (system) => system.inFlight().length === 0),
  sometimes('an unreachable state', (system) => values(system) === ''),
];

/**
 * Those of `properties` that apply to a protocol: some protocols lack the tags that a property
 * reads.
 */
export const askable = (protocol: Protocol, properties: readonly Property[]): readonly Property[] =>
  properties.filter((property) => {
    try {
      checkProperties(protocol, [property]);
      return true;
    } catch {
      return false;
    }
  });

/** The verdict, where vacuous counts as holds. */
export const plainly = (verdict: Verdict): Verdict => (verdict === 'vacuous' ? 'holds' : verdict);

/** Small systems with every kind of step of the environment. */
export const systems: readonly (readonly [string, Protocol, Topology, ExploreOptions])[] = [
  ['a lock', centralLock, star(3), { commands: 2 }],
  ['a lock with three clients', centralLock, star(4), {}],
  ['a lock on lossy fifo channels', centralLock, star(3), { losses: 1, order: 'fifo' }],
  ['callers', calls, complete(2), { commands: 2 }],
  [
    'callers over channels with loss and duplication',
    calls,
    complete(2),
    { losses: 1, duplications: 1, initiators: ['a'] },
  ],
  [
    'callers whose messages overtake',
    calls,
    complete(2),
    { duplications: 2, initiators: ['a'], order: 'any' },
  ],
  [
    'callers whose messages keep their order',
    calls,
    complete(2),
    { duplications: 2, initiators: ['a'], order: 'fifo' },
  ],
  [
    'callers that crash and come back',
    calls,
    complete(2),
    { crashes: 2, restarts: 1, initiators: ['a'] },
  ],
  [
    'callers that crash for good',
    calls,
    complete(3),
    { crashes: 1, initiators: ['a'], order: 'fifo' },
  ],
  [
    'callers that crash while they wait',
    calls,
    complete(2),
    { crashes: 1, restarts: 1, mayCrash: ({ context }) => context.tries !== 0 },
  ],
  [
    'callers, one of which may crash',
    calls,
    complete(3),
    { crashes: 1, initiators: ['a'], order: 'fifo', mayCrash: ({ id }) => id === 'b' },
  ],
  ['card players at their start', cards, complete(3), { commands: 0 }],
  ['card players', cards, complete(2), { initiators: ['a'], order: 'fifo' }],
  [
    'card players that crash and come back',
    cards,
    complete(2),
    { commands: 0, crashes: 1, restarts: 1, losses: 1 },
  ],
  [
    'callers whose network splits',
    calls,
    complete(2),
    { partitions: 2, duplications: 1, initiators: ['a'] },
  ],
  [
    'three callers whose network splits',
    calls,
    complete(3),
    { partitions: 1, crashes: 1, initiators: ['a'] },
  ],
  ['a lock whose network splits', centralLock, star(3), { partitions: 1 }],
  [
    'card players whose network splits',
    cards,
    complete(2),
    { partitions: 1, initiators: ['a'], order: 'fifo' },
  ],
  [
    'callers in exact time',
    calls,
    complete(2),
    {
      time: { kind: 'exact', delay: [1, 2] },
      losses: 1,
      crashes: 1,
      restarts: 1,
      initiators: ['a'],
    },
  ],
  [
    'callers in exact time whose network splits',
    calls,
    complete(2),
    {
      time: { kind: 'exact', delay: [0, 3], tick: 1 },
      partitions: 1,
      duplications: 1,
      initiators: ['a'],
    },
  ],
  [
    'callers in exact time, slower than their timeout',
    calls,
    complete(2),
    { time: { kind: 'exact', delay: [3, 6], tick: 1 }, order: 'any' },
  ],
  [
    'callers in exact time with limited stays and a slow link',
    calls,
    complete(2),
    {
      time: {
        kind: 'exact',
        delay: [1, 1],
        links: { 'a→b': [2, 3] },
        stays: { waiting: [1, Infinity] },
      },
      initiators: ['a'],
      losses: 1,
    },
  ],
  [
    'callers in exact time whose clocks drift',
    calls,
    complete(2),
    {
      time: { kind: 'exact', delay: [4, 6], drift: 0.2 },
      losses: 1,
      crashes: 1,
      initiators: ['a'],
    },
  ],
  ['a ball', tennis, complete(2), { order: 'any' }],
  ['a ball among three nodes', tennis, complete(3), { duplications: 1 }],
  ['greetings', greetings, complete(3), {}],
];
