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
