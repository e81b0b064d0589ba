/** What a client of servers is made of: a name of its own, and a transport under this name. */

import type { Options as LeaseOptions } from '@conclave/algorithms/leased-majority';
import type { EmbedOptions, Transport } from '@conclave/core/embedding';
import { schemas } from '@conclave/core/internal';
import { clientTransport } from '@conclave/core/internal/embedding';
import { ConclaveError, type NodeId, type Protocol } from '@conclave/core/protocol';
import { complete, type Topology } from '@conclave/core/topology';

/** The nodes of the election, with the times that they have, and how a client reaches them. */
export interface ElectionClientOptions
  extends Pick<EmbedOptions, 'epoch' | 'clock' | 'onError' | 'confirm'>,
    Pick<LeaseOptions, 'lease' | 'drift' | 'renewal'> {
  /** The nodes that vote: all of them, by their names. */
  readonly servers: readonly NodeId[];
  /**
   * Makes the transport of a client with this name: its peers are `servers`, and it needs no
   * guarantees, so no `reliable`. Whoever comes back is a new client with a new name.
   */
  readonly transport: (self: NodeId) => Transport | Promise<Transport>;
  /** What its name begins with, before a `~`, for logs and certificates. Default `client`. */
  readonly self?: string;
}

const { optional, embedEntries } = schemas;
export const clientEntries = {
  servers: schemas.nodeIds,
  transport: schemas.callback,
  self: optional(schemas.text),
  epoch: embedEntries.epoch,
  clock: embedEntries.clock,
  onError: embedEntries.onError,
  confirm: embedEntries.confirm,
};

/** @throws {ConclaveError} `bad-input` for what a client has no use for. */
export function requireNoPast(call: string, options: object): void {
  for (const kept of ['journal', 'storage'])
    if (Object.hasOwn(options, kept))
      throw new ConclaveError(
        'bad-input',
        `${call} takes no ${kept}: a client has a new name and no past at each start, so that nothing could be read back, and its servers write no journals to compare with`,
        `Leave out ${kept}.`,
      );
}

/** The servers in the order in which they know themselves. */
export const namesOf = ({ servers }: Pick<ElectionClientOptions, 'servers'>): readonly NodeId[] =>
  [...new Set(servers)].sort();

/** @param make what the client embeds; where it throws, the transport is closed */
export async function clientOf<T>(
  call: string,
  protocol: Protocol,
  site: Pick<ElectionClientOptions, 'servers' | 'transport' | 'self' | 'epoch'>,
  make: (as: { self: NodeId; topology: Topology; transport: Transport }) => T,
): Promise<T> {
  const names = namesOf(site);
  const self = `${site.self ?? 'client'}~${uniqueName()}`;
  const below = await site.transport(self);
  try {
    if (below.self !== self)
      throw new ConclaveError(
        'bad-input',
        `${call}: the transport is that of '${below.self}', and the client is ${self}`,
        'Make it for the name that the function gets.',
      );
    const topology = complete([...names, self]);
    const transport = clientTransport(below, protocol, names, site.epoch);
    return make({ self, topology, transport });
  } catch (error) {
    await below.close();
    throw error;
  }
}

/** 96 random bits: no two processes may have one name. */
export const uniqueName = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
