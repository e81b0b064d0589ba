import type { PeerStatus } from '@conclave/core/embedding';
import type { NodeId } from '@conclave/core/protocol';

/**
 * What the answers to PUBLISH tell about the peers: how many connections of this server listen to
 * the channel of a peer.
 */
export class Reachability {
  readonly #reachable = new Map<NodeId, boolean>();

  /** The news, where it is one. */
  learn(peer: NodeId, reachable: boolean): PeerStatus | undefined {
    if (this.#reachable.get(peer) === reachable) return undefined;
    this.#reachable.set(peer, reachable);
    return reachable
      ? { peer, reachable }
      : { peer, reachable, reason: 'nobody listens to its channel' };
  }
}
