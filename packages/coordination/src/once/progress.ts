import { counted, isReported } from '@conclave/core/internal/embedding';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import type { Store } from '../store/store.js';
import { recordIn, type TickRecord, textOf } from './once-types.js';
import type { Tenure } from './seat.js';

/** Where the ticks of a job stand, for the leader of one tenure. */
export interface Progress {
  /** All ticks up to this time, in Unix milliseconds, were started or skipped. */
  readonly settled: number;
  /** The run that another leader has started, and whose end it has not told. */
  readonly interrupted: TickRecord | undefined;
  /** Learns where the ticks stand. Returns whether it could. */
  open(): Promise<boolean>;
  /** From now on no leader with a smaller token claims a tick. */
  takeOver(): Promise<boolean>;
  /** Whether this leader, and no other one ever, starts this tick. */
  claim(tick: number): Promise<boolean>;
  /** Tells that the run has ended. */
  finish(tick: number): Promise<void>;
}

interface Surroundings {
  readonly name: string;
  readonly node: NodeId;
  readonly store: Store;
  readonly tenure: Tenure;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly isOver: () => boolean;
  /** Waits before it asks the store again. */
  readonly pause: () => Promise<void>;
  readonly report: (error: unknown) => void;
}

/**
 * The record in the store. Each write replaces the record that this leader has seen last, by
 * compare and set, and none is written over one with a larger token: so the ticks that are claimed
 * grow strictly from record to record, whichever process writes them.
 */
export class StoredProgress implements Progress {
  /** What the store had last, as far as it is known here. */
  #text: string | undefined;
  #record: TickRecord | undefined;

  constructor(private readonly surroundings: Surroundings) {}

  #interrupted: TickRecord | undefined;
  /** Of the store, since its last answer. */
  #failures = 0;
  #hasReported = false;

  get settled(): number {
    return this.#record?.tick ?? this.surroundings.now();
  }

  get interrupted(): TickRecord | undefined {
    return this.#interrupted;
  }

  get #isOurs(): boolean {
    const { tenure, node } = this.surroundings;
    return this.#record?.token === (tenure.token ?? 0) && this.#record.node === node;
  }

  /**
   * Reads the record, and waits while it is that of a larger token. Where there is none, ticks count
   * from now on.
   */
  open(): Promise<boolean> {
    return this.#asked(async () => {
      await this.#read();
      this.#interrupted = this.#record?.done === false ? this.#record : undefined;
      if (this.#record === undefined) await this.#replace(this.surroundings.now(), true);
      return this.#record !== undefined && this.#mayWrite() ? true : undefined;
    });
  }

  claim(tick: number): Promise<boolean> {
    return this.#write(tick, false);
  }

  async takeOver(): Promise<boolean> {
    const isFenced = this.surroundings.tenure.token !== undefined; // otherwise it would stop nobody
    return !isFenced || (this.#isOurs && this.#record?.done) || this.#write(this.settled, true);
  }

  async finish(tick: number): Promise<void> {
    await this.#write(tick, true);
  }

  #write(tick: number, done: boolean): Promise<boolean> {
    return this.#asked(async () => {
      if (!this.#mayWrite()) return false;
      const before = this.#text;
      if (await this.#replace(tick, done)) return true;
      await this.#read();
      if (this.#text === before) return undefined; // the store was busy, or it failed
      // a write whose answer was lost has the token and the name of this tenure
      return this.#isOurs && this.#record?.tick === tick && this.#record.done === done;
    });
  }

  async #replace(tick: number, done: boolean): Promise<boolean> {
    const { name, node, store, tenure } = this.surroundings;
    const record = { tick, token: tenure.token ?? 0, node, done };
    const text = textOf(record);
    try {
      if (!(await store.write(name, text, this.#text))) return false;
    } catch (error) {
      this.#reportStore('written', error);
      return false; // or it was written: the next `read` tells
    }
    this.#text = text;
    this.#record = record;
    return true;
  }

  async #read(): Promise<void> {
    const { name, store } = this.surroundings;
    const text = (await store.read(name)) ?? undefined;
    const record = text === undefined ? undefined : recordIn(text);
    if (text !== undefined && !record)
      throw new ConclaveError(
        'bad-input',
        `The store of '${name}' has '${text.slice(0, 60)}', which is no record of a tick`,
        'Give each job a key of its own, which no lock has in this store, and return the text as it was written.',
      );
    this.#text = text;
    this.#record = record;
  }

  #mayWrite(): boolean {
    const { name, tenure, report } = this.surroundings;
    const { token = 0, node } = this.#record ?? {};
    if (tenure.token === undefined || token <= tenure.token) return true;
    if (this.#hasReported) return false;
    this.#hasReported = true;
    report(
      new ConclaveError(
        'lost',
        `The store of '${name}' has token ${token} of node ${node}, and this process leads by token ${tenure.token} only`,
        'Another process leads. If the tokens have begun anew, since all nodes were started without their storage, delete the record.',
      ),
    );
    return false;
  }

  /** Asks until there is an answer, or the tenure is over. */
  async #asked(ask: () => Promise<boolean | undefined>): Promise<boolean> {
    const { isOver, pause } = this.surroundings;
    for (;;) {
      let answer: boolean | undefined;
      try {
        answer = await ask();
      } catch (error) {
        this.#reportStore('read', error);
      }
      if (answer !== undefined) {
        this.#failures = 0;
        return answer;
      }
      await pause();
      if (isOver()) return false;
    }
  }

  /** The first failure, the tenth and so on: it is asked each second. */
  #reportStore(verb: string, cause: unknown): void {
    const { name, report } = this.surroundings;
    if (!isReported(++this.#failures)) return;
    const why = cause instanceof Error ? cause.message : String(cause);
    const what = `The store of '${name}' cannot be ${verb}: ${why}`;
    const cure = 'No tick starts until it can: it is asked again each second.';
    const error =
      cause instanceof ConclaveError
        ? cause
        : new ConclaveError('unavailable', what, cure, { cause });
    report(counted(error, this.#failures));
  }
}

/** What this process remembers by itself. */
export class RememberedProgress implements Progress {
  readonly interrupted = undefined;

  constructor(public settled: number) {}

  async open(): Promise<boolean> {
    return true;
  }

  async takeOver(): Promise<boolean> {
    return true;
  }

  async claim(tick: number): Promise<boolean> {
    this.settled = tick;
    return true;
  }

  async finish(): Promise<void> {}
}
