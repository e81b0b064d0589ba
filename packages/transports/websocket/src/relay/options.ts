import type { IncomingMessage, Server } from 'node:http';
import type { NodeId } from '@conclave/core/protocol';

export interface RelayOptions {
  /** Port 0: any free port; see `port` of the relay. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Serves on this HTTP or HTTPS server instead. It stays open when the relay closes. */
  readonly server?: Server;
  /**
   * Whether the sender of a request may be this node: its headers, and its `url` with the query that
   * the node was given. Default: each one may. An error counts as no.
   */
  readonly authorize?: (claim: {
    readonly network: string;
    readonly node: NodeId;
    readonly request: IncomingMessage;
  }) => boolean | Promise<boolean>;
  /**
   * The pages that may connect, such as `https://example.org`. Programs that are no browsers send
   * no origin, and are not kept out by it. Default: all.
   */
  readonly origins?: readonly string[];
  /**
   * The longest message, in bytes; a longer one ends its connection. Default 1 MiB and 1 KiB for
   * the address.
   */
  readonly maxBytes?: number;
  /**
   * How much may wait to be sent to one node, in bytes. What is sent beyond is dropped. Default 16
   * MiB.
   */
  readonly maxQueuedBytes?: number;
  /**
   * How many messages a node may send per second. Beyond, the relay stops reading from it for a
   * while. Default 20,000.
   */
  readonly maxRate?: number;
  /** How many connections there may be. Default 1000. */
  readonly maxConnections?: number;
  /**
   * How often to ask each node whether it is alive, in milliseconds. One that is silent for three
   * to four times as long is ended. Default 5000.
   */
  readonly heartbeat?: number;
}

/** The options with their defaults. */
export type ResolvedOptions = Required<Omit<RelayOptions, 'server' | 'origins'>> &
  Pick<RelayOptions, 'server' | 'origins'>;
