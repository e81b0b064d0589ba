import { checkProperties } from '../protocol/check-properties.js';
import { calls, cards, centralLock } from '../protocol/examples.contract.js';
import { always, never, type Property, type SystemView, sometimes, type Verdict } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { complete, star } from '../topology/generators.js';
import type { Topology } from '../topology/topology.js';
import { greetings, tennis } from './explored.contract.js';
import type { ExploreOptions } from './options.js';

const values = (system: SystemView) => system.nodes.map(({ value }) => JSON.stringify(value)).join();
/** Some hold, some do not, some are reached. */
export const probes: readonly Property[] = [
  always('at most one waits', (system) => system.count('waiting') <= 1),
  always('little is on its way', (system) => system.inFlight().length <= 2),
  never(
    'somebody has crashed while something is on its way',
    (system) => system.live < system.nodes.length && system.inFlight().length > 1,
  ),
  sometimes('all are in one state', (system) => new Set(system.nodes.map(({ value }) => JSON.stringify(value))).size === 1),
  sometimes('nothing is on its way', (system) => system.inFlight().length === 0),
  sometimes('a thing that never is', (system) => values(system) === ''),
];

/** Those of `properties` that can be asked of a protocol: no state of some carries the tags that they look for. */
export const askable = (protocol: Protocol, properties: readonly Property[]): readonly Property[] =>
  properties.filter((property) => {
    try {
      checkProperties(protocol, [property]);
      return true;
    } catch {
      return false;
    }
  });

/** The verdict, whether or not there was something to look at. */
export const plainly = (verdict: Verdict): Verdict => (verdict === 'vacuous' ? 'holds' : verdict);

/** Small systems with all that an environment may do. */
export const systems: readonly (readonly [string, Protocol, Topology, ExploreOptions])[] = [
  ['a lock', centralLock, star(3), { commands: 2 }],
  ['a lock with three clients', centralLock, star(4), {}],
  ['a lock on fifo channels that lose', centralLock, star(3), { losses: 1, order: 'fifo' }],
  ['callers', calls, complete(2), { commands: 2 }],
  ['callers over channels that lose and double', calls, complete(2), { losses: 1, duplications: 1, initiators: ['a'] }],
  ['callers that overtake', calls, complete(2), { duplications: 2, initiators: ['a'], order: 'any' }],
  ['callers that may not overtake', calls, complete(2), { duplications: 2, initiators: ['a'], order: 'fifo' }],
  ['callers that crash and come back', calls, complete(2), { crashes: 2, restarts: 1, initiators: ['a'] }],
  ['callers that crash for good', calls, complete(3), { crashes: 1, initiators: ['a'], order: 'fifo' }],
  ['callers that crash while they wait', calls, complete(2), { crashes: 1, restarts: 1, mayCrash: ({ context }) => context.tries !== 0 }],
  ['callers of whom one may crash', calls, complete(3), { crashes: 1, initiators: ['a'], order: 'fifo', mayCrash: ({ id }) => id === 'b' }],
  ['card players at their start', cards, complete(3), { commands: 0 }],
  ['card players', cards, complete(2), { initiators: ['a'], order: 'fifo' }],
  ['card players that crash and come back', cards, complete(2), { commands: 0, crashes: 1, restarts: 1, losses: 1 }],
  ['callers whose network splits', calls, complete(2), { partitions: 2, duplications: 1, initiators: ['a'] }],
  ['callers whose network splits in several ways', calls, complete(3), { partitions: 1, crashes: 1, initiators: ['a'] }],
  ['a lock whose network splits', centralLock, star(3), { partitions: 1 }],
  ['card players whose network splits', cards, complete(2), { partitions: 1, initiators: ['a'], order: 'fifo' }],
  ['callers in bounded time', calls, complete(2), { time: 'bounded', delay: 2, losses: 1, crashes: 1, restarts: 1 }],
  ['callers in bounded time whose network splits', calls, complete(2), { time: 'bounded', delay: 2, partitions: 1, duplications: 1 }],
  ['callers in time bounded by more than their patience', calls, complete(2), { time: 'bounded', delay: 5, losses: 1 }],
  ['a ball', tennis, complete(2), { order: 'any' }],
  ['a ball of three', tennis, complete(3), { duplications: 1 }],
  ['greetings', greetings, complete(3), {}],
];
