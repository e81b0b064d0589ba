import type { Options } from '@conclave/algorithms/leased-majority';
import { leasedMajority } from '@conclave/algorithms/leased-majority';
import type { Surroundings } from '@conclave/core/embedding';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/** What the choice of a protocol depends on. */
export type Site = Surroundings & {
  readonly self: NodeId;
  readonly transport: { readonly guarantees: { readonly restarts?: boolean } };
  readonly storage?: unknown;
  readonly voters?: readonly NodeId[];
  readonly clients?: boolean;
  readonly turns?: boolean;
};

/**
 * Leases that outlive crashes and restarts, for `what`: a lock or an election.
 *
 * @throws {ConclaveError} `bad-input` for fewer than three nodes; `assumption` where the promises
 * of a node would be lost with it; and as `leasedMajority`.
 */
export function leasesFor(
  { nodes }: Pick<Topology, 'nodes'>,
  { self, transport, storage, clients, voters }: Site,
  options: Options = {},
  what = 'A lock',
): ReturnType<typeof leasedMajority> {
  const { length } = voters ?? nodes;
  if (length < 3)
    throw new ConclaveError(
      'bad-input',
      `${what} of ${length} ${voters ? 'voter' : 'node'}${length === 1 ? '' : 's'} tolerates no crash: a majority of them is all of them`,
      "Name three nodes or more, also such that never acquire; or take tolerate: 'none'.",
    );
  if (transport.guarantees.restarts && storage === undefined)
    throw new ConclaveError(
      'assumption',
      `Node ${self} may come back as a new process, and would have forgotten to whom it gave its vote`,
      "Give storage, such as fileStorage('data/a') from @conclave/core/embedding/node.",
    );
  if (clients && voters)
    throw new ConclaveError(
      'bad-input',
      `${what} with clients that no node knows before cannot change its voters: a client knows the servers that it is told of at its start, and no others`,
      'Leave out clients or voters.',
    );
  return leasedMajority({
    ...options,
    cancel: true,
    revoke: true,
    ...(clients ? { servers: nodes.length } : voters && { voters }),
  });
}
