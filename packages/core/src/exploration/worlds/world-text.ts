import type { World } from './world.js';

/** A world in one line, for errors: its nodes, the messages in flight, and its faults. */
export function worldText({ nodes, channels, crashed, cut, choosing }: World): string {
  const parts = [
    ...Object.entries(nodes).map(
      ([id, { value, context }]) => `${id}: ${plain(value)} ${JSON.stringify(context)}`,
    ),
    ...Object.entries(channels).map(
      ([channel, messages]) =>
        `${channel}: ${messages.map((message) => JSON.stringify(message)).join(' ')}`,
    ),
    ...(crashed.length > 0 ? [`crashed: ${crashed.join(' ')}`] : []),
    ...(cut.length > 0 ? [`cut off: ${cut.join(' ')}`] : []),
    ...choosing.map(({ node, options }) => `${node} chooses among ${JSON.stringify(options)}`),
  ];
  return `(${parts.join('; ')})`;
}

const plain = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
