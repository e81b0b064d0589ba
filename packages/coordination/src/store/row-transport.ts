/**
 * How a client reaches the store of a lease in one row: the statechart of the store, as it is explored,
 * runs here, in the process of the client, as a transaction on the row. It is given the row, takes one
 * message, and what it makes of the row is written if nobody else has written meanwhile; otherwise it
 * takes the message again. What it sends is the answer.
 *
 * The row that this process has written or heard of last is tried first, so that a lock which nobody
 * else wants costs one write to enter and one to leave. While the client waits, the store tells of
 * writes where it can, and the row is read now and then; the client's last request is taken again where
 * the row is free. Nothing is believed that the store only tells: a row that it has told of is written
 * over by compare and set, or read before it is answered by.
 */
import { Inbox, type Transport, type TransportStatus } from '@conclave/core/embedding';
import { byPlan } from '@conclave/core/internal';
import { ConclaveError, type Message, type Protocol } from '@conclave/core/protocol';
import { BehaviorSubject, finalize, type Subscription } from 'rxjs';
import type { Timers } from '../waits.js';
import type { Store } from './store.js';

/** What the store keeps, as text: the row, and the lease that all programs must have in common. */
interface LeaseRow {
  readonly version: number;
  readonly epoch: number;
  readonly holder: string;
  readonly round: number;
  readonly lease: number;
}

/** The node of the network that is the store. */
export const storeNode = 'store';

/** How often a message is tried where others write the row at the same time. */
const mostTries = 50;
/** How often the row is read where the store does not tell of writes, in milliseconds. */
const usualPoll = 200;
/** How many programs shall try to take a row that they are told is free, at first; of how many. */
const [few, most] = [4, 1_000];
/** After how many milliseconds the others look whether one of these has taken it. */
const restraint = 10;

export class RowTransport implements Transport {
  readonly guarantees = { order: 'any', loss: true, duplication: true } as const;
  readonly peers = [storeNode];
  readonly #inbox = new Inbox();
  readonly #errors = new Inbox<ConclaveError>();
  readonly #status = new BehaviorSubject<TransportStatus>({ state: 'up' });
  readonly received$ = this.#inbox.items$;
  readonly errors$ = this.#errors.items$;
  readonly status$ = this.#status.asObservable();
  readonly #seen = new BehaviorSubject<Pick<LeaseRow, 'version' | 'holder' | 'epoch'> | undefined>(
    undefined,
  );
  /** The row, each time that this program has read or written a later one, or has heard of it. */
  readonly row$ = this.#seen.asObservable();
  readonly #machine;
  /** The row as this process knows it: it may be old. */
  #row: string | undefined;
  #queue: Message[] = [];
  #working: Promise<void> | undefined;
  #wanted: Message | undefined;
  #poll: unknown;
  /** Until the client has given up, while it waits; after that, until it watches no longer. */
  #patience: unknown;
  #watch: Subscription | undefined;
  /** Whether the store tells of writes at present. */
  #isTold = false;
  /** Whether the row may have become free since it was looked at. */
  #isDue = false;
  /** Others that have had the row since this program had it, and how many there were before that. */
  readonly #rivals = new Set<string>();
  #before = 0;
  #closed = false;

  constructor(
    readonly self: string,
    private readonly options: {
      readonly protocol: Protocol;
      readonly store: Store;
      readonly name: string;
      readonly lease: number;
      readonly renewal: number;
      /** How often the row is read while the client waits, in milliseconds. */
      readonly poll: number | undefined;
      readonly clock: Timers;
    },
  ) {
    const { store } = options.protocol.roles;
    if (!store) throw new Error(`unreachable: ${options.protocol.name} has a store`);
    this.#machine = store.machine;
  }

  /** The latest row that this program knows. */
  get row(): Pick<LeaseRow, 'holder'> | undefined {
    return this.#seen.value;
  }

  send(_to: string, message: Message): void {
    if (this.#closed)
      throw new ConclaveError('closed', `The transport of node ${this.self} is closed`);
    this.#want(message.type === 'take' ? message : undefined);
    // a request that is asked again replaces what has not been asked yet
    this.#queue = [
      ...this.#queue.filter(({ type }) => type === 'freed' || type !== message.type),
      message,
    ];
    this.#working ??= this.#work();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#want(undefined);
    this.#watch?.unsubscribe();
    this.options.clock.clearTimeout(this.#patience);
    this.options.clock.clearTimeout(this.#poll);
    await this.#worked();
    this.#inbox.close();
    this.#errors.close();
    this.#status.next({ state: 'closed', reason: 'it was closed' });
    this.#status.complete();
    this.#seen.complete();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Waits for a lease at most: where the store does not answer until then, the row is free anyway. */
  async #worked(): Promise<void> {
    const { clock, lease } = this.options;
    let timer: unknown;
    const isOver = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, lease);
    });
    await Promise.race([this.#working, isOver]);
    clock.clearTimeout(timer);
  }

  /** A client that waits asks at each renewal: one that does not ask any more has given up. */
  #want(message: Message | undefined): void {
    const { clock, renewal, lease } = this.options;
    if (message || this.#wanted) clock.clearTimeout(this.#patience);
    if (message) this.#patience = clock.setTimeout(() => this.#want(undefined), 2 * renewal);
    else if (this.#wanted && this.#watch?.closed === false)
      this.#patience = clock.setTimeout(() => this.#watch?.unsubscribe(), lease); // it may wait again soon
    this.#wanted = message;
  }

  async #work(): Promise<void> {
    for (let message = this.#queue.shift(); message; message = this.#queue.shift())
      await this.#settled(this.#take(message));
    this.#working = undefined;
    if (this.#wanted && this.#isDue) this.#lookNow();
    else if (this.#wanted) this.#lookLater();
  }

  #settled(work: Promise<void>): Promise<void> {
    return work.then(
      () => this.#isUp(),
      (error) => this.#isDown(error),
    );
  }

  /** Takes one message: the answers arrive when the row is written. */
  async #take(message: Message, tries = mostTries): Promise<void> {
    const { store, name } = this.options;
    for (let left = tries; left > 0; left--) {
      const known = this.#row;
      const text = known ?? (await store.read(name));
      const row = this.#rowIn(text);
      const [next, answers] = this.#step(row, message);
      this.#row = undefined; // it may be old
      if (next.version === row.version) {
        if (!known) return this.#answer(answers);
      } else {
        const written = JSON.stringify(next);
        if (await store.write(name, written, text)) {
          this.#row = written;
          this.#see(next);
          return this.#answer(answers);
        }
      }
    }
  }

  #rowIn(text: string | undefined): LeaseRow {
    const { name, lease } = this.options;
    if (text === undefined) {
      this.#seen.next(undefined);
      return { version: 0, epoch: 0, holder: '', round: 0, lease };
    }
    const row = rowIn(text);
    if (!row)
      throw new ConclaveError(
        'bad-input',
        `What the store has as '${name}' is no lease: ${text.slice(0, 100)}`,
        'Give the lock a name of its own, which no job has in this store, or a table or folder of its own.',
      );
    if (row.lease !== lease)
      throw new ConclaveError(
        'refused',
        `The lock '${name}' has leases of ${row.lease} ms in the store, and of ${lease} ms here`,
        'Give all programs the same lease; to change it, stop them all, and delete the row.',
      );
    this.#see(row);
    return row;
  }

  /** Whether it is a later row than this program knows. */
  #see(row: LeaseRow): boolean {
    const isLater = row.version > (this.#seen.value?.version ?? 0);
    if (!isLater) return false;
    const { holder } = row;
    if (!['', this.self].includes(holder) && this.#rivals.size < most) this.#rivals.add(holder);
    this.#seen.next(row);
    return true;
  }

  /** What the store makes of it. */
  #step(row: LeaseRow, message: Message): readonly [LeaseRow, readonly Message[]] {
    const { state } = byPlan.start(this.#machine, storeNode, { ...row });
    const event = { ...message, from: this.self };
    const taken = byPlan.step(this.#machine, storeNode, state, event);
    const { version, epoch, holder, round } = taken.state.context as unknown as LeaseRow; // of the store
    const answers = taken.effects.flatMap((effect) =>
      effect.type === 'send' ? [effect.message] : [],
    );
    return [{ version, epoch, holder, round, lease: row.lease }, answers];
  }

  #answer(answers: readonly Message[]): void {
    for (const message of answers) {
      if (message.type === 'granted') {
        this.#want(undefined);
        this.#before = this.#rivals.size;
        this.#rivals.clear();
      }
      if (message.type === 'taken') this.#listen();
      this.#inbox.put({ from: storeNode, message });
    }
  }

  /** Where the store can tell of writes. It is asked again at the next renewal where it cannot. */
  #listen(): void {
    const { store, name } = this.options;
    if (this.#closed || !store.watch || this.#watch?.closed === false) return;
    const ended = () => {
      this.#isTold = false;
    };
    this.#watch = store
      .watch(name)
      .pipe(finalize(ended))
      .subscribe({ next: (text) => this.#hear(text), error: ended });
  }

  #hear(text: string | undefined): void {
    this.#isTold = true;
    const told = text === undefined ? undefined : rowIn(text);
    const row = told?.lease === this.options.lease ? told : undefined;
    if (row && !this.#see(row)) return; // it is old, or of this program
    this.#row = row && text;
    if (row && row.holder !== '') return;
    this.#isDue = true;
    if (this.#wanted && !this.#working) this.#lookNow();
  }

  /** The others that wait are told, too. Where they are many, some of them look, and then the rest. */
  #lookNow(): void {
    this.#isDue = false;
    if (Math.random() * Math.max(this.#before, this.#rivals.size) < few) this.#look();
    else this.#lookIn(restraint, false);
  }

  /** Not where the store tells of writes: the client asks again at its next renewal, anyhow. */
  #lookLater(): void {
    const { clock, poll = this.#isTold ? undefined : usualPoll } = this.options;
    clock.clearTimeout(this.#poll);
    if (poll) this.#lookIn(poll, true);
  }

  /** @param anew whether it reads the row, also where it knows one */
  #lookIn(milliseconds: number, anew: boolean): void {
    const { clock } = this.options;
    const look = () => {
      if (anew) this.#row = undefined;
      if (this.#wanted && !this.#working) this.#look();
    };
    clock.clearTimeout(this.#poll);
    this.#poll = clock.setTimeout(look, milliseconds * (0.75 + 0.5 * Math.random())); // not all at once
  }

  /** Takes the client's last request again where the row is free: once, others do the same. */
  #look(): void {
    this.#working = this.#settled(this.#takeIfFree()).then(() => this.#work());
  }

  async #takeIfFree(): Promise<void> {
    const { store, name } = this.options;
    const wanted = this.#wanted;
    const text = this.#row ?? (await store.read(name));
    if (this.#rowIn(text).holder !== '' || !wanted || this.#wanted !== wanted) return;
    this.#row = text;
    await this.#take(wanted, 1);
  }

  #isUp(): void {
    if (this.#status.value.state === 'down') this.#status.next({ state: 'resumed', gap: true });
  }

  /** Once for each time that it is down. */
  #isDown(error: unknown): void {
    this.#row = undefined; // it may have been written
    if (this.#status.value.state === 'down' || this.#closed) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#status.next({ state: 'down', reason });
    this.#errors.put(
      error instanceof ConclaveError
        ? error
        : new ConclaveError(
            'unavailable',
            `The store of the lock '${this.options.name}' fails: ${reason}`,
            'The lock asks again; look at the store.',
            { cause: error },
          ),
    );
  }
}

/** Undefined where it is none: another program writes there. */
function rowIn(text: string): LeaseRow | undefined {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    return undefined;
  }
  const fields = Object(row);
  const isRow =
    ['version', 'epoch', 'round', 'lease'].every((field) => Number.isSafeInteger(fields[field])) &&
    typeof fields.holder === 'string';
  return isRow ? fields : undefined;
}
