/**
 * How a client reaches the store of a lease in one row: the statechart of the store, as it is explored,
 * runs here, in the process of the client, as a transaction on the row. It is given the row, takes one
 * message, and what it makes of the row is written if nobody else has written meanwhile; otherwise it
 * takes the message again. What it sends is the answer.
 *
 * The row that this process has written last is tried first, so that a lock which nobody else wants
 * costs one write to enter and one to leave. While the client waits, the row is read now and then, and
 * the client's last request is taken again where it is free.
 */
import { Inbox, type Transport, type TransportStatus } from '@conclave/core/embedding';
import { ConclaveError, type Effect, type Message, type Protocol } from '@conclave/core/protocol';
import { BehaviorSubject } from 'rxjs';
import { createActor } from 'xstate';
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
const tries = 50;

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
  /** The row, each time that this program has read or written it. */
  readonly row$ = this.#seen.asObservable();
  readonly #machine;
  /** What this process has written last, while nobody else is known to have written. */
  #row: string | undefined;
  #queue: Message[] = [];
  #working: Promise<void> | undefined;
  #wanted: Message | undefined;
  #poll: unknown;
  #patience: unknown;
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
      readonly poll: number;
      readonly clock: Timers;
    },
  ) {
    const { store } = options.protocol.roles;
    if (!store) throw new Error(`unreachable: ${options.protocol.name} has a store`);
    this.#machine = store.machine;
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
    this.options.clock.clearTimeout(this.#poll);
    await this.#working;
    this.#inbox.close();
    this.#errors.close();
    this.#status.next({ state: 'closed', reason: 'it was closed' });
    this.#status.complete();
    this.#seen.complete();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A client that waits asks at each renewal: one that does not ask any more has given up. */
  #want(message: Message | undefined): void {
    const { clock, renewal } = this.options;
    this.#wanted = message;
    clock.clearTimeout(this.#patience);
    if (message) this.#patience = clock.setTimeout(() => this.#want(undefined), 2 * renewal);
  }

  async #work(): Promise<void> {
    for (let message = this.#queue.shift(); message; message = this.#queue.shift())
      await this.#take(message).then(
        () => this.#isUp(),
        (error) => this.#isDown(error),
      );
    this.#working = undefined;
    if (this.#wanted) this.#look();
  }

  /** Takes one message: the answers arrive when the row is written. */
  async #take(message: Message): Promise<void> {
    const { store, name } = this.options;
    for (let again = 0; again < tries; again++) {
      const known = this.#row;
      const text = known ?? (await store.read(name));
      const row = this.#rowIn(text);
      const [next, answers] = this.#step(row, message);
      this.#row = undefined; // it may be old, or become so
      if (next.version === row.version) {
        if (!known) return this.#answer(answers);
      } else {
        const written = JSON.stringify(next);
        if (await store.write(name, written, text)) {
          this.#row = written;
          this.#seen.next(next);
          return this.#answer(answers);
        }
      }
    }
  }

  #rowIn(text: string | undefined): LeaseRow {
    const { name, lease } = this.options;
    if (text === undefined) return { version: 0, epoch: 0, holder: '', round: 0, lease };
    const row = rowIn(name, text);
    if (row.lease !== lease)
      throw new ConclaveError(
        'refused',
        `The lock '${name}' has leases of ${row.lease} ms in the store, and of ${lease} ms here`,
        'Give all programs the same lease; to change it, stop them all, and delete the row.',
      );
    this.#seen.next(row);
    return row;
  }

  /** What the store makes of it. */
  #step(row: LeaseRow, message: Message): readonly [LeaseRow, readonly Message[]] {
    const answers: Message[] = [];
    const actor = createActor(this.#machine, { input: row });
    actor.on('*', (effect) => {
      const { type, message: answer } = effect as unknown as Effect<Message> & { message: Message }; // of the store
      if (type === 'send') answers.push(answer);
    });
    actor.start();
    actor.send({ ...message, from: this.self });
    const { version, epoch, holder, round } = actor.getSnapshot().context as unknown as LeaseRow; // of the store
    actor.stop();
    return [{ version, epoch, holder, round, lease: row.lease }, answers];
  }

  #answer(answers: readonly Message[]): void {
    for (const message of answers) {
      if (message.type === 'granted') this.#want(undefined);
      this.#inbox.put({ from: storeNode, message });
    }
  }

  /** Looks whether the row is free, and takes the client's last request again where it is. */
  #look(): void {
    const { clock, poll } = this.options;
    clock.clearTimeout(this.#poll);
    this.#poll = clock.setTimeout(
      () => {
        const wanted = this.#wanted;
        if (!wanted || this.#working) return;
        this.#row = undefined;
        this.#working = this.#takeIfFree(wanted)
          .then(
            () => this.#isUp(),
            (error) => this.#isDown(error),
          )
          .then(() => this.#work());
      },
      poll * (0.75 + 0.5 * Math.random()),
    ); // not all at once
  }

  async #takeIfFree(wanted: Message): Promise<void> {
    const { store, name } = this.options;
    const { holder } = this.#rowIn(await store.read(name));
    if (holder === '' && this.#wanted === wanted) await this.#take(wanted);
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

/** @throws {ConclaveError} `bad-input` where it is none: another program writes there. */
function rowIn(name: string, text: string): LeaseRow {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    // said below
  }
  const fields = Object(row);
  const isRow =
    ['version', 'epoch', 'round', 'lease'].every((field) => Number.isSafeInteger(fields[field])) &&
    typeof fields.holder === 'string';
  if (!isRow)
    throw new ConclaveError(
      'bad-input',
      `What the store has as '${name}' is no lease: ${text.slice(0, 100)}`,
      'Give the lock a name of its own, which no job has in this store, or a table or folder of its own.',
    );
  return fields;
}
