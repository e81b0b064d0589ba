import { megabytes, mostFitting, type Size } from '../host/fitting.js';
import { heapRoom } from '../host/memory.js';
import { ConclaveError } from '../protocol/error.js';
import { shown, type Topology } from '../topology/topology.js';

/**
 * What a node with its actor and a link with its channel take on the heap, in bytes, with messages on their way. Measured: an actor that was made
 * takes 5 kB, and up to 22 kB amid an election of 100,000 nodes; a channel 0.9 kB.
 */
const bytesOf = ({ nodes, links }: Size): number => 20_000 * nodes + 1_100 * links;

/** @throws {ConclaveError} `bad-topology` for a network whose simulation the heap has no room for, with how many nodes would fit. */
export function requireRoomFor({ spec, nodes, links }: Topology): void {
  const size = { nodes: nodes.length, links: links.length };
  const room = heapRoom();
  if (bytesOf(size) <= room) return;
  throw new ConclaveError(
    'bad-topology',
    `To simulate '${shown(spec)}' takes about ${megabytes(bytesOf(size))}, and the heap has ${megabytes(Math.max(0, room))}`,
    `About ${mostFitting(size, bytesOf, room)} nodes of this shape would fit; node --max-old-space-size gives the heap more.`,
  );
}
