/** What a WebSocket of any runtime has, the options, and the text on the wire. */
import type { NetworkOptions } from '@conclave/core/embedding';
import type { NodeId } from '@conclave/core/protocol';

type SocketClass = NonNullable<WebSocketOptions['WebSocket']>;
export type Socket = InstanceType<SocketClass>;

/**
 * The platform's WebSocket; where it has none, that of `ws`. A browser bundle takes the stub of
 * `ws`, which is never loaded.
 */
export async function platformSocket(): Promise<SocketClass> {
  // not in the types of Node 20
  const { WebSocket: own } = globalThis as { readonly WebSocket?: SocketClass };
  if (own) return own;
  const { WebSocket } = await import('ws');
  return WebSocket as unknown as SocketClass; // its handlers are typed by classes of its own
}

export interface WebSocketOptions extends NetworkOptions {
  /**
   * The relay's address, such as `wss://example.org/locks`; a function is asked at each connection,
   * for a fresh token in its query.
   */
  readonly url: string | (() => string);
  /**
   * The browser's, Node's, or that of `ws`. Default: the platform's; in Node without one, that of
   * `ws`.
   */
  readonly WebSocket?: new (
    url: string,
  ) => {
    binaryType: string;
    readonly bufferedAmount: number;
    readonly readyState: number;
    onopen: (() => void) | null;
    onmessage: ((event: { readonly data: unknown }) => void) | null;
    onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
    onerror: ((event: { readonly message?: string }) => void) | null;
    send(data: string): void;
    close(code?: number, reason?: string): void;
    /** Node only: ends it at once. */
    terminate?(): void;
  };
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

/** The version of what goes over the socket. */
export const wireVersion = '1';

/** The query parameters by which a node says who it is. */
export const parameters = { network: 'network', node: 'node', version: 'conclave' } as const;

/** Why the relay closes a connection, beside the codes of RFC 6455. */
export const closeCodes = { replaced: 4001, refused: 4003, silent: 4008 } as const;

/** What the relay tells a node. */
export type News =
  | { readonly type: 'welcome'; readonly heartbeat: number; readonly peers: readonly NodeId[] }
  | {
      readonly type: 'peer';
      readonly node: NodeId;
      readonly reachable: boolean;
      readonly reason?: string;
    };

/** Sent to ask for the same as an answer: both sides see that the other one is alive. */
export const heartbeat = '\n';

/**
 * A message: one line with the node that it goes to, or comes from at its receiver, as JSON; then
 * the frame. News have an empty first line. JSON never contains a line break.
 */
export const lineOf = (node: NodeId): string => `${JSON.stringify(node)}\n`;

export const newsText = (news: News): string => `\n${JSON.stringify(news)}`;

/** What the first line of a message says: a node, `news`, or nothing that makes sense. */
export function lineFrom(line: string): { readonly node: NodeId } | 'news' | undefined {
  if (line === '') return 'news';
  const node = parsed(line);
  return typeof node === 'string' ? { node } : undefined;
}

export function newsFrom(text: string): News | undefined {
  const value = parsed(text);
  return isNews(value) ? value : undefined;
}

function isNews(value: unknown): value is News {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'welcome')
    return (
      'heartbeat' in value &&
      typeof value.heartbeat === 'number' &&
      'peers' in value &&
      Array.isArray(value.peers) &&
      value.peers.every((peer) => typeof peer === 'string')
    );
  return (
    value.type === 'peer' &&
    'node' in value &&
    typeof value.node === 'string' &&
    'reachable' in value &&
    typeof value.reachable === 'boolean'
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
