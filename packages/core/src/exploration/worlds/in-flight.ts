import { badInput } from '../../protocol/error.js';
import type { Message } from '../../protocol/node.js';
import type { InFlight } from '../../protocol/property.js';
import { sameData } from './canonical.js';

/** By `from→to`: the messages in flight, oldest first; empty channels are left out. */
export type Channels = Readonly<Record<string, readonly Message[]>>;

export function put(channels: Channels, { from, to, message }: InFlight): Channels {
  const key = `${from}→${to}`;
  return { ...channels, [key]: [...(channels[key] ?? []), message] };
}

/** @throws {ConclaveError} `bad-input` if there is no such message in flight. */
export function take(channels: Channels, sent: InFlight): Channels {
  const { key, waiting, index } = find(channels, sent);
  const { [key]: _, ...others } = channels;
  return waiting.length === 1 ? others : { ...others, [key]: waiting.toSpliced(index, 1) };
}

/**
 * The copy goes directly behind the message, so that a fifo channel keeps its order.
 *
 * @throws {ConclaveError} `bad-input` if there is no such message in flight.
 */
export function duplicate(channels: Channels, sent: InFlight): Channels {
  const { key, waiting, index } = find(channels, sent);
  return { ...channels, [key]: waiting.toSpliced(index, 0, sent.message) };
}

/** The messages without repetitions: equal ones are interchangeable. */
export const distinct = (messages: readonly Message[]): readonly Message[] =>
  messages.filter((message, index) => messages.findIndex((other) => sameData(other, message)) === index);

function find(channels: Channels, { from, to, message }: InFlight) {
  const key = `${from}→${to}`;
  const waiting = channels[key] ?? [];
  const index = waiting.findIndex((other) => sameData(other, message));
  if (index < 0) throw badInput(`No such '${message.type}' is in flight from ${from} to ${to}`);
  return { key, waiting, index };
}
