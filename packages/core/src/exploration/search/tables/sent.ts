/**
 * A text that the sends of two steps of a node share if they have the same effect on each channel.
 */
export function byChannel(sends: readonly number[], order: 'fifo' | 'any'): string {
  const channels: number[][] = [];
  for (let at = 0; at < sends.length; at += 2) {
    const [channel = 0, message = 0] = sends.slice(at, at + 2);
    channels[channel] ??= [];
    channels[channel].push(message);
  }
  if (order === 'any') for (const messages of channels) messages?.sort((a, b) => a - b);
  return channels.map((messages) => messages.join()).join(';');
}
