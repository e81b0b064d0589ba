import { ConclaveError } from '../../base/error.js';
import { megabytes, mostFitting, type Size } from '../../base/fitting.js';
import { freeHeap } from '../../base/memory.js';
import { shown, type Topology } from '../../topology/topology.js';
import { pageBits } from '../search/kernel/format/search.js';

/**
 * The memory of a node and a link before the first step, in bytes: their machines and tables.
 * Measured on rings and complete networks, rounded up.
 */
const bytesANode = 10_000;
const bytesALink = 2_500;

/**
 * The memory of a system before the first step: tables, and the first page of worlds (one number
 * for each node, each link and the environment).
 */
const bytesOf = ({ nodes, links }: Size): number =>
  tablesOf({ nodes, links }) + (2 << pageBits) * (nodes + links + 1);
const tablesOf = ({ nodes, links }: Size): number => bytesANode * nodes + bytesALink * links;

/** Smaller systems are always built: the search itself measures their memory. */
const small = 64 * 2 ** 20;

/**
 * @throws {ConclaveError} `bad-topology` for a network whose system takes more than `memory` bytes
 * before the first step, with how many nodes would fit.
 */
export function requireMemoryFor({ spec, nodes, links }: Topology, memory: number): void {
  const size = { nodes: nodes.length, links: links.length };
  const allowed = Math.max(small, memory);
  const heap = Math.max(small, freeHeap());
  /** The larger of two shares: of the allowed memory, and of the heap. */
  const share = (fitting: Size) => Math.max(bytesOf(fitting) / allowed, tablesOf(fitting) / heap);
  if (share(size) <= 1) return;
  const tightest =
    bytesOf(size) / allowed === share(size)
      ? `${megabytes(allowed)} are allowed`
      : `the heap has room for ${megabytes(heap)} of it`;
  throw new ConclaveError(
    'bad-topology',
    `To search '${shown(spec)}' takes ${megabytes(bytesOf(size))} before the first step, and ${tightest}`,
    `Of this shape, ${mostFitting(size, share, 1)} nodes would fit; two to six are what can be searched to the end.`,
  );
}
