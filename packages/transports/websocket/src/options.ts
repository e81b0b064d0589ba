import type { NetworkOptions } from '@conclave/core/embedding';
import type { Socket } from './socket.js';

export interface WebSocketOptions extends NetworkOptions {
  /**
   * The relay's address, such as `wss://example.org/locks`; a function is asked at each connection,
   * for a fresh token in its query.
   */
  readonly url: string | (() => string);
  /** Default: the platform's; in Node without one, that of `ws`. */
  readonly WebSocket?: new (
    url: string,
  ) => Socket;
  /** How much may wait to be sent, in bytes. What is sent beyond is dropped. Default 16 MiB. */
  readonly maxQueuedBytes?: number;
  /**
   * How long to try to reach the relay at the start, in milliseconds; `Infinity`: for ever. Default
   * 10,000.
   */
  readonly connectTimeout?: number;
  /**
   * The first and the longest wait before the relay is tried again, in milliseconds. Default 100
   * and 2000.
   */
  readonly reconnect?: { readonly least: number; readonly most: number };
}

/** The options with their defaults. */
export type ResolvedOptions = Required<WebSocketOptions>;
