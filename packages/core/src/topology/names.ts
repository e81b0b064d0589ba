import { ConclaveError } from '../base/error.js';
import type { NodeId } from '../base/node-id.js';

/** The nodes for a generator: their number, or their ids in listing order. */
export type Nodes = number | readonly NodeId[];

/**
 * The names of `n` nodes in ascending order: `a`, `b`, … up to 26 nodes, beyond that `n00`, `n01`,
 * … with as many digits as needed.
 *
 * @throws {ConclaveError} `bad-topology` unless `n` is a whole number ≥ 1.
 */
export function nodeNames(n: number): NodeId[] {
  if (!Number.isInteger(n) || n < 1)
    throw new ConclaveError(
      'bad-topology',
      `There are no ${n} nodes to name`,
      'Give a whole number from 1.',
    );
  const digits = `${n - 1}`.length;
  return Array.from({ length: n }, (_, i) =>
    n <= 26 ? String.fromCharCode(97 + i) : `n${`${i}`.padStart(digits, '0')}`,
  );
}
