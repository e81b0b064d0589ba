import { readFileSync } from 'node:fs';
import { type Protocol, requireTopology } from '@conclave/core/protocol';
import { needs, type Topology, topology } from '@conclave/core/topology';

/**
 * The network a protocol runs on: when nothing is said, `usualSize` nodes of the shape it needs. One that it cannot use as it stands, but
 * that connects all nodes both ways, carries the logical network it needs; then `note` says so.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input`: a spec or file that cannot be read, a network that will not do.
 */
export function networkFor(
  protocol: Protocol,
  spec: string | undefined,
  usualSize: number,
): { readonly topology: Topology; readonly note?: string } {
  const given = spec === undefined ? protocol.topology.example(usualSize) : readTopology(spec);
  if (protocol.topology.refuses(given) === undefined) return { topology: given };
  if (needs.connected.refuses(given) !== undefined) requireTopology(protocol, given);
  const logical = protocol.topology.overlay(given);
  if (protocol.topology.refuses(logical) !== undefined) requireTopology(protocol, given); // what it lacks is not a shape
  const note = `${protocol.title} needs a ${protocol.topology.name} network, so it runs on ${abridged(logical.spec)}`;
  return { topology: logical, note };
}

/** `topology(spec)`, with `file:PATH` read from disk. */
export const readTopology = (spec: string): Topology => topology(spec, (path) => readFileSync(path, 'utf8'));

/** A spec short enough for one line. */
export const abridged = (spec: string): string => (spec.length <= 60 ? spec : `${spec.slice(0, 59)}…`);
