import type { Json } from '../protocol/node.js';

/** What a node keeps on stable storage: how often it has been started, and the fields that its role declares `stable`. */
export interface StableRecord {
  readonly incarnation: number;
  readonly fields: Readonly<Record<string, Json>>;
}

/**
 * Stable storage of one node. Both methods are synchronous, since a node must not send before what it promises is durable.
 *
 * @example embed(protocol, { self, peers, transport, storage: fileStorage('/var/lib/shop/a') });
 */
export interface StableStorage {
  /** The record of the last `write`; undefined where there is none. @throws where it is unreadable: a lost promise is no empty record. */
  read(): StableRecord | undefined;
  /** Returns when the record is durable. @throws where it cannot be written; the node stops then. */
  write(record: StableRecord): void;
  /** Lets others open it. The node to which it was handed over calls it when it is closed. */
  close?(): void;
}
