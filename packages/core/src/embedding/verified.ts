import type { Json } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import type { EmbedOptions } from './embedded.js';
import { nextIncarnation } from './incarnation.js';
import { Registration } from './registration.js';
import { requirePeers } from './requirements.js';
import { Session } from './session.js';
import type { StableStorage } from './storage.js';
import { StoredNode } from './stored-node.js';
import { termsOf } from './terms.js';
import type { Transport } from './transport.js';

/** What is built of several parts asks again for each. */
const met = new WeakSet<Transport>();

/**
 * The transport, where its peers may come back as new processes, with a check of who sends: all
 * nodes have the same terms, and each name is one process. A {@link Session} where the first
 * protocol does not tolerate a restart, a {@link Registration} otherwise. Several nodes may share
 * it, such as that of a detector. `embed` calls it for one alone. Where no peer comes back, the
 * transport itself compares the terms, if it can.
 *
 * @throws {ConclaveError} `bad-input` where the transport does not know a node that it must reach;
 * `refused` where what is stored does not fit the terms; what `read` throws.
 */
export function verified(
  transport: Transport,
  options: {
    /** What travels on it: the protocol, and those beside it, such as a detector. */
    readonly protocols: readonly [Protocol, ...Protocol[]];
    readonly topology: Topology;
    /** As for `embed`. */
    readonly incarnation?: number | undefined;
    readonly epoch?: number | undefined;
    /** What else all nodes must have in common, by name. */
    readonly terms?: Readonly<Record<string, Json>>;
    readonly storage?: StableStorage | undefined;
    readonly clock?: TimerClock | undefined;
    readonly reportWaitAfter?: number | undefined;
  },
): Pick<EmbedOptions, 'transport' | 'storage'> & { readonly incarnation: number } {
  const { protocols, topology, epoch = 1, terms: others, clock, reportWaitAfter } = options;
  requirePeers(topology, transport);
  const stored = new StoredNode(
    transport.self,
    options.storage,
    options.incarnation ?? nextIncarnation(transport.self),
  );
  const { storage, incarnation } = stored;
  const on = (checked: Transport) => ({
    transport: checked,
    incarnation,
    ...(storage && { storage }),
  });
  if (transport.verified || transport.admitted) return on(transport);
  const { nodes } = topology;
  const terms = { ...termsOf(protocols, topology, epoch), ...others };
  if (transport.guarantees.restarts !== true) {
    // one that has crashed, or joins later, is not awaited, and compared when it is heard
    const mayLack = protocols.some(
      ({ tolerates, crashNotice }) => tolerates?.includes('crash') || crashNotice !== undefined,
    );
    const peers = mayLack ? [] : nodes.filter((id) => topology.link(id, transport.self));
    if (!met.has(transport)) transport.meet?.(terms, peers, reportWaitAfter);
    met.add(transport);
    return on(transport);
  }
  const [{ tolerates = [], succession }] = protocols;
  const common = { nodes, terms, clock, reportWaitAfter };
  if (tolerates.includes('restart'))
    return on(new Registration(transport, { ...common, stored, succession }));
  return on(new Session(transport, { ...common, incarnation }));
}
