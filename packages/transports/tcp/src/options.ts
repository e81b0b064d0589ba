import type { SecureContextOptions } from 'node:tls';
import type { NetworkOptions } from '@conclave/core/embedding';
import type { NodeId } from '@conclave/core/protocol';

export interface TcpOptions extends Omit<NetworkOptions, 'peers'> {
  /**
   * Where this node listens; by default on `127.0.0.1`. Port 0: any free port; see `port` of the
   * transport. Leave it out for a client: it connects to all of its peers, which have `clients`.
   */
  readonly listen?: { readonly host?: string; readonly port: number };
  /** The other nodes and where they listen; by default on `127.0.0.1`. */
  readonly peers: Readonly<Record<NodeId, { readonly host?: string; readonly port: number }>>;
  /**
   * Whether clients, which are no peers, may connect to this node. With `tls`, the certificate of a
   * client names what stands before the first `~` of its id. Default false.
   */
  readonly clients?: boolean;
  /**
   * Mutual TLS. Both sides need a certificate that `ca` has signed, and that names the id of its
   * node: as a DNS name among the alternative names, or without those as the common name. Takes
   * what `node:tls` takes.
   */
  readonly tls?: SecureContextOptions & Required<Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>>;
  /**
   * How much may wait to be sent to one peer, in bytes. What is sent beyond is dropped. Default 16
   * MiB.
   */
  readonly maxQueuedBytes?: number;
  /**
   * How often to tell a peer that this node is alive, in milliseconds. A peer that is silent for
   * three to four times as long is unreachable. Default 1000.
   */
  readonly heartbeat?: number;
  /** How long the other side may take to say who it is, in milliseconds. Default 5000. */
  readonly connectTimeout?: number;
  /**
   * The first and the longest wait before a peer is tried again, in milliseconds. Default 50 and
   * 1000.
   */
  readonly reconnect?: { readonly least: number; readonly most: number };
}

/** Where a node listens. */
export type Address = NonNullable<TcpOptions['listen']>;

/** The options with their defaults. */
export type ResolvedOptions = Required<Omit<TcpOptions, 'tls' | 'listen'>> &
  Pick<TcpOptions, 'tls' | 'listen'>;
