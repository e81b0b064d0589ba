import { Subject, type Subscription } from 'rxjs';
import { ConclaveError } from '../base/error.js';
import type { Deliver, LinkCommand, LinkContext } from '../channel/reliable/link.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { Protocol } from '../protocol/protocol.js';
import { complete } from '../topology/generators.js';
import { Backlog } from './backlog.js';
import { textOf } from './embed-errors.js';
import { EmbeddedNode } from './embedded-node.js';
import { LatestAcknowledgement } from './latest-acknowledgement.js';
import { RetransmissionTimeout, type TimeoutOptions } from './retransmission-timeout.js';
import { replacedError } from './session-refusals.js';
import type { Guarantees, Transport } from './transport.js';
import type { Clock } from './wall-clock.js';
import { checked, isRecord } from './wire.js';

/** What a link makes up for: everything. */
const anything: Guarantees = { order: 'any', loss: true, duplication: true };

export interface LinkSettings {
  readonly protocol: Protocol;
  readonly clock: Clock;
  /** Of this node, as the link counts. */
  readonly incarnation: number;
  /** How many messages may be sent and not yet acknowledged. */
  readonly window: number;
  readonly timeout: TimeoutOptions;
}

interface LinkOwner {
  deliver(from: NodeId, message: unknown): void;
  report(error: ConclaveError): void;
  /** This node has been replaced. */
  fail(error: ConclaveError): void;
}

/**
 * This node's end of the link to one peer. Its machine knows no time: how long its one timer runs
 * is measured here. A frame carries when it was sent, and an acknowledgement echoes that.
 */
export class ReliableLink {
  readonly #end: EmbeddedNode<LinkCommand>;
  /** What the machine has not taken yet: it copies its outbox at each step. */
  readonly #backlog = new Backlog<LinkCommand>();
  readonly #frames = new Subject<{ readonly from: NodeId; readonly message: unknown }>();
  readonly #acknowledgements: LatestAcknowledgement;
  readonly #timeout: RetransmissionTimeout;
  #armed: { readonly handle: unknown; readonly fire: () => void } | undefined;
  /** When the data frame was sent that the machine takes now, for its acknowledgement. */
  #stamp: number | null = null;

  constructor(
    private readonly below: Transport,
    private readonly peer: NodeId,
    private readonly settings: LinkSettings,
    private readonly owner: LinkOwner,
  ) {
    const { self } = below;
    const { protocol, clock, incarnation, timeout } = settings;
    this.#timeout = new RetransmissionTimeout(timeout);
    this.#acknowledgements = new LatestAcknowledgement(
      (acknowledgement, stamp) => this.#acknowledge(acknowledgement, stamp),
      clock.soon ?? atOnce,
    );
    const topology = complete([self, peer].sort());
    this.#end = new EmbeddedNode<LinkCommand>(protocol, topology, {
      self,
      topology,
      transport: this.#channel(),
      clock: this.#timers(),
      incarnation,
      onError: (error) => owner.report(error),
    });
    this.#end.notifications$.subscribe((notification) => {
      const { payload } = notification as Deliver; // a link tells nothing else
      owner.deliver(peer, payload);
    });
    this.#end.state$.subscribe(() => this.#refill());
  }

  /** Whether all that was sent is acknowledged. */
  get isIdle(): boolean {
    return this.#end.state.value === 'idle' && this.#backlog.length === 0;
  }

  /** How many messages it keeps until the peer acknowledges them. */
  get unacknowledged(): number {
    return this.#inWindow + this.#backlog.length;
  }

  send(message: Message): void {
    const { protocol, window } = this.settings;
    const command: LinkCommand = { type: 'transmit', payload: { ...message } };
    if (this.#inWindow < window && this.#backlog.length === 0) return this.#end.send(command);
    checked(
      protocol.commands,
      command,
      `The link of node ${this.below.self} to ${this.peer} got the command`,
    );
    this.#backlog.put(command);
  }

  receive(message: unknown): void {
    const { incarnation, clock } = this.settings;
    const { stamp, frame } = unstamped(message);
    const addressed = addressedBy(frame);
    if (addressed > incarnation)
      return this.owner.fail(replacedError(this.below.self, incarnation, this.peer, addressed));
    // first: the step may start the timer anew
    if (stamp !== null && answers(frame, incarnation)) this.#timeout.measured(clock.now() - stamp);
    this.#stamp = stamp;
    this.#frames.next({ from: this.peer, message: frame });
  }

  /** Sends again now what is not acknowledged. */
  retransmit(): void {
    if (!this.#armed || this.#end.state.value === 'idle') return;
    this.settings.clock.clearTimeout(this.#armed.handle);
    this.#armed.fire();
  }

  /** Calls `check` now, and whenever something changes. */
  watch(check: () => void): Subscription {
    return this.#end.state$.subscribe(check);
  }

  /** Sends the acknowledgement that is held, and nothing more. */
  close(): void {
    this.#acknowledgements.flush();
    void this.#end.close();
  }

  get #inWindow(): number {
    return outboxOf(this.#end.state.context).length;
  }

  #refill(): void {
    for (let free = this.settings.window - this.#inWindow; free > 0; free--) {
      const command = this.#backlog.take();
      if (!command) return;
      this.#end.send(command);
    }
  }

  #channel(): Transport {
    const { below, peer, settings } = this;
    const close = async () => {};
    return {
      self: below.self,
      guarantees: anything,
      received$: this.#frames,
      send: (_to, frame) => {
        if (frame.type === 'ack') this.#acknowledgements.put(frame, this.#stamp);
        else below.send(peer, stamped(frame, settings.clock.now()));
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  #timers(): TimerClock {
    const { clock } = this.settings;
    return {
      setTimeout: (fire, _delay, timer) => {
        const expire = () => {
          this.#timeout.expired();
          fire();
        };
        const handle = clock.setTimeout(expire, this.#timeout.current, timer);
        this.#armed = { handle, fire };
        return handle;
      },
      clearTimeout: (handle) => {
        if (this.#armed?.handle === handle) this.#armed = undefined;
        clock.clearTimeout(handle);
      },
    };
  }

  #acknowledge(acknowledgement: Message, stamp: number | null): void {
    try {
      this.below.send(this.peer, stamped(acknowledgement, stamp));
    } catch (cause) {
      this.owner.report(
        new ConclaveError(
          'closed',
          `Node ${this.below.self} cannot send 'ack' to ${this.peer}: ${textOf(cause)}`,
          '',
          { cause },
        ),
      );
    }
  }
}

// of the link's own machine
const outboxOf = (context: object): LinkContext['outbox'] => (context as LinkContext).outbox;

const stamped = (frame: Message, stamp: number | null) => ({ ...frame, stamp });

const atOnce = (run: () => void): void => run();

/**
 * A frame as its machine sent it, and when it was sent; anything else stays as it is, and the link
 * refuses it.
 */
function unstamped(message: unknown): { readonly stamp: number | null; readonly frame: unknown } {
  if (!isRecord(message) || !('stamp' in message)) return { stamp: null, frame: message };
  const { stamp, ...frame } = message;
  return { stamp: typeof stamp === 'number' ? stamp : null, frame };
}

/** The incarnation of this node that a frame is for; 0 while the peer knows none. */
const addressedBy = (frame: unknown): number =>
  isRecord(frame) && typeof frame.addressed === 'number' ? frame.addressed : 0;

/**
 * Whether it acknowledges a frame of this incarnation: the stamps of another one may come from
 * another clock.
 */
const answers = (frame: unknown, incarnation: number): boolean =>
  isRecord(frame) && 'next' in frame && frame.addressed === incarnation;
