import { megabytes, mostFitting, type Size } from '../host/fitting.js';
import { heapRoom } from '../host/memory.js';
import { ConclaveError } from '../protocol/error.js';
import { shown } from './topology.js';

/** What a network takes on the heap, in bytes. Measured on rings and complete networks of up to 200,000 nodes, rounded up. */
const bytesOf = ({ nodes, links }: Size): number => 300 * nodes + 120 * links;

/** @throws {ConclaveError} `bad-topology` for a network that the heap has no room for, with how many nodes would fit; before it is made. */
export function requireRoom(spec: string, size: Size): void {
  const room = heapRoom();
  if (bytesOf(size) <= room) return;
  throw new ConclaveError(
    'bad-topology',
    `Topology '${shown(spec)}': so many nodes and links take ${megabytes(bytesOf(size))}, and the heap has ${megabytes(Math.max(0, room))}`,
    `About ${mostFitting(size, bytesOf, room)} nodes of this shape would fit; node --max-old-space-size gives the heap more.`,
  );
}

/** What fits in memory: a network may have this many nodes, and where each is linked with each, `MOST_MESHED`. */
export const MOST_NODES = 1_000_000;
export const MOST_MESHED = 2_000;

/** @throws {ConclaveError} `bad-topology`, naming `spec` and `what`, unless `value` is a whole number from `least` to `most`. */
export function requireWhole(spec: string, what: string, value: number, least: number, most = MOST_NODES): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new ConclaveError(
    'bad-topology',
    `Topology '${shown(spec)}': ${what} must be a whole number from ${least} to ${most}, not ${value}`,
  );
}
