import type { Embedded } from '@conclave/core/embedding';
import {
  type Command,
  ConclaveError,
  type Json,
  type Message,
  type NodeId,
  type Protocol,
} from '@conclave/core/protocol';
import { BehaviorSubject, type Observable, Subject } from 'rxjs';
import type { Delays } from '../delays.js';
import { stableOf } from '../stable.js';
import type { Timers } from '../time-of.js';
import { valuesOf } from '../values-of.js';
import { type Waiter, type WaitOptions, Waits } from '../waits.js';
import type { Delivery, Group, View } from './member.js';
import { deliveryIn, toldBy } from './notifications.js';

type Ended = Awaited<Group['ended']>;
type StateTransfer = { get(): Json; set(state: Json): void };

interface Surroundings {
  readonly clock: Timers;
  readonly delays: Delays;
  readonly report: (error: ConclaveError) => void;
  /** Emits when another node takes this one for crashed. */
  readonly excluded: Observable<void>;
  readonly state?: StateTransfer;
}

interface Multicast {
  readonly command: Command & { readonly data: Json };
  readonly waiter: Waiter<Delivery>;
}

const noState: StateTransfer = { get: () => null, set: () => {} };

const join: Command = { type: 'join' };
const leave: Command = { type: 'leave' };

export class GroupMember implements Group {
  readonly deliveries$: Observable<Delivery>;
  readonly views$: Observable<View | undefined>;
  readonly ended: Promise<Ended>;
  readonly #deliveries = new Subject<Delivery>();
  readonly #views: BehaviorSubject<View | undefined>;
  readonly #multicasts: Waits<Delivery>;
  readonly #leaves: Waits<void>;
  /** The multicasts whose turn has not come, in the order of the calls. */
  readonly #queue: Multicast[] = [];
  /** The calls whose messages are on their way, in their order, also those that have given up. */
  readonly #sent: Waiter<Delivery>[] = [];
  /** `asked`: the node has the command. */
  #leaving: 'no' | 'wanted' | 'asked' = 'no';
  #reason: Ended | undefined;
  #resolveEnded: (reason: Ended) => void = () => {};

  constructor(
    private readonly protocol: Protocol,
    private readonly node: Embedded,
    nodes: readonly NodeId[],
    private readonly surroundings: Surroundings,
  ) {
    this.#views = new BehaviorSubject<View | undefined>(
      this.#hasViews ? undefined : { number: 1, members: nodes },
    );
    this.deliveries$ = this.#deliveries.asObservable();
    this.views$ = this.#views.asObservable();
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    const { clock, delays } = surroundings;
    this.#multicasts = new Waits(clock, {
      call: 'multicast',
      id: this.id,
      purpose: 'for its own message',
      delays,
      requireOpen: () => {
        if (this.#reason) throw this.#isOver(this.#reason);
        if (this.#leaving !== 'no')
          throw new ConclaveError('closed', `Node ${this.id} is leaving the group`);
      },
      late: (waitFor, since) => this.#isLate('delivered its own message', waitFor, since),
    });
    this.#leaves = new Waits(clock, {
      call: 'leave',
      id: this.id,
      purpose: 'to leave the group',
      delays,
      requireOpen: () => {
        if (this.#reason) throw this.#isOver(this.#reason);
      },
      late: (waitFor, since) => this.#isLate('left the group', waitFor, since),
    });
    node.notifications$.subscribe((notification) => this.#hear(notification));
    node.state$.subscribe({ next: () => this.#serve(), complete: () => this.#end('closed') });
    surroundings.excluded.subscribe(() => this.#finish('excluded'));
    const enter = () => this.#tell(join);
    if (node.takes(join)) enter();
    // `ended` and onError tell of a refusal
    else
      node.admitted.then(
        () => node.takes(join) && enter(),
        () => undefined,
      );
  }

  get id(): NodeId {
    return this.node.id;
  }

  get view(): View | undefined {
    return this.#views.value;
  }

  get stable(): Group['stable'] {
    return stableOf(this.protocol, this.node.state);
  }

  deliveries(options: { readonly signal?: AbortSignal } = {}): AsyncIterable<Delivery> {
    return valuesOf(this.deliveries$, 'every', 'deliveries', options);
  }

  [Symbol.asyncIterator](): AsyncIterator<Delivery> {
    return this.deliveries()[Symbol.asyncIterator]();
  }

  multicast(data: Json, options: WaitOptions = {}): Promise<Delivery> {
    return this.#multicasts.add(options, (waiter) => {
      this.#queue.push({ command: { type: 'multicast', data }, waiter });
      this.#serve();
    });
  }

  async leave(options: WaitOptions = {}): Promise<void> {
    if (!this.#hasViews)
      throw new ConclaveError(
        'bad-input',
        `${this.protocol.title} has fixed members: none can leave`,
        'Close the group instead.',
      );
    return this.#leaves.add(options, () => {
      if (this.#leaving === 'no') this.#leaving = 'wanted';
      this.#serve();
    });
  }

  async close(): Promise<void> {
    this.#end('closed');
    await this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #hasViews(): boolean {
    return Object.hasOwn(this.protocol.commands, leave.type);
  }

  /** Sends the multicasts whose turn has come, and then the wish to leave. */
  #serve(): void {
    for (let [next] = this.#queue; next; [next] = this.#queue) {
      const isWanted = this.#multicasts.has(next.waiter);
      if (isWanted && !this.node.takes(next.command)) return;
      this.#queue.shift();
      if (isWanted) this.#send(next);
    }
    if (this.#leaving !== 'wanted' || this.#sent.length > 0 || !this.node.takes(leave)) return;
    this.#leaving = 'asked';
    this.#tell(leave);
  }

  #send({ command, waiter }: Multicast): void {
    this.#sent.push(waiter); // before the node may deliver it
    try {
      this.node.send(command);
    } catch (error) {
      if (!(error instanceof ConclaveError)) throw error;
      this.#sent.splice(this.#sent.indexOf(waiter), 1);
      waiter.refuse(error);
    }
  }

  /** A machine that fails is reported, not thrown: the caller did nothing wrong. */
  #tell(command: Command & { readonly state?: Json }): void {
    try {
      this.node.send(command);
    } catch (error) {
      if (!(error instanceof ConclaveError)) throw error;
      this.surroundings.report(error);
    }
  }

  #hear(notification: Message): void {
    const told = toldBy(notification);
    switch (told?.type) {
      case 'deliver': {
        const delivery = deliveryIn(told);
        this.#deliveries.next(delivery);
        if (delivery.from === this.id) this.#sent.shift()?.grant(delivery);
        return this.#serve();
      }
      case 'view': {
        const { number, members, state } = told;
        if (state !== undefined) this.#ask('set', (transfer) => transfer.set(state));
        return this.#reason ? undefined : this.#views.next({ number, members });
      }
      case 'snapshot-wanted':
        return this.#ask('get', (transfer) =>
          this.#tell({ type: 'snapshot', state: transfer.get() }),
        );
      case 'left':
      case 'excluded':
        this.#finish(told.type);
    }
  }

  /**
   * Asks the application for its state, or to take it over; a node whose application fails at that
   * is closed.
   */
  #ask(what: keyof StateTransfer, ask: (transfer: StateTransfer) => void): void {
    try {
      ask(this.surroundings.state ?? noState);
    } catch (cause) {
      const failed = `The group of node ${this.id} is closed, for state.${what} failed: ${cause instanceof Error ? cause.message : String(cause)}`;
      this.surroundings.report(new ConclaveError('bad-input', failed, '', { cause }));
      this.#finish('closed');
    }
  }

  /** Ends, and closes the node. */
  #finish(reason: Ended): void {
    this.#end(reason);
    this.node.close().catch((error: unknown) => {
      if (error instanceof ConclaveError) this.surroundings.report(error);
    });
  }

  #end(reason: Ended): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#queue.length = 0;
    this.#views.next(undefined);
    this.#views.complete();
    this.#deliveries.complete();
    if (reason === 'left') this.#leaves.grantAll();
    this.#leaves.refuseAll(this.#isOver(reason));
    this.#multicasts.refuseAll(this.#isOver(reason));
    this.#resolveEnded(reason);
  }

  #isOver(reason: Ended): ConclaveError {
    if (reason === 'closed')
      return new ConclaveError('closed', `The group of node ${this.id} is closed`);
    if (reason === 'left') return new ConclaveError('closed', `Node ${this.id} has left the group`);
    return new ConclaveError(
      'lost',
      `Node ${this.id} was excluded from the group: the other members took it for crashed`,
      'Start the node again with its stable fields; it joins as a newcomer. Give the detector a longer timeout.',
    );
  }

  #isLate(what: string, waitFor: number, since: number): ConclaveError {
    const late = `Node ${this.id} has not ${what} within ${waitFor} ms`;
    return this.surroundings.delays.timedOut(this.node, late, since, {
      cure: 'Wait longer, or check that all members are up.',
    });
  }
}
