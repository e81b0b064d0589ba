/**
 * An endpoint of the transport under test. It records all that its transport emits, and numbers
 * what it sends: so the receiver can tell loss, duplication and another order from the numbers
 * alone.
 */
import type { Subscription } from 'rxjs';
import type { Message, NodeId } from '../../protocol/node.js';
import {
  type Guarantees,
  type Incoming,
  isRecord,
  type PeerStatus,
  type Transport,
  type TransportStatus,
} from '../transport.js';

/** What the checks send. `n`: its position in all that `from` sends to `to`, from 0. */
interface Numbered extends Message {
  readonly type: 'numbered';
  readonly from: NodeId;
  readonly to: NodeId;
  readonly n: number;
}

/** A transport under test, with a record of what it says. */
export class Endpoint {
  /** All messages but probes. */
  readonly received: Incoming[] = [];
  readonly statuses: TransportStatus[] = [];
  readonly peers: PeerStatus[] = [];
  /** Which of the observables have completed. */
  readonly completed = new Set<'received' | 'status' | 'peers'>();
  readonly #subscriptions: Subscription[] = [];
  readonly #waiting = new Set<() => void>();
  /** The last probe from each node. */
  readonly #arrived = new Map<NodeId, number>();
  #probes = 0;

  /** @param listen whether it subscribes to `received$` at once */
  constructor(
    readonly transport: Transport,
    private readonly patience: number,
    listen = true,
  ) {
    if (listen) this.listen();
    const recorded = <T>(name: 'status' | 'peers', list: T[]) => ({
      next: (item: T) => this.#notice(() => list.push(item)),
      complete: () => this.#notice(() => this.completed.add(name)),
    });
    this.#subscriptions.push(
      ...[
        transport.status$?.subscribe(recorded('status', this.statuses)),
        transport.peers$?.subscribe(recorded('peers', this.peers)),
      ].filter((subscription) => subscription !== undefined),
    );
    transport.errors$?.subscribe({ error: () => {} }); // refusals are counted by the transport
  }

  get id(): NodeId {
    return this.transport.self;
  }

  /** Subscribes to `received$`. */
  listen(): void {
    this.#subscriptions.push(
      this.transport.received$.subscribe({
        next: (incoming) => this.#notice(() => this.#take(incoming)),
        complete: () => this.#notice(() => this.completed.add('received')),
      }),
    );
  }

  /** Sends messages numbered from `first`. */
  sendNumbered(to: NodeId, count: number, first = 0): void {
    for (let n = first; n < first + count; n++) this.transport.send(to, numbered(this.id, to, n));
  }

  /**
   * Resolves when `condition` holds; each event evaluates it again.
   * @throws after the patience: `what` did not happen, and `seen`. Time for which the process was
   * paused does not count.
   */
  async until(
    what: string,
    condition: () => boolean,
    seen: () => unknown = () => this.summary,
  ): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearInterval(timer);
        this.#waiting.delete(evaluate);
      };
      const evaluate = () => {
        if (!condition()) return;
        stop();
        resolve();
      };
      const giveUp = () => {
        stop();
        reject(
          new Error(
            `Within ${this.patience} ms, ${what} did not happen at node ${this.id}. It has ${JSON.stringify(seen())}`,
          ),
        );
      };
      let parts = 20; // during a pause of the process, one of them at most ends
      const timer = setInterval(() => --parts === 0 && giveUp(), this.patience / parts);
      this.#waiting.add(evaluate);
    });
  }

  /**
   * Sends probes to `to` until one arrives. If the order is kept and nothing is lost, all that was
   * sent before has arrived then.
   */
  async flush(to: Endpoint): Promise<void> {
    const probe = ++this.#probes;
    const message = { type: 'probe', probe };
    const arrived = () => (to.#arrived.get(this.id) ?? 0) >= probe;
    const send = () => this.transport.send(to.id, message);
    send();
    const again = setInterval(send, 100); // a probe may get lost, too
    try {
      await to.until(`the arrival of a probe from ${this.id}`, arrived);
    } finally {
      clearInterval(again);
    }
  }

  get summary(): unknown {
    const { statuses, peers, received } = this;
    return { received: received.length, last: received.slice(-3), statuses, peers };
  }

  async close(): Promise<void> {
    await this.transport.close();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
  }

  #take(incoming: Incoming): void {
    if (isProbe(incoming.message)) this.#arrived.set(incoming.from, incoming.message.probe);
    else this.received.push(incoming);
  }

  #notice(change: () => void): void {
    change();
    for (const evaluate of [...this.#waiting]) evaluate();
  }
}

const numbered = (from: NodeId, to: NodeId, n: number): Numbered => ({
  type: 'numbered',
  from,
  to,
  n,
});

const isProbe = (message: unknown): message is { readonly probe: number } =>
  isRecord(message) && message.type === 'probe';

/** What a transport may do to messages. */
type Allowed = Pick<Guarantees, 'order' | 'loss' | 'duplication'>;

/**
 * Checks what `at` has from `from`, which sent it messages numbered from 0 to `sent`.
 * @throws where more happened than is allowed
 */
export function judge(from: NodeId, at: Endpoint, sent: number, allowed: Allowed): void {
  const numbers = numbersFrom(from, at);
  const where = `of ${sent} messages from ${from} to ${at.id}`;
  const beyond = numbers.find((n) => !Number.isInteger(n) || n < 0 || n >= sent);
  if (beyond !== undefined) throw new Error(`${where}: ${beyond} arrived, which was never sent`);
  const firsts = [...new Set(numbers)];
  if (!allowed.loss && firsts.length < sent)
    throw new Error(`${where}: ${sent - firsts.length} are lost, ${firstMissing(firsts)} first`);
  if (!allowed.duplication && firsts.length < numbers.length)
    throw new Error(`${where}: ${numbers.length - firsts.length} arrived twice`);
  const early =
    allowed.order === 'fifo'
      ? firsts.findIndex((n, index) => index > 0 && n < (firsts[index - 1] ?? 0))
      : -1;
  if (early >= 0) throw new Error(`${where}: ${firsts[early]} arrived after ${firsts[early - 1]}`);
}

/**
 * Checks that all numbered messages at `at` were sent to it, by the sender that the transport
 * names.
 */
export function judgeSenders(at: Endpoint): void {
  for (const incoming of at.received) {
    const { from, message } = incoming;
    if (isNumbered(message) && (message.from !== from || message.to !== at.id))
      throw new Error(
        `Node ${at.id} got ${JSON.stringify(message)} from ${from}, which is not what ${from} sent to it`,
      );
  }
}

/** Waits until everything has arrived, where nothing may get lost. */
export async function allArrived(from: NodeId, at: Endpoint, sent: number): Promise<void> {
  const seen = new Set<number>();
  let next = 0;
  const isComplete = () => {
    for (; next < at.received.length; next++) {
      const incoming = at.received[next];
      if (incoming?.from === from && isNumbered(incoming.message)) seen.add(incoming.message.n);
    }
    return seen.size >= sent;
  };
  await at.until(`the arrival of ${sent} messages from ${from}`, isComplete, () => ({
    arrived: seen.size,
    firstMissing: firstMissing([...seen]),
    statuses: at.statuses,
  }));
}

const numbersFrom = (from: NodeId, at: Endpoint): readonly number[] =>
  at.received.flatMap((incoming: Incoming) =>
    incoming.from === from && isNumbered(incoming.message) ? [incoming.message.n] : [],
  );

const isNumbered = (message: unknown): message is Numbered =>
  isRecord(message) && message.type === 'numbered';

function firstMissing(numbers: readonly number[]): number {
  const present = new Set(numbers);
  for (let n = 0; ; n++) if (!present.has(n)) return n;
}
