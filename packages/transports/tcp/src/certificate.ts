import type { TLSSocket } from 'node:tls';
import type { NodeId } from '@conclave/core/protocol';

/**
 * Whether the certificate of the other side names `peer`: a DNS name among its alternative names,
 * else the common name of its subject.
 */
export function names(socket: TLSSocket, peer: NodeId): boolean {
  // OpenSSL ignores case, ids do not.
  return (
    socket
      .getPeerX509Certificate()
      ?.checkHost(peer, { subject: 'default', wildcards: false, partialWildcards: false }) === peer
  );
}
