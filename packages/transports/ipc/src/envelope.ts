import type { NodeId } from '@conclave/core/protocol';

/** A frame of {@link NetworkTransport} on its way. */
export type Item = readonly [network: string, from: NodeId, to: NodeId, frame: string | Uint8Array];

/** A node of a network. */
export interface Place {
  readonly network: string;
  readonly node: NodeId;
}

/**
 * What goes over an IPC channel. From a node: `hello`, `bye`, `frames`. From the hub: `frames`;
 * `welcome` and `refused` answer `hello`; `peer`: whether another node can be reached; `hub`: it is
 * there, or it was closed.
 */
export type Envelope =
  | { readonly type: 'frames'; readonly items: readonly Item[] }
  | ({ readonly type: 'hello' | 'bye' | 'welcome' } & Place)
  | ({ readonly type: 'refused'; readonly reason: string } & Place)
  | ({ readonly type: 'peer'; readonly reachable: boolean; readonly reason?: string } & Place)
  | { readonly type: 'hub'; readonly up: boolean };

/** The version of what goes over the channel, and what sets it apart from other messages on it. */
const mark = 'conclave/1';

export const marked = (envelope: Envelope): object => ({ conclave: mark, ...envelope });

/** The envelope that `message` is; undefined for another message; `malformed` for a bad one. */
export function envelopeOf(message: unknown): Envelope | 'malformed' | undefined {
  if (!isRecord(message) || message.conclave === undefined) return undefined;
  return message.conclave === mark && isEnvelope(message) ? message : 'malformed';
}

const isEnvelope = (
  value: Readonly<Record<string, unknown>>,
): value is Record<string, unknown> & Envelope => {
  const { type, items, network, node, reachable, reason, up } = value;
  if (type === 'frames') return Array.isArray(items);
  if (type === 'hub') return typeof up === 'boolean';
  if (typeof network !== 'string' || typeof node !== 'string') return false;
  if (type === 'peer') return typeof reachable === 'boolean';
  if (type === 'refused') return typeof reason === 'string';
  return type === 'hello' || type === 'bye' || type === 'welcome';
};

/** Whether an element of `items` is one. */
export const isItem = (value: unknown): value is Item =>
  Array.isArray(value) &&
  value.length === 4 &&
  value.slice(0, 3).every((part) => typeof part === 'string') &&
  (typeof value[3] === 'string' || value[3] instanceof Uint8Array);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
