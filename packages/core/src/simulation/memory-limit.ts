import { ConclaveError } from '../base/error.js';
import { megabytes, mostFitting, type Size } from '../base/fitting.js';
import { freeHeap, freeHeapWithoutGarbage } from '../base/memory.js';
import { shown, type Topology } from '../topology/topology.js';
import type { Host } from './options.js';

/**
 * The heap that nodes and links need, in bytes, with messages in flight. Measured: on compiled
 * machines, a ring of a million nodes in an election takes 1.05 kB a node with its link, and a wave
 * over 1.4 million links 180 B a link; as an actor, a node takes 5 kB at first and up to 22 kB in
 * an election of 100,000, and a channel 0.9 kB.
 */
const bytes: Readonly<Record<Host, (size: Size) => number>> = {
  compiled: ({ nodes, links }) => 1_000 * nodes + 200 * links,
  actors: ({ nodes, links }) => 20_000 * nodes + 1_100 * links,
};

/**
 * @throws {ConclaveError} `bad-topology` for a network whose simulation does not fit into the heap;
 * says how many nodes fit.
 */
export function requireMemory({ spec, nodes, links }: Topology, host: Host): void {
  const bytesOf = bytes[host];
  const size = { nodes: nodes.length, links: links.length };
  if (bytesOf(size) <= freeHeap()) return;
  const free = freeHeapWithoutGarbage();
  if (bytesOf(size) <= free) return;
  throw new ConclaveError(
    'bad-topology',
    `To simulate '${shown(spec)}' takes about ${megabytes(bytesOf(size))}, and the heap has ${megabytes(Math.max(0, free))}`,
    `About ${mostFitting(size, bytesOf, free)} nodes of this shape would fit; node --max-old-space-size enlarges the heap.`,
  );
}
