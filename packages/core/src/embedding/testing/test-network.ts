import type { NodeId } from '../../protocol/node.js';
import type { Transport } from '../transport.js';

/** Nodes on one medium, for one check of the contract. */
export interface TestNetwork {
  /**
   * The transport of node `id`, connected. After it was closed, a second call makes a new one,
   * unless `reopen` is declared impossible.
   */
  transport(id: NodeId): Promise<Transport> | Transport;
  /**
   * Breaks the medium for all nodes, such as by killing its server. Resolves when no message
   * passes.
   */
  interrupt?(): Promise<void>;
  /**
   * Heals the medium. Resolves when a client could connect; the transports come back without help.
   */
  resume?(): Promise<void>;
  /** The name of the network in the frames of `NetworkTransport`. `inject` needs it. */
  readonly network?: string;
  /**
   * Puts frames on the medium for node `to`, in this order on one path, as a program could that
   * calls itself `from`, which has no transport then. Resolves when they are written.
   */
  inject?(from: NodeId, to: NodeId, frames: readonly Uint8Array[]): Promise<void>;
  /** Ends what it started. The contract closes the transports before. */
  close(): Promise<void>;
}

/**
 * Makes a {@link TestNetwork}. Its transports take `maxBytes` as their limit, where they have one.
 */
export type SetUp = (
  nodes: readonly NodeId[],
  options: { readonly maxBytes: number },
) => Promise<TestNetwork> | TestNetwork;

/** What the author of a transport declares beside its guarantees. */
export interface Declared {
  /**
   * What the test network and its transports cannot do, each with the reason: `interrupt` and
   * `resume` the medium; `inject` frames; `reopen` a node that was closed; tell the `status`; know
   * which `peers` can be reached; refuse what is longer than a `limit`; know the `members` of the
   * network. The contract checks that they indeed cannot, and shows the reason in the name of a
   * test.
   */
  readonly impossible?: Readonly<
    Partial<
      Record<'interrupt' | 'inject' | 'reopen' | 'status' | 'peers' | 'limit' | 'members', string>
    >
  >;
  /**
   * Why it may lose messages although the medium is up. Default: what it declares to lose, it loses
   * only across an interruption.
   */
  readonly losesWhileUp?: string;
  /**
   * Whether what one node sends another arrives in order while the medium is up, although the
   * guarantee is any order.
   */
  readonly inOrderWhileUp?: boolean;
  /** How long to wait for what must happen, in milliseconds. Default 20,000. */
  readonly patience?: number;
  /** The frames of the fuzz test. Default 100,000. */
  readonly frames?: number;
}

export type Ability = keyof NonNullable<Declared['impossible']>;
