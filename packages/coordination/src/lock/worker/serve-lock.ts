import { type MessagePort, parentPort } from 'node:worker_threads';
import { ConclaveError } from '@conclave/core/protocol';
import type { Held } from '../lock-held.js';
import type { Lock } from '../lock-types.js';
import { type FromWorker, fieldsOf, LeaseMemory, type ToWorker } from './between-threads.js';

/** How often the lease is looked at in the shortest of its times. */
const looks = 10;

/**
 * In a worker thread: gives `lock` to the thread that has called `workerLock`. The module of the
 * worker makes the lock, with its transport and storage, as any program does.
 *
 * @throws {ConclaveError} `bad-input` where this is no worker thread.
 * @example serveLock(lock({ tolerate: 'crash', self, nodes, transport, storage }));
 */
export function serveLock(lock: Lock): void {
  if (!parentPort)
    throw new ConclaveError(
      'bad-input',
      'serveLock runs in a worker thread only',
      'Give its worker to workerLock(new Worker(…)).',
    );
  new LockServer(lock, parentPort).start();
}

/** A call of the other thread, from its request to its end. */
interface Call {
  /** Withdraws the request, or gives the lock back. */
  readonly end: () => void;
}

class LockServer {
  readonly #calls = new Map<number, Call>();

  constructor(
    private readonly lock: Lock,
    private readonly port: MessagePort,
  ) {}

  start(): void {
    this.port.on('message', (message: ToWorker) => this.#take(message));
    this.#tell({ type: 'ready', id: this.lock.id, name: this.lock.name });
  }

  #tell(message: FromWorker): void {
    this.port.postMessage(message);
  }

  #take(message: ToWorker): void {
    if (message.type === 'acquire') void this.#acquire(message);
    else if (message.type === 'close') void this.#close();
    else this.#calls.get(message.call)?.end();
  }

  async #acquire({
    call,
    stall,
    waitFor,
    tries,
  }: ToWorker & { readonly type: 'acquire' }): Promise<void> {
    const withdrawal = new AbortController();
    this.#calls.set(call, { end: () => withdrawal.abort() });
    const options = { signal: withdrawal.signal, ...(waitFor !== undefined && { waitFor }) };
    try {
      const held = await (tries ? this.lock.tryAcquire(options) : this.lock.acquire(options));
      if (held) return this.#grant(call, held, stall);
      this.#calls.delete(call);
      this.#tell({ type: 'refused', call });
    } catch (error) {
      this.#calls.delete(call);
      this.#tell({ type: 'refused', call, error: fieldsOf(error) });
    }
  }

  #grant(call: number, held: Held, stall: number): void {
    const lease = LeaseMemory.begin(stall);
    const { remaining, fencingToken, fencingCondition } = held;
    lease.renew(remaining);
    const look = () => {
      if (lease.remaining > 0) lease.renew(held.remaining);
      else end();
    };
    const timer = setInterval(look, Math.min(remaining, stall) / looks);
    /** The memory says so before another node may enter. */
    const end = () => {
      if (!this.#calls.delete(call)) return;
      clearInterval(timer);
      lease.release();
      held.release();
      this.#tell({ type: 'ended', call });
    };
    this.#calls.set(call, { end });
    const lost = () => {
      lease.end(held.signal.reason.reason);
      end();
    };
    const { buffer: memory } = lease;
    // first, also where it is lost already: the other thread knows no call that has ended
    this.#tell({ type: 'granted', call, memory, fencingToken, fencingCondition });
    if (held.signal.aborted) lost();
    else held.signal.addEventListener('abort', lost, { once: true });
  }

  async #close(): Promise<void> {
    await this.lock.close();
    this.#tell({ type: 'closed' });
  }
}
