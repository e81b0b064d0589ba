import { Subject } from 'rxjs';
import { badInput, ConclaveError } from '../base/error.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { Protocol } from '../protocol/protocol.js';
import { complete } from '../topology/generators.js';
import { textOf } from './embed-errors.js';
import type { Embedded } from './embedded.js';
import { EmbeddedNode } from './embedded-node.js';
import type { StableStorage } from './storage.js';
import type { Incoming, Transport } from './transport.js';
import { TransportLayer } from './transport-layer.js';
import { reportWait, wallClock } from './wall-clock.js';

/**
 * A transport on which a node takes part only when the others have admitted it.
 *
 * The nodes agree by a protocol of their own, on the same channels as the application's messages: its
 * machine can be explored like any other, and is run here as an embedded node, {@link Handshake}. Two
 * transports have such a protocol: session.ts, and registration.ts for nodes with stable storage.
 */
export abstract class AdmittedTransport extends TransportLayer {
  readonly verified = true;
  /** Whether this node waits to be admitted, takes part, or may do so no longer. */
  protected phase: 'joining' | 'admitted' | 'ended' = 'joining';
  protected readonly admission: Promise<void>;
  protected abstract readonly handshake: Handshake;
  /** What came before this node was admitted. */
  #held: (() => void)[] = [];
  #endReports = () => {};
  #settle:
    | { readonly resolve: () => void; readonly reject: (error: ConclaveError) => void }
    | undefined;

  constructor(below: Transport) {
    super(below);
    this.admission = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.admission.catch(() => {}); // whether it is waited for or not
  }

  /** What is passed to the transport below for `message`. */
  protected abstract wrapped(to: NodeId, message: Message): Message;

  protected abstract receive(incoming: Incoming): void;

  /** @throws {ConclaveError} `closed`; `bad-input` before this node is admitted. */
  send(to: NodeId, message: Message): void {
    if (this.phase === 'joining')
      throw badInput(
        `Node ${this.self} is not admitted yet: it waits for ${this.awaited.join(', ')}`,
      );
    if (this.phase === 'ended')
      throw new ConclaveError('closed', `Node ${this.self} takes part no longer`);
    this.below.send(to, this.wrapped(to, message));
  }

  /** Sends a message of the handshake. */
  protected tell<M extends Message>(to: NodeId, message: M): void {
    try {
      this.below.send(to, message);
    } catch (error) {
      this.report(
        error instanceof ConclaveError
          ? error
          : badInput(`Node ${this.self} cannot send '${message.type}' to ${to}: ${textOf(error)}`),
        to,
      );
    }
  }

  /** @param after as `reportWaitAfter` of `embed` */
  protected listen(after: number | undefined, clock: TimerClock | undefined): void {
    this.arrivals.add(this.below.received$.subscribe((incoming) => this.receive(incoming)));
    const reachable = new Map<NodeId, boolean>();
    this.arrivals.add(
      this.peers$?.subscribe((status) => reachable.set(status.peer, status.reachable)),
    );
    this.#endReports = reportWait({
      ...{ self: this.self, after, clock },
      awaited: () => this.awaited,
      isUnreachable: (id) => reachable.get(id) === false,
      report: (error) => this.report(error),
    });
  }

  /** Does `take` when this node is admitted. */
  protected hold(take: () => void): void {
    this.#held.push(take);
  }

  protected admit(): void {
    if (this.phase !== 'joining') return;
    this.phase = 'admitted';
    this.#endReports();
    this.#settle?.resolve();
    this.#settle = undefined;
    for (const take of this.#held.splice(0)) take();
  }

  /** This node may not start, or not go on. */
  protected override fail(error: ConclaveError): void {
    if (this.phase === 'ended') return;
    this.phase = 'ended';
    this.#endReports();
    this.#held = [];
    if (!this.#settle) return super.fail(error);
    this.#settle.reject(error);
    this.#settle = undefined;
  }

  protected end(): Promise<void> {
    this.phase = 'ended';
    this.#endReports();
    this.#settle?.reject(
      new ConclaveError('closed', `Node ${this.self} was closed before all had admitted it`),
    );
    this.inbox.close();
    this.arrivals.unsubscribe();
    this.handshake.close();
    return this.below.close();
  }
}

const longestWait = 2000;

interface HandshakeOptions {
  readonly protocol: Protocol;
  readonly nodes: readonly NodeId[];
  readonly incarnation: number;
  readonly clock: TimerClock | undefined;
  readonly storage?: StableStorage;
  readonly onError: (error: ConclaveError) => void;
  /** Called with each notification of the machine. */
  readonly onNotification: (notification: Message) => void;
}

/**
 * A node of a protocol by which nodes admit each other, on the transport of the application's own
 * messages.
 */
export class Handshake {
  readonly #greetings = new Subject<Incoming>();
  readonly #node: Embedded;

  constructor(
    transport: Transport,
    { protocol, nodes, clock, onNotification, ...options }: HandshakeOptions,
  ) {
    const { self } = transport;
    const topology = complete([...nodes].sort());
    const close = async () => {};
    const channel: Transport = {
      self,
      guarantees: { order: 'any', loss: true, duplication: true },
      received$: this.#greetings,
      send: (to, greeting) => transport.send(to, greeting),
      close,
      [Symbol.asyncDispose]: close,
    };
    this.#node = new EmbeddedNode(protocol, topology, {
      self,
      topology,
      transport: channel,
      clock: slowing(clock),
      ...options,
    });
    this.#node.notifications$.subscribe(onNotification);
  }

  get context(): unknown {
    return this.#node.state.context;
  }

  receive(from: NodeId, greeting: Message): void {
    this.#greetings.next({ from, message: greeting });
  }

  close(): void {
    void this.#node.close();
  }
}

/**
 * A clock whose timers back off: a machine has one delay for a timer, but each wait is twice as long
 * as the one before, up to two seconds.
 */
function slowing(clock: TimerClock = wallClock): TimerClock {
  const factors = new Map<string, number>();
  return {
    setTimeout: (fire, delay, timer = '') => {
      const factor = factors.get(timer) ?? 1;
      factors.set(timer, 2 * factor);
      return clock.setTimeout(fire, Math.min(factor * delay, Math.max(delay, longestWait)), timer);
    },
    clearTimeout: (handle) => clock.clearTimeout(handle),
  };
}
