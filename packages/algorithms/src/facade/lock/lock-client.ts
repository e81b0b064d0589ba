import type { EmbedOptions, Transport } from '@conclave/core/embedding';
import { clientTransport } from '@conclave/core/internal/embedding';
import { checkOptions, schemas } from '@conclave/core/internal/options';
import { ConclaveError, type NodeId, type Protocol } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { leasedMajority } from '../../mutual-exclusion/permission/leased-majority/protocol.js';
import { lockOf, sharedEntries } from './lock.js';
import type { Lock, LockOptions } from './lock-types.js';
import { withReentrance } from './reentrant-lock.js';

/** The nodes that vote, and how a client reaches them. */
export type LockClientOptions = Pick<
  LockOptions,
  'leaveWithin' | 'name' | 'logger' | 'telemetry' | 'reentrant'
> &
  Pick<EmbedOptions, 'epoch' | 'clock' | 'onError' | 'confirm'> & {
    /** The nodes that vote: all of them, by their names. */
    readonly servers: readonly NodeId[];
    /**
     * Makes the transport of a client with this name: its peers are `servers`, and it needs no
     * guarantees, so no `reliable`. Whoever comes back is a new client with a new name.
     */
    readonly transport: (self: NodeId) => Transport | Promise<Transport>;
    /** What its name begins with, before a `~`, for logs and certificates. Default `client`. */
    readonly self?: string;
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
export function lockClient(options: LockClientOptions): Promise<Lock> {
  for (const kept of ['journal', 'storage'])
    if (Object.hasOwn(options, kept))
      throw new ConclaveError(
        'bad-input',
        `lockClient takes no ${kept}: a client has a new name and no past at each start, so that nothing could be read back, and its servers write no journals to compare with`,
        `Leave out ${kept}.`,
      );
  checkOptions('lockClient', lockClientOptions, options);
  return clientOf(options);
}

async function clientOf(options: LockClientOptions): Promise<Lock> {
  const { servers, transport, self = 'client', protocol, ...others } = options;
  const names = [...new Set(servers)].sort();
  const { epoch } = others;
  const served = protocol ?? servedBy(names.length);
  if (!served.clients || served.options?.servers !== names.length)
    throw new ConclaveError(
      'bad-input',
      `lockClient: ${served.title}, with these options, is no lock of ${names.length} servers and their clients`,
      `Take leasedMajority({ servers: ${names.length} }), or leave out protocol.`,
    );
  const name = `${self}~${uniqueName()}`;
  const below = await transport(name);
  try {
    if (below.self !== name)
      throw new ConclaveError(
        'bad-input',
        `lockClient: the transport is that of '${below.self}', and the client is ${name}`,
        'Make it for the name that the function gets.',
      );
    const lock = lockOf(served, {
      ...others,
      self: name,
      topology: complete([...names, name]),
      transport: clientTransport(below, served, names, epoch),
    });
    return withReentrance(lock, others);
  } catch (error) {
    await below.close();
    throw error;
  }
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

/** 96 random bits: no two processes may have one name. */
const uniqueName = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

const { optional, optionsOf, embedEntries } = schemas;
const lockClientOptions = optionsOf<LockClientOptions>({
  servers: schemas.nodeIds,
  transport: schemas.callback,
  self: optional(schemas.text),
  protocol: optional(schemas.protocol),
  epoch: embedEntries.epoch,
  clock: embedEntries.clock,
  onError: embedEntries.onError,
  confirm: embedEntries.confirm,
  ...sharedEntries,
});
