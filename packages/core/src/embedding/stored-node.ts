import { ConclaveError } from '../base/error.js';
import type { Json, NodeId } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import { inputAgain } from '../protocol/stable.js';
import { SharedStorage } from './shared-storage.js';
import type { RegistrationRecord, StableRecord, StableStorage } from './storage.js';

type Fields = NonNullable<StableRecord['fields']>;
type Contents = Readonly<Record<string, unknown>>;

/** What one node has on stable storage, or, without one, its incarnation only. */
export class StoredNode {
  readonly incarnation: number;
  readonly storage: SharedStorage | undefined;
  /** Whether a write has failed: the node must not go on. */
  failed = false;
  #stable: readonly string[] = [];
  #context: object | undefined;
  /** By stable field, the field of a context that has it: `part.field` is in `part`. */
  #parts: readonly string[] = [];
  /** The fields of the last record, as text. */
  #written = '';

  /**
   * Reads the storage.
   *
   * @param least the incarnation of a first start
   * @throws {ConclaveError} `bad-input` where the record is unreadable.
   */
  constructor(
    private readonly self: NodeId,
    storage: StableStorage | undefined,
    least: number,
  ) {
    this.storage = storage && SharedStorage.of(storage);
    this.incarnation = this.storage?.incarnation(least) ?? least;
  }

  /** The fields that are stored; undefined where nothing is. */
  get fields(): Fields | undefined {
    return this.storage?.read()?.fields;
  }

  get registration(): RegistrationRecord | undefined {
    return this.storage?.read()?.registration;
  }

  /** The protocol whose nodes start from what is stored. */
  resumed(protocol: Protocol): Protocol {
    const { fields } = this;
    if (!fields) return protocol;
    const roles = Object.entries(protocol.roles).map(([name, role]) => {
      const input: typeof role.input = (self, topology) =>
        inputAgain(role.input(self, topology), fields, role.stable ?? []);
      return [name, { ...role, input }];
    });
    return { ...protocol, roles: Object.fromEntries(roles) };
  }

  /** Writes the incarnation of a node that waits for its admission. */
  reserve(): void {
    this.#write({}, '');
  }

  /** Writes the incarnation, and the `stable` fields of the first context. */
  begin(context: object, stable: readonly string[]): void {
    this.#stable = stable;
    this.#parts = stable.map((field) => field.split('.', 1).join());
    this.#context = context;
    const fields = fieldsOf(context, stable);
    this.#write({ fields }, JSON.stringify(fields));
  }

  /**
   * Writes the stable fields of `context` if they have changed.
   * @throws {ConclaveError} `closed` where they cannot be written.
   */
  keep(context: object): void {
    const last = this.#context;
    if (!this.storage || (!this.failed && (context === last || this.#stable.length === 0))) return;
    this.#context = context;
    if (!this.failed && this.#written !== '' && this.#isSame(context, last)) return;
    const fields = fieldsOf(context, this.#stable);
    const text = JSON.stringify(fields);
    if (this.failed || text !== this.#written) this.#write({ fields }, text);
  }

  /** Whether no step has replaced a stable field: contexts are not changed in place. */
  #isSame(context: object, last: object | undefined): boolean {
    const [now, then]: [Contents, Contents] = [Object(context), Object(last)];
    return this.#parts.every((part) => now[part] === then[part]);
  }

  /**
   * Writes as what the node is registered, and the fields with which it starts its epoch, if they
   * are others than it had.
   */
  register(registration: RegistrationRecord, renewed?: Fields): void {
    this.#write({ registration, ...(renewed && { fields: renewed }) }, '');
    if (renewed && this.storage) this.storage.isRenewed = true;
  }

  #write(changes: Pick<StableRecord, 'fields' | 'registration'>, text: string): void {
    if (!this.storage) return;
    try {
      this.storage.write({ incarnation: this.incarnation, ...changes });
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
const fieldsOf = (context: object, stable: readonly string[]): Fields =>
  asFields(inputAgain({}, context, stable));

const asFields = (value: Json): Fields => Object(value); // made from {}
