import { ConclaveError } from '../base/error.js';
import type { Json, NodeId } from '../protocol/node.js';
import { identical } from '../protocol/plain-data.js';
import type { Protocol } from '../protocol/protocol.js';
import { fieldOf, inputAgain } from '../protocol/stable.js';
import { textOf } from './embed-errors.js';
import type { RegistrationRecord, StableRecord, StableStorage } from './storage.js';

type Fields = NonNullable<StableRecord['fields']>;

/** What one node has on stable storage, or, without one, its incarnation only. */
export class StoredNode {
  readonly incarnation: number;
  readonly storage: SharedStorage | undefined;
  /** Whether a write has failed: the node must not go on. */
  failed = false;
  #stable: readonly string[] = [];
  /** The last context. */
  #context: object | undefined;
  /** The context whose stable fields are those of the last record. */
  #written: object | undefined;

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
    this.#write({});
  }

  /** Writes the incarnation, and the `stable` fields of the first context. */
  begin(context: object, stable: readonly string[]): void {
    this.#stable = stable;
    this.#context = context;
    this.#write({ fields: fieldsOf(context, stable) }, context);
  }

  /**
   * Writes the stable fields of `context` if they have changed.
   *
   * @param mayStage whether they may wait for the next `commit`
   * @returns whether they do
   * @throws {ConclaveError} `closed` where they cannot be written.
   */
  keep(context: object, mayStage: boolean): boolean {
    const last = this.#context;
    if (!this.storage || (!this.failed && (context === last || this.#stable.length === 0)))
      return false;
    this.#context = context;
    if (!this.failed && this.#written && this.#isSame(context, this.#written)) return false;
    const stages = mayStage && !this.failed && this.storage.stages;
    this.#write({ fields: fieldsOf(context, this.#stable) }, context, stages);
    return stages;
  }

  /**
   * Writes what waits.
   * @throws {ConclaveError} `closed` where it cannot be written.
   */
  commit(): void {
    this.#orFail(() => this.storage?.commit());
  }

  #isSame(now: object, then: object): boolean {
    for (const field of this.#stable)
      if (!identical(fieldOf(now, field), fieldOf(then, field))) return false;
    return true;
  }

  /**
   * Writes as what the node is registered, and the fields with which it starts its epoch, if they
   * are others than it had.
   */
  register(registration: RegistrationRecord, renewed?: Fields): void {
    this.#write({ registration, ...(renewed && { fields: renewed }) });
    if (renewed && this.storage) this.storage.isRenewed = true;
  }

  /** @param context whose fields these are, where the record has any */
  #write(
    changes: Pick<StableRecord, 'fields' | 'registration'>,
    context?: object,
    stages = false,
  ): void {
    const { storage, incarnation } = this;
    if (!storage) return;
    const record = { incarnation, ...changes };
    this.#orFail(() => (stages ? storage.stage(record) : storage.write(record)));
    this.#written = context;
  }

  #orFail(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.failed = true;
      const [why, cure] =
        error instanceof ConclaveError
          ? [error.what, error.cure]
          : [`its storage cannot be written: ${textOf(error)}`, 'Make it writable.'];
      throw new ConclaveError(
        'closed',
        `Node ${this.self} has stopped: ${why}`,
        `${cure} Start the node again: it has told nobody what is not stored.`.trim(),
        { cause: error },
      );
    }
  }
}

/** The stable fields of a context, as a record holds them. */
const fieldsOf = (context: object, stable: readonly string[]): Fields =>
  asFields(inputAgain({}, context, stable));

const asFields = (value: Json): Fields => Object(value); // made from {}

/**
 * The storage of one start of a node, for the node and for its registration: each writes its part
 * of the record.
 */
class SharedStorage implements StableStorage {
  /** Whether the fields were replaced for a new epoch, after the node had read them. */
  isRenewed = false;
  #record: StableRecord | undefined;
  #incarnation: number | undefined;

  private constructor(private readonly storage: StableStorage) {
    this.#record = storage.read();
  }

  /** @throws what `read` throws. */
  static of(storage: StableStorage): SharedStorage {
    return storage instanceof SharedStorage ? storage : new SharedStorage(storage);
  }

  /** Of this start: the same for each who asks. @param least of a first start */
  incarnation(least: number): number {
    this.#incarnation ??= Math.max(least, (this.#record?.incarnation ?? 0) + 1);
    return this.#incarnation;
  }

  read(): StableRecord | undefined {
    return this.#record;
  }

  write(record: StableRecord): void {
    const whole = { ...this.#record, ...record };
    this.storage.write(whole);
    this.#record = whole;
  }

  /** Whether several steps may share one write. */
  get stages(): boolean {
    return this.storage.stage !== undefined && this.storage.commit !== undefined;
  }

  stage(record: StableRecord): void {
    const whole = { ...this.#record, ...record };
    this.storage.stage?.(whole);
    this.#record = whole;
  }

  commit(): void {
    this.storage.commit?.();
  }

  close(): void {
    this.storage.close?.();
  }
}
