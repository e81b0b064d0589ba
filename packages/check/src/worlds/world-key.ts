import { canonical } from './canonical.js';
import { duesOf } from './in-flight.js';
import type { World } from './world.js';

/**
 * A text that two worlds share exactly if they are equal: under `any` order a channel is a
 * multiset.
 */
export function worldKey(world: World, order: 'fifo' | 'any'): string {
  if (order === 'fifo') return canonical(world);
  const { clocks } = world;
  const channels = Object.fromEntries(
    Object.entries(world.channels).map(([key, messages]) => {
      const dues = duesOf(world, key);
      return [key, messages.map((message, index) => canonical([message, dues[index]])).sort()];
    }),
  );
  return canonical({ ...world, channels, ...(clocks && { clocks: clocks.nodes }) });
}

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
