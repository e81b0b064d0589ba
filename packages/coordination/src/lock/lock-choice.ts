/** Locks that choose their protocol. Who names one need not load the others: lock.ts, locks.ts. */

import { echoToken } from '@conclave/algorithms/echo-token';
import { naimiTrehel } from '@conclave/algorithms/naimi-trehel';
import { raymond } from '@conclave/algorithms/raymond';
import { surroundingsOf } from '@conclave/core/internal/embedding';
import { ConclaveError, type FencedProtocol, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { type StoreLockOptions, storeLock } from '../store/store-lock.js';
import { leasesFor, type Site } from './lease-choice.js';
import { checkChoosingOptions, lockOf, type Tolerance } from './lock.js';
import type { Lock, LockOptions } from './lock-types.js';
import { locksOf } from './locks.js';
import type { Locks, LocksOptions } from './locks-types.js';
import { withReentrance } from './reentrant-lock.js';

type ChoosingOptions = LockOptions & Required<Pick<LockOptions, 'tolerate'>>;

/**
 * A lock among several programs: `lock({ store, name })` needs a database, or a folder, that all of
 * them have, and nothing else; `lock({ tolerate, … })` needs no server, and chooses the protocol;
 * `lock(protocol, { … })` takes any protocol of the problem `mutual-exclusion`, or
 * `local-exclusion`: then nodes that do not conflict, such as those that are not neighbours, may
 * have it at once.
 *
 * At most one node has it, and each node that waits eventually gets it, as long as the protocol's
 * assumptions hold. With `tolerate: 'none'`, and for most protocols, that is: no node crashes or is
 * closed while others need the lock, and every `acquire` is followed by a `release`. A lock cannot
 * stop a holder that was paused and then goes on: pass `fencingToken` to the store that the lock
 * guards, from the first read on, and let the store refuse an old token; and stop the work when
 * `held.signal` aborts.
 *
 * @throws {ConclaveError} `bad-input` for a protocol of another problem, or nodes or a protocol
 * that cannot tolerate what is wanted; `assumption`; and as `embed`.
 * @example
 * await using counter = lock({ tolerate: 'none', self: 'a', peers: ['b'], transport });
 * await counter.run(async ({ fencingToken: t }) => write(t, (await read(t)) + 1));
 */
export function lock(options: StoreLockOptions): Lock<number>;
export function lock(options: LockOptions & Required<Pick<LockOptions, 'tolerate'>>): Lock<number>;
export function lock(protocol: FencedProtocol, options: LockOptions): Lock<number>;
export function lock(protocol: Protocol, options: LockOptions): Lock;
export function lock(
  ...given: [ChoosingOptions | StoreLockOptions] | [Protocol, LockOptions]
): Lock {
  if (given.length === 2) return withReentrance(lockOf(...given), given[1]);
  const [options] = given;
  if (isOverStore(options)) return storeLock(options);
  checkChoosingOptions(options);
  const { turns: _, ...others } = options;
  return withReentrance(lockOf(protocolFor(options.tolerate, options), others), options);
}

const isOverStore = (options: ChoosingOptions | StoreLockOptions): options is StoreLockOptions =>
  typeof options === 'object' && options !== null && 'store' in options;

/**
 * Locks by name over one transport: thousands at once. A name needs no registration: a node has one
 * small machine for each name, made when it opens the name or when a peer's first message for it
 * arrives.
 *
 * All nodes must call `locks`, with the same protocol. Choose names from a bounded set: the names
 * of a protocol without crash tolerance stay open.
 *
 * @throws {ConclaveError} as `lock`.
 * @example
 * await using shop = locks({ tolerate: 'none', self: 'a', peers: ['b', 'c'], transport });
 * await shop.open('orders').run(() => ship());
 * await using both = await shop.acquireAll(['orders', 'stock']);
 */
export function locks(
  options: LocksOptions & { readonly protocol?: FencedProtocol },
): Locks<number>;
export function locks(options: LocksOptions): Locks;
export function locks(options: LocksOptions): Locks {
  return locksOf(options, protocolFor);
}

/**
 * The protocol of the lock that tolerates this, and costs least on this network.
 *
 * @throws {ConclaveError} `bad-input` where no protocol tolerates it; `assumption` where the
 * promises of a node would be lost with it.
 */
export function protocolFor(tolerate: Tolerance, site: Site): Protocol {
  const topology = surroundingsOf(site.self, site);
  if (tolerate === 'none') return forNone(topology, site.turns ? 0 : usualBunch);
  if (site.turns !== undefined)
    throw new ConclaveError(
      'bad-input',
      "The lock is given turns, and tolerate: 'crash' chooses a lock that always has them",
      'Leave out turns.',
    );
  return leasesFor(topology, site);
}

/** How often in a row a node may enter before its turn, while others wait. */
const usualBunch = 20;

/**
 * One message path to the token and one back: fewer messages than a permission of each node, on
 * each kind of network.
 */
function forNone(topology: Topology, greedy: number): Protocol {
  const locks = [naimiTrehel({ greedy }), raymond({ cancel: true, greedy }), echoToken({ greedy })];
  const fitting = locks.find((protocol) => protocol.topology.refuses(topology) === undefined);
  if (!fitting)
    throw new ConclaveError(
      'bad-input',
      `No lock is known for the network '${topology.spec}'`,
      'Connect the nodes by links in both directions.',
    );
  return fitting;
}
