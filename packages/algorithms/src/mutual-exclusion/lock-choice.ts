import { ConclaveError, type NodeId, type Protocol } from '@conclave/core/protocol';
import { complete, type Topology } from '@conclave/core/topology';
import { type LeasedMajorityOptions, leasedMajority } from './permission/leased-majority/protocol.js';
import { echoToken } from './token/echo-token/protocol.js';
import { naimiTrehel } from './token/naimi-trehel/protocol.js';
import { raymond } from './token/raymond/protocol.js';

/** What a lock tolerates: no fault of a node, or crashes of less than half of the nodes, and restarts. */
export const tolerances = ['none', 'crash'] as const;
export type Tolerance = (typeof tolerances)[number];

/** What the choice of a protocol depends on. */
export interface Site {
  readonly self: NodeId;
  readonly peers?: readonly NodeId[];
  readonly topology?: Topology;
  readonly transport: { readonly guarantees: { readonly restarts?: boolean } };
  readonly storage?: unknown;
}

/**
 * The protocol of the lock that tolerates this, and costs least on this network.
 *
 * @throws {ConclaveError} `bad-input` where no protocol tolerates it; `assumption` where the promises of a node would be lost with it.
 */
export function protocolFor(tolerate: Tolerance, site: Site): Protocol {
  const topology = site.topology ?? complete([...new Set([site.self, ...(site.peers ?? [])])].sort());
  return tolerate === 'crash' ? leasesFor(topology, site) : forNone(topology);
}

/** @throws {ConclaveError} `bad-input` where `protocol` does not tolerate crashes. */
export function requireTolerance({ title, tolerates = [] }: Protocol, tolerate: Tolerance): void {
  if (tolerate === 'crash' && !tolerates.includes('crash'))
    throw new ConclaveError(
      'bad-input',
      `${title} does not tolerate crashes, and the lock must: tolerate is 'crash'`,
      'Leave out the protocol, and lock chooses one; or leave out tolerate.',
    );
}

/**
 * Leases that outlive crashes and restarts, for `what`: a lock or an election.
 *
 * @throws {ConclaveError} as {@link protocolFor}, and as `leasedMajority`.
 */
export function leasesFor(
  { nodes }: Topology,
  { self, transport, storage }: Site,
  options: LeasedMajorityOptions = {},
  what = 'A lock',
): ReturnType<typeof leasedMajority> {
  if (nodes.length < 3)
    throw new ConclaveError(
      'bad-input',
      `${what} of ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'} tolerates no crash: a majority of them is all of them`,
      "Name three nodes or more, also such that never acquire; or take tolerate: 'none'.",
    );
  if (transport.guarantees.restarts && storage === undefined)
    throw new ConclaveError(
      'assumption',
      `Node ${self} may come back as a new process, and would have forgotten to whom it gave its vote`,
      "Give storage, such as fileStorage('data/a') from @conclave/core/embedding/node.",
    );
  return leasedMajority({ ...options, cancel: true });
}

/** One message path to the token and one back: fewer messages than a permission of each node, on each kind of network. */
function forNone(topology: Topology): Protocol {
  const fitting = [naimiTrehel(), raymond({ cancel: true }), echoToken()].find(
    (protocol) => protocol.topology.refuses(topology) === undefined,
  );
  if (!fitting)
    throw new ConclaveError(
      'bad-input',
      `No lock is known for the network '${topology.spec}'`,
      'Connect the nodes by links in both directions.',
    );
  return fitting;
}
