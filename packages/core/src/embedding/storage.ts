/** Stable storage as a node sees it, the text of a record, and storage in memory. */
import type { Json, NodeId } from '../protocol/node.js';

/**
 * What a node keeps on stable storage: how often it has been started, and the fields that its role
 * declares `stable`.
 */
export interface StableRecord {
  readonly incarnation: number;
  /** Missing until the node has taken part for the first time. */
  readonly fields?: Readonly<Record<string, Json>>;
  /** As what a node takes part whose peers may come back as new processes. */
  readonly registration?: {
    /** Its name. */
    readonly node: NodeId;
    /** A random name of this storage: another one is another node, whatever its name. */
    readonly storage: string;
    /** What all nodes must have in common, by name; `epoch` is the number of the epoch. */
    readonly terms: Readonly<Record<string, Json>>;
    readonly nodes: readonly NodeId[];
    /** By node: its storage. */
    readonly noted: Readonly<Record<NodeId, string>>;
    /** What it was in the last epoch in which it took part; null where there is none. */
    readonly former: {
      readonly nodes: readonly NodeId[];
      readonly fields: Readonly<Record<string, Json>>;
      readonly bindsFor: number;
    } | null;
    /** For how many milliseconds what it promises in this epoch binds it. */
    readonly bindsFor: number;
    /** Whether all other nodes have noted its storage in this epoch. */
    readonly registered: boolean;
  };
}

export type RegistrationRecord = NonNullable<StableRecord['registration']>;

/**
 * Stable storage of one node. Its methods are synchronous, since a node must not send before what
 * it promises is durable.
 *
 * @example embed(protocol, { self, peers, transport, storage: fileStorage('/var/lib/shop/a') });
 */
export interface StableStorage {
  /**
   * The record of the last `write`; undefined where there is none.
   * @throws where it is unreadable: a lost promise is no empty record.
   */
  read(): StableRecord | undefined;
  /**
   * Returns when the record is durable.
   * @throws where it cannot be written; the node stops then, and passes on what and cure of a
   * ConclaveError.
   */
  write(record: StableRecord): void;
  /**
   * Takes a record that is durable when the next `commit` returns; a later one replaces it. So the
   * steps of one turn of the event loop share one write. Without both methods, each step has its
   * own.
   */
  stage?(record: StableRecord): void;
  /**
   * Writes what was staged, if anything.
   * @throws as `write`.
   */
  commit?(): void;
  /** Lets others open it. The node to which it was handed over calls it when it is closed. */
  close?(): void;
}

/**
 * Writes the records of one storage as JSON. The registration, which is most of a record, stays the
 * same from write to write: its text is kept.
 */
export class RecordText {
  #registration: StableRecord['registration'];
  #text = '';

  of({ registration, ...others }: StableRecord): string {
    const text = JSON.stringify(others);
    if (!registration) return text;
    if (registration !== this.#registration) {
      this.#registration = registration;
      this.#text = `,"registration":${JSON.stringify(registration)}}`;
    }
    return text.slice(0, -1) + this.#text;
  }
}

/**
 * Stable storage in memory, for tests: it survives a restart of the node, not of the process.
 *
 * @example
 * const disk = memoryStorage();
 * await embed(protocol, { self: 'a', peers, transport, storage: disk }).close();
 * embed(protocol, { self: 'a', peers, transport: another, storage: disk }).incarnation; // larger
 */
export function memoryStorage(): StableStorage {
  const texts = new RecordText();
  let written: string | undefined;
  return {
    // as it was written
    read: () => (written === undefined ? undefined : (JSON.parse(written) as StableRecord)),
    write: (record) => {
      written = texts.of(record);
    },
  };
}
