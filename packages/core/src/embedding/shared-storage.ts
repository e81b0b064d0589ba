import type { StableRecord, StableStorage } from './storage.js';

/**
 * The storage of one start of a node, for the node and for its registration: each writes its part
 * of the record.
 */
export class SharedStorage implements StableStorage {
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
