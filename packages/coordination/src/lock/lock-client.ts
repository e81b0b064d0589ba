import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { checkOptions, schemas } from '@conclave/core/internal';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import {
  clientEntries,
  clientOf,
  type ElectionClientOptions,
  namesOf,
  requireNoPast,
} from '../client-of.js';
import { lockOf, sharedEntries } from './lock.js';
import type { Lock, LockOptions } from './lock-types.js';
import { withReentrance } from './reentrant-lock.js';

/** The nodes that vote, and how a client reaches them. */
export type LockClientOptions = Pick<
  LockOptions,
  'leaveWithin' | 'name' | 'logger' | 'telemetry' | 'reentrant'
> &
  Omit<ElectionClientOptions, 'lease' | 'drift' | 'renewal'> & {
    /** Of the servers, with the same options. Default: what `tolerate: 'crash'` and `clients` choose. */
    readonly protocol?: Protocol;
  };

/**
 * The lock of `servers`, for a program that is none of them: any number of clients, which no server
 * needs to know, come and go. The servers are locks with `tolerate: 'crash'` and `clients: true`.
 *
 * A client keeps nothing. Where it ends without `close`, the others wait until its lease is over.
 *
 * @throws {ConclaveError} `bad-input` for options that it does not have, or a protocol that serves
 * no clients; `assumption`; what `transport` throws. A client of another protocol, epoch, version
 * or other options than the servers gets the error `refused` from each call.
 * @example
 * await using orders = await lockClient({
 *   servers: ['a', 'b', 'c'],
 *   transport: (self) => natsTransport({ self, peers: ['a', 'b', 'c'], network: 'shop' }),
 * });
 * await orders.run(({ fencingToken }) => ship(fencingToken));
 */
export function lockClient(options: LockClientOptions): Promise<Lock<number>>;
export function lockClient(options: LockClientOptions): Promise<Lock> {
  requireNoPast('lockClient', options);
  checkOptions('lockClient', lockClientOptions, options);
  return lockOfClient(options);
}

async function lockOfClient(options: LockClientOptions): Promise<Lock> {
  const { servers, transport, self, protocol, ...others } = options;
  const { length } = namesOf(options);
  const served = protocol ?? servedBy(length);
  const follows = served.options?.follow === true;
  if (!served.clients || follows || served.options?.servers !== length)
    throw new ConclaveError(
      'bad-input',
      `lockClient: ${served.title}, with these options, is no lock of ${length} servers and their clients`,
      `Take leasedMajority({ servers: ${length} }), or leave out protocol.`,
    );
  return clientOf('lockClient', served, options, (as) =>
    withReentrance(lockOf(served, { ...others, ...as }), others),
  );
}

/** The lock of so many nodes that serve clients. */
export function servedBy(servers: number): Protocol {
  if (servers < 3)
    throw new ConclaveError(
      'bad-input',
      `A lock of ${servers} ${servers === 1 ? 'node' : 'nodes'} tolerates no crash: a majority of them is all of them`,
      'Name three servers or more.',
    );
  return leasedMajority({ servers, cancel: true, revoke: true });
}

const lockClientOptions = schemas.optionsOf<LockClientOptions>({
  ...clientEntries,
  protocol: schemas.optional(schemas.protocol),
  ...sharedEntries,
});
