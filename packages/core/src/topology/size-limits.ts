import { ConclaveError } from '../base/error.js';
import { megabytes, mostFitting, type Size } from '../base/fitting.js';
import { freeHeap } from '../base/memory.js';
import { shown } from './topology.js';

/**
 * The heap that a network needs, in bytes. Measured on rings and complete networks of up to 200,000
 * nodes, rounded up.
 */
const bytesOf = ({ nodes, links }: Size): number => 300 * nodes + 120 * links;

/**
 * @throws {ConclaveError} `bad-topology` for a network that does not fit into the heap, before it
 * is created; says how many nodes fit.
 */
export function requireMemory(spec: string, size: Size): void {
  const free = freeHeap();
  if (bytesOf(size) <= free) return;
  throw new ConclaveError(
    'bad-topology',
    `Topology '${shown(spec)}': it needs ${megabytes(bytesOf(size))}, and the heap has ${megabytes(Math.max(0, free))}`,
    `About ${mostFitting(size, bytesOf, free)} nodes of this shape would fit; node --max-old-space-size enlarges the heap.`,
  );
}

/** The most nodes of a network; `MOST_MESHED` where every two nodes are linked. */
export const MOST_NODES = 1_000_000;
export const MOST_MESHED = 2_000;

/**
 * @throws {ConclaveError} `bad-topology`, naming `spec` and `what`, unless `value` is a whole
 * number from `least` to `most`.
 */
export function requireWhole(
  spec: string,
  what: string,
  value: number,
  least: number,
  most = MOST_NODES,
): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new ConclaveError(
    'bad-topology',
    `Topology '${shown(spec)}': ${what} must be a whole number from ${least} to ${most}, not ${value}`,
  );
}
