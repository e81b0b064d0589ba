import { ConclaveError } from '../protocol/error.js';
import { shown } from './topology.js';

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
