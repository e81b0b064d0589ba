import { Subscription } from 'rxjs';
import { ConclaveError } from '../base/error.js';
import type { Deliver, Frame, LinkCommand, LinkContext } from '../channel/reliable/link.js';
import {
  type LiveHost,
  type LiveNode,
  liveNode,
  type StateBefore,
} from '../protocol/compiled/compiled-node.js';
import type { Json, Message, NodeId, Received, Stimulus } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { Protocol } from '../protocol/protocol.js';
import type { HostEffect } from '../protocol/step.js';
import { complete } from '../topology/generators.js';
import { cannotSend } from './embed-errors.js';
import { Backlog } from './inbox.js';
import {
  type Arrival,
  addressedBy,
  answers,
  framesIn,
  LatestAcknowledgement,
  stamped,
  withAcknowledgement,
} from './link-frames.js';
import { replacedError } from './session-refusals.js';
import { StepCheck } from './step-check.js';
import { checked, type Transport } from './transport.js';
import type { Clock } from './wall-clock.js';

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
 * is measured here. A frame carries when it was sent, and an acknowledgement echoes that. A data
 * frame carries the acknowledgement that is due, if there is one.
 */
export class ReliableLink implements LiveHost {
  readonly clock: TimerClock;
  readonly #node: LiveNode;
  readonly #check: StepCheck;
  /** What the machine has not taken yet: it copies its outbox at each step. */
  readonly #backlog = new Backlog<LinkCommand>();
  readonly #acknowledgements: LatestAcknowledgement;
  readonly #timeout: RetransmissionTimeout;
  /** Delivered between steps: who takes one may send at once. */
  readonly #arrived = new Backlog<Json>();
  #isDelivering = false;
  readonly #watchers = new Set<() => void>();
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
    const { protocol, clock, timeout } = settings;
    this.#timeout = new RetransmissionTimeout(timeout);
    this.#acknowledgements = new LatestAcknowledgement(
      (acknowledgement, stamp) => this.#transmit(stamped(acknowledgement, stamp)),
      clock.soon ?? atOnce,
    );
    this.clock = this.#timers();
    const topology = complete([self, peer].sort());
    this.#node = liveNode(protocol, topology, self, this);
    this.#check = new StepCheck(protocol, topology, self);
    this.#node.start();
  }

  /** Whether all that was sent is acknowledged. */
  get isIdle(): boolean {
    return this.#node.value === 'idle' && this.#backlog.length === 0;
  }

  /** How many messages it keeps until the peer acknowledges them. */
  get unacknowledged(): number {
    return this.#inWindow + this.#backlog.length;
  }

  send(message: Message): void {
    const { protocol, window } = this.settings;
    const command = checked(
      protocol.commands,
      { type: 'transmit', payload: { ...message } },
      `The link of node ${this.below.self} to ${this.peer} got the command`,
    ) as LinkCommand; // it was made one
    if (this.#inWindow < window && this.#backlog.length === 0) this.#node.receive(command);
    else this.#backlog.put(command);
  }

  receive(message: unknown): void {
    const { incarnation } = this.settings;
    const addressed = addressedBy(message);
    if (addressed > incarnation)
      return this.owner.fail(replacedError(this.below.self, incarnation, this.peer, addressed));
    const { acknowledgement, frame } = framesIn(message, this.peer);
    // first: it may make room in the window
    if (acknowledgement) this.#take(acknowledgement);
    this.#take(frame);
    this.#deliver();
  }

  /** Sends again now what is not acknowledged. */
  retransmit(): void {
    if (!this.#armed || this.#node.value === 'idle') return;
    this.settings.clock.clearTimeout(this.#armed.handle);
    this.#fire(this.#armed.fire);
  }

  /** Calls `check` now, and whenever something changes. */
  watch(check: () => void): Subscription {
    this.#watchers.add(check);
    const watching = new Subscription(() => this.#watchers.delete(check));
    check();
    return watching;
  }

  /** Sends the acknowledgement that is held, and nothing more. */
  close(): void {
    this.#acknowledgements.flush();
    this.#node.stop();
  }

  stepped(
    node: LiveNode,
    stimulus: Stimulus,
    before: StateBefore | undefined,
    effects: readonly HostEffect[],
  ): void {
    this.#check.stepped(node, stimulus, before, effects);
    for (const effect of effects) {
      if (effect.type === 'send')
        this.#send(effect.message as Frame); // of its machine
      // a link tells nothing else
      else if (effect.type === 'notify')
        this.#arrived.put((effect.notification as Deliver).payload);
    }
  }

  /** Its machine has nothing to choose. */
  choose(): null {
    return null;
  }

  /** One frame, to the machine. */
  #take({ frame, stamp, isKnown }: Arrival): void {
    const { incarnation, clock } = this.settings;
    // first: the step may start the timer anew
    if (stamp !== null && answers(frame, incarnation)) this.#timeout.measured(clock.now() - stamp);
    this.#stamp = stamp;
    try {
      this.#node.receive(isKnown ? frame : this.#checked(frame));
    } catch (error) {
      this.#failed(error);
    }
    this.#settle();
  }

  #checked(frame: unknown): Received<Message> {
    const { messages, name } = this.settings.protocol;
    const where = `Node ${this.below.self} got from ${this.peer}`;
    const known = checked(messages, frame, where, `Do both run ${name}, in the same version?`);
    return { ...known, from: this.peer };
  }

  /** Fires a timer, or a retransmission before its time. */
  #fire(fire: () => void): void {
    try {
      fire();
    } catch (error) {
      this.#failed(error);
    }
    this.#settle();
  }

  /** The error of a step that the application did not start: it is reported. */
  #failed(error: unknown): void {
    if (!(error instanceof ConclaveError)) throw error;
    // a machine that fails cannot go on
    if (error.code === 'bad-protocol' || error.code === 'diverged') this.owner.fail(error);
    else this.owner.report(error);
  }

  /** After a step. */
  #settle(): void {
    this.#refill();
    for (const check of this.#watchers) check();
  }

  #deliver(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    while (this.#arrived.length > 0) this.owner.deliver(this.peer, this.#arrived.take());
    this.#isDelivering = false;
  }

  get #inWindow(): number {
    return outboxOf(this.#node.context).length;
  }

  #refill(): void {
    if (this.#backlog.length === 0) return;
    for (let free = this.settings.window - this.#inWindow; free > 0; free--) {
      const command = this.#backlog.take();
      if (!command) return;
      this.#node.receive(command);
    }
  }

  #send(frame: Frame): void {
    if (frame.type === 'ack') this.#acknowledgements.put(frame, this.#stamp);
    else {
      const data = stamped(frame, this.settings.clock.now());
      this.#transmit(withAcknowledgement(data, this.#acknowledgements.takeFor(frame)));
    }
  }

  /** @param frame of the link, with its time */
  #transmit(frame: Message): void {
    const { self, guarantees } = this.below;
    try {
      this.below.send(this.peer, frame);
    } catch (cause) {
      // it is sent again
      this.owner.report(cannotSend(self, this.peer, frame, { ...guarantees, loss: true }, cause));
    }
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
}

// of the link's own machine
const outboxOf = (context: object): LinkContext['outbox'] => (context as LinkContext).outbox;

const atOnce = (run: () => void): void => run();

/**
 * Milliseconds that a timer may be off: browsers round nested timers up to 4. RFC 6298 calls it G.
 */
const granularity = 5;

/** Bounds of a retransmission timeout, in milliseconds. */
interface TimeoutOptions {
  /** The timeout until a round trip has been measured. */
  readonly first: number;
  readonly least: number;
  readonly most: number;
}

/**
 * The retransmission timeout of one end of a link (RFC 6298): the smoothed round trip plus four
 * times its variation. Each timeout doubles it until the next measurement. Acknowledgements echo
 * the time of the frame that they answer (RFC 7323), so repeated frames are measured, too: Karn's
 * rule, which leaves those out, is for links that cannot tell which copy is answered.
 */
export class RetransmissionTimeout {
  /** How long to wait for an acknowledgement, in milliseconds. */
  current: number;
  #smoothed: number | undefined;
  #variation = 0;

  constructor(private readonly options: TimeoutOptions) {
    this.current = options.first;
  }

  /** A frame was acknowledged `roundTrip` ms after it was sent. */
  measured(roundTrip: number): void {
    this.#variation =
      this.#smoothed === undefined
        ? roundTrip / 2
        : 0.75 * this.#variation + 0.25 * Math.abs(this.#smoothed - roundTrip);
    this.#smoothed =
      this.#smoothed === undefined ? roundTrip : 0.875 * this.#smoothed + 0.125 * roundTrip;
    const timeout = this.#smoothed + Math.max(granularity, 4 * this.#variation);
    this.current = Math.min(Math.max(timeout, this.options.least), this.options.most);
  }

  /** Backs off: no acknowledgement came in time. */
  expired(): void {
    this.current = Math.max(this.current, Math.min(2 * this.current, this.options.most));
  }
}
