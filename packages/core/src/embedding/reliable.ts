import { Subscription } from 'rxjs';
import { ConclaveError } from '../base/error.js';
import { reliableLink } from '../channel/reliable/protocol.js';
import { reliableOptions } from '../options/channel.js';
import type { Message, NodeId } from '../protocol/node.js';
import { checkOptions } from '../schema/check.js';
import { type LinkSettings, ReliableLink } from './reliable-link.js';
import { nextIncarnation } from './terms.js';
import type { Guarantees, Incoming, Transport } from './transport.js';
import { TransportLayer } from './transport-layer.js';
import { type Clock, wallClock } from './wall-clock.js';

/**
 * Makes a transport that may lose, duplicate and reorder messages into one that does not: one
 * reliable link to each peer. The peers must wrap their transports, too.
 *
 * While a node and its peer stay up, each message arrives once, in the order it was sent. Across a
 * crash:
 * - What the crashed node had sent and was not yet delivered is lost.
 * - What was sent to the crashed node and not yet acknowledged is sent again after its restart: the
 *   node may have taken it before the crash.
 *
 * What is sent to a node that is down is kept, and retransmitted until the node is back: at once
 * where the transport says that it has resumed, or that the peer is reachable. The retransmission
 * timeout follows the measured round trip (RFC 6298). `close` waits until what was sent is
 * acknowledged, at most `drainFor`. A node whose peers already speak to a later incarnation of it
 * is told so by the error `refused`, and its transport closes.
 *
 * @example embed(protocol, { self, peers, transport: reliable(broadcastChannelTransport(self,
 * 'shop')) });
 */
export function reliable(
  transport: Transport,
  options: {
    /** Default: real time. */
    readonly clock?: Clock;
    /**
     * Larger at each start of this node than at any earlier one. Default: the milliseconds since
     * 1970.
     */
    readonly incarnation?: number;
    /**
     * How long to wait for an acknowledgement until a round trip has been measured, in milliseconds.
     * Default 200.
     */
    readonly retransmitAfter?: number;
    /** How many messages may be sent to a peer and not yet acknowledged. Default 32. */
    readonly window?: number;
    /**
     * The wait follows the measured round trip, but is never shorter. In milliseconds; default 10.
     */
    readonly leastTimeout?: number;
    /**
     * Each wait without an answer is twice as long as the one before, up to this. In milliseconds;
     * default 2000.
     */
    readonly mostTimeout?: number;
    /**
     * How long `close` waits until all that was sent is acknowledged, in milliseconds. 0: not at all,
     * as in a crash. Default 1000.
     */
    readonly drainFor?: number;
    /**
     * How many messages for one peer may be kept until it acknowledges them. Beyond, `send` throws
     * `lost`, and the transport closes. Default 100 000.
     */
    readonly mostUnacknowledged?: number;
  } = {},
): Transport {
  checkOptions('reliable', reliableOptions, options);
  return new ReliableTransport(transport, options);
}

/** The options of {@link reliable}. */
export type ReliableOptions = NonNullable<Parameters<typeof reliable>[1]>;

class ReliableTransport extends TransportLayer {
  readonly guarantees: Guarantees;
  readonly #links = new Map<NodeId, ReliableLink>();
  readonly #settings: LinkSettings;
  readonly #drainFor: number;
  readonly #mostUnacknowledged: number;
  /** A message that could not be kept: without it the transport would break its promise. */
  #overflow: ConclaveError | undefined;

  constructor(below: Transport, options: ReliableOptions) {
    super(below);
    const { clock = wallClock, incarnation = nextIncarnation(below.self), window = 32 } = options;
    const { retransmitAfter = 200, leastTimeout = 10, mostTimeout = 2000 } = options;
    const { drainFor = 1000, mostUnacknowledged = 100_000 } = options;
    this.#drainFor = drainFor;
    this.#mostUnacknowledged = mostUnacknowledged;
    this.#settings = {
      protocol: reliableLink({ incarnation, retransmitAfter, window }),
      clock,
      incarnation: incarnation + 1,
      window,
      timeout: { first: retransmitAfter, least: leastTimeout, most: mostTimeout },
    };
    const { restarts } = below.guarantees;
    this.guarantees = {
      order: 'fifo',
      loss: false,
      duplication: false,
      ...(restarts && { restarts }),
    };
    this.#listen();
  }

  send(to: NodeId, message: Message): void {
    this.requireOpen(message);
    if (this.#overflow) throw this.#overflow;
    const link = this.#linkTo(to);
    if (link.unacknowledged >= this.#mostUnacknowledged) throw this.#overflows(to, message);
    link.send(message);
  }

  protected async end(): Promise<void> {
    this.inbox.close();
    if (this.#drainFor > 0 && !this.hasFailed && !this.#isIdle) await this.#drained();
    this.arrivals.unsubscribe();
    for (const link of this.#links.values()) link.close();
    await this.below.close();
  }

  #listen(): void {
    const { received$, status$, peers$ } = this.below;
    this.arrivals.add(received$.subscribe((incoming) => this.#receive(incoming)));
    this.arrivals.add(
      status$?.subscribe(({ state }) => {
        if (state === 'resumed') for (const link of this.#links.values()) link.retransmit();
      }),
    );
    this.arrivals.add(
      peers$?.subscribe(({ peer, reachable }) => {
        if (reachable) this.#links.get(peer)?.retransmit();
      }),
    );
  }

  #receive({ from, message }: Incoming): void {
    try {
      this.#linkTo(from).receive(message);
    } catch (error) {
      if (!(error instanceof ConclaveError)) throw error;
      this.report(error, from); // a sender whose name cannot be one
    }
  }

  #linkTo(peer: NodeId): ReliableLink {
    const known = this.#links.get(peer);
    if (known) return known;
    const link = new ReliableLink(this.below, peer, this.#settings, {
      deliver: (from, message) => this.inbox.put({ from, message }),
      report: (error) => this.report(error, peer),
      fail: (error) => this.fail(error),
    });
    this.#links.set(peer, link);
    return link;
  }

  get #isIdle(): boolean {
    return [...this.#links.values()].every(({ isIdle }) => isIdle);
  }

  /** Resolves when all that was sent is acknowledged, or `drainFor` has passed. */
  #drained(): Promise<void> {
    const { clock } = this.#settings;
    return new Promise((resolve) => {
      const waiting = new Subscription();
      const done = () => {
        waiting.unsubscribe();
        clock.clearTimeout(handle);
        resolve();
      };
      const handle = clock.setTimeout(done, this.#drainFor, 'drain');
      const check = () => {
        if (this.#isIdle) done();
      };
      for (const link of this.#links.values()) waiting.add(link.watch(check));
    });
  }

  #overflows(to: NodeId, { type }: Message): ConclaveError {
    const error = new ConclaveError(
      'lost',
      `Node ${this.self} keeps ${this.#mostUnacknowledged} messages that ${to} has not acknowledged; '${type}' is lost, and the transport closes`,
      'Start both nodes again, or raise mostUnacknowledged.',
    );
    this.#overflow = error;
    queueMicrotask(() => this.fail(error)); // after the step that sends: a host may stop in it
    return error;
  }
}
