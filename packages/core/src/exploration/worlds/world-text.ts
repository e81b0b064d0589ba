import { sameData } from './canonical.js';
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

/** The first part in which two worlds, or other plain values, differ. */
export function differenceText(one: object, other: object): string {
  return differenceOf(one, other, '') ?? 'no visible difference';
}

function differenceOf(one: unknown, other: unknown, path: string): string | undefined {
  if (sameData(one, other)) return undefined;
  if (!isObject(one) || !isObject(other)) return `${path} ${plain(other)} instead of ${plain(one)}`;
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const found = differenceOf(one[key], other[key], path === '' ? key : `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const plain = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');

/** Which of `others` differs from `vector` in the fewest slots. */
export function nearest(vector: Int32Array, others: readonly Int32Array[]): Int32Array | undefined {
  const differing = (other: Int32Array) =>
    other.reduce((count, number, slot) => (number === vector[slot] ? count : count + 1), 0);
  return [...others].sort((a, b) => differing(a) - differing(b))[0];
}
