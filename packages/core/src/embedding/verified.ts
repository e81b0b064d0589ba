import type { TimerClock } from '../protocol/node-timers.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import { Registration } from './registration.js';
import { session } from './session.js';
import type { StableStorage } from './storage.js';
import { StoredNode } from './stored-node.js';
import { termsOf } from './terms.js';
import type { Transport } from './transport.js';

interface VerifiedOptions {
  /** What travels on it: the protocol, and those beside it, such as a detector. */
  readonly protocols: readonly [Protocol, ...Protocol[]];
  readonly topology: Topology;
  readonly incarnation: number;
  readonly epoch?: number | undefined;
  readonly storage?: StableStorage | undefined;
  readonly clock?: TimerClock | undefined;
}

/**
 * The transport, where its peers may come back as new processes, with a check of who sends: all nodes have the same terms, and each name is one
 * process. A {@link session} where the first protocol does not tolerate a restart, a {@link Registration} otherwise. And the storage for the
 * nodes on it.
 *
 * @throws {ConclaveError} `refused` where what is stored does not fit the terms; what `read` throws.
 */
export function verified(
  transport: Transport,
  options: VerifiedOptions,
): { readonly transport: Transport; readonly storage?: StableStorage } {
  const { protocols, topology, epoch = 1, clock } = options;
  const stored = new StoredNode(transport.self, options.storage, options.incarnation);
  const { storage, incarnation } = stored;
  const on = (checked: Transport) => ({ transport: checked, ...(storage && { storage }) });
  if (transport.guarantees.restarts !== true || transport.verified || transport.admitted) return on(transport);
  const { nodes } = topology;
  const terms = termsOf(protocols, topology, epoch);
  const [{ tolerates = [], succession }] = protocols;
  if (tolerates.includes('restart')) return on(new Registration(transport, { nodes, terms, stored, succession, clock }));
  return on(session(transport, { nodes, terms, incarnation, ...(clock && { clock }) }));
}
