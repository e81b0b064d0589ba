import { ConclaveError } from '../protocol/error.js';
import type { Json, NodeId } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import { inputAgain } from '../protocol/stable.js';
import type { StableRecord, StableStorage } from './storage.js';

type Fields = StableRecord['fields'];

/** What one node has on stable storage. */
export interface StoredNode {
  readonly incarnation: number;
  /** What was stored before this start; undefined where nothing was. */
  readonly fields?: Fields | undefined;
  /** Whether a write has failed: the node must not go on. */
  readonly failed: boolean;
  /** The protocol whose nodes start from what is stored. */
  resumed(protocol: Protocol): Protocol;
  /** Writes the incarnation, and the `stable` fields of the first context. */
  begin(context: object, stable: readonly string[]): void;
  /** Writes the stable fields of `context` if they have changed. @throws {ConclaveError} `closed` where they cannot be written. */
  keep(context: object): void;
}

/**
 * The storage of node `self`, read; without one, the incarnation only.
 *
 * @param least the incarnation of a first start
 * @throws {ConclaveError} `bad-input` where the record is unreadable.
 */
export function openStorage(self: NodeId, storage: StableStorage | undefined, least: number): StoredNode {
  return storage ? new Stored(self, storage, least) : { incarnation: least, failed: false, resumed: same, begin: nothing, keep: nothing };
}

const same = (protocol: Protocol): Protocol => protocol;
const nothing = (): void => {};

class Stored implements StoredNode {
  readonly incarnation: number;
  failed = false;
  readonly fields: Fields | undefined;
  #stable: readonly string[] = [];
  #context: object | undefined;
  /** The fields of the last record, as text. */
  #written = '';

  constructor(
    private readonly self: NodeId,
    private readonly storage: StableStorage,
    least: number,
  ) {
    const record = storage.read();
    this.incarnation = Math.max(least, (record?.incarnation ?? 0) + 1);
    this.fields = record?.fields;
  }

  resumed(protocol: Protocol): Protocol {
    const { fields } = this;
    if (!fields) return protocol;
    const roles = Object.entries(protocol.roles).map(([name, role]) => {
      const input: typeof role.input = (self, topology) => inputAgain(role.input(self, topology), fields, role.stable ?? []);
      return [name, { ...role, input }];
    });
    return { ...protocol, roles: Object.fromEntries(roles) };
  }

  begin(context: object, stable: readonly string[]): void {
    this.#stable = stable;
    this.#context = context;
    const fields = fieldsOf(context, stable);
    this.#write(fields, JSON.stringify(fields));
  }

  keep(context: object): void {
    if (!this.failed && (context === this.#context || this.#stable.length === 0)) return;
    this.#context = context;
    const fields = fieldsOf(context, this.#stable);
    const text = JSON.stringify(fields);
    if (this.failed || text !== this.#written) this.#write(fields, text);
  }

  #write(fields: Fields, text: string): void {
    try {
      this.storage.write({ incarnation: this.incarnation, fields });
    } catch (error) {
      this.failed = true;
      const why = error instanceof Error ? error.message : String(error);
      throw new ConclaveError(
        'closed',
        `Node ${this.self} has stopped: its storage cannot be written: ${why}`,
        'Make it writable, then start the node again: it has told nobody what is not stored.',
        { cause: error },
      );
    }
    this.#written = text;
  }
}

/** The stable fields of a context, as a record holds them. */
const fieldsOf = (context: object, stable: readonly string[]): Fields => asFields(inputAgain({}, context, stable));

const asFields = (value: Json): Fields => Object(value); // made from {}
