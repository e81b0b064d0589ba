import type { RefusalReason } from '@conclave/core/embedding';
import type { NodeId } from '@conclave/core/protocol';

/** The version of what the nodes say at the start of a connection. */
const version = 1;
const protocol = 'conclave-tcp';

/** The longest first frame, in bytes. */
export const longestHello = 4096;

/** Who says hello to whom. */
interface Parties {
  readonly network: string;
  readonly self: NodeId;
}

/** The first frame of each side. The side that dialled speaks first. */
export const helloOf = ({ network, self }: Parties, to: NodeId): string =>
  JSON.stringify([protocol, version, network, self, to]);

/** The answer to a hello that is refused. */
export const refusalOf = (reason: RefusalReason): string =>
  JSON.stringify([protocol, version, { refused: reason }]);

/**
 * Who said hello; or why it is refused, and who it claims to be; or why the other side refused
 * ours.
 */
export type Greeting =
  | { readonly peer: NodeId; readonly isClient: boolean }
  | { readonly refuse: RefusalReason; readonly claims?: NodeId }
  | { readonly refusedBy: string };

/** What `frame` says, for the node `self`. */
export function greeting(
  frame: Uint8Array,
  { network, self, clients }: Parties & { readonly clients: boolean },
  peers: { has(id: NodeId): boolean },
): Greeting {
  const value = parsed(frame);
  if (!Array.isArray(value) || value[0] !== protocol) return { refuse: 'malformed' };
  const [, itsVersion, itsNetwork, from, to] = value as readonly unknown[];
  if (itsVersion !== version) return { refuse: 'version' };
  if (typeof itsNetwork === 'object' && itsNetwork !== null && 'refused' in itsNetwork)
    return { refusedBy: String(itsNetwork.refused) };
  if (typeof itsNetwork !== 'string' || typeof from !== 'string' || typeof to !== 'string')
    return { refuse: 'malformed' };
  if (itsNetwork !== network) return { refuse: 'network', claims: from };
  if (to !== self) return { refuse: 'misaddressed', claims: from };
  if (peers.has(from)) return { peer: from, isClient: false };
  return clients ? { peer: from, isClient: true } : { refuse: 'stranger', claims: from };
}

function parsed(frame: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(frame));
  } catch {
    return undefined;
  }
}
