/**
 * A group for its program: the calls become commands of the node's machine, and what the machine
 * notifies becomes the streams of deliveries and views.
 */
import { type Embedded, type EmbedOptions, embed } from '@conclave/core/embedding';
import { checkOptions, printError, schemas } from '@conclave/core/internal';
import { surroundingsOf } from '@conclave/core/internal/embedding';
import {
  type Command,
  ConclaveError,
  type Json,
  type Message,
  type NodeId,
  type Protocol,
} from '@conclave/core/protocol';
import { BehaviorSubject, type Observable, Subject } from 'rxjs';
import { errorForUser } from '../error-for-user.js';
import { Connections, Delays } from '../health.js';
import { withReports } from '../reporting-transport.js';
import { stableOf, startedFrom } from '../stable.js';
import { valuesOf } from '../values-of.js';
import { type Timers, type Waiter, type WaitOptions, Waits } from '../waits.js';

/** A message that a member has delivered to its application. */
export interface Delivery {
  /** The member that multicast it. */
  readonly from: NodeId;
  /** 1, 2, 3 … for the messages of one sender. */
  readonly sequence: number;
  readonly data: Json;
  /** The number of the view in which it was delivered; undefined for a protocol without views. */
  readonly view?: number;
}

/** A member of a group. Iterating it is {@link Group.deliveries} without options. */
export interface Group extends AsyncDisposable, AsyncIterable<Delivery> {
  readonly id: NodeId;
  /**
   * Sends `data` to the group, and waits until this member has delivered it itself: what the
   * protocol promises about delivered messages holds for it from then on. The messages of one
   * member are sent in the order of the calls; before this node is a member, none is.
   *
   * A message that was sent cannot be withdrawn: after a wait that ended early it is still
   * delivered. One whose turn has not come is not sent.
   *
   * @throws {ConclaveError} `aborted` (its `cause` is the signal's reason), `timed-out`, `closed`,
   * `lost` (this node was excluded; the others may have delivered the message or not); `bad-input`
   * for data that is not plain, or a `waitFor` that is no time.
   */
  multicast(data: Json, options?: WaitOptions): Promise<Delivery>;
  /**
   * Each later delivery: subscribe at once, to miss none. Completes when this node is a member no
   * longer.
   */
  readonly deliveries$: Observable<Delivery>;
  /**
   * Each delivery from the reader's first `next` on. A slow reader misses none: those that it has
   * not read are kept. Ends when this node is a member no longer and all are read, or when the
   * signal aborts.
   */
  deliveries(options?: { readonly signal?: AbortSignal }): AsyncIterable<Delivery>;
  /** Who is in the group, in the present view; undefined while this node is no member. */
  readonly view:
    | {
        /** Larger in each later view. */
        readonly number: number;
        readonly members: readonly NodeId[];
      }
    | undefined;
  /**
   * The present view and each later one; undefined while this node is no member. Completes when it
   * is a member no longer.
   */
  readonly views$: Observable<Group['view']>;
  /**
   * Why this node is a member no longer; resolves then.
   *
   * - `left`: it wanted to leave.
   * - `excluded`: the others have gone on without it, since they took it for crashed.
   * - `closed`: this program has closed it, or its machine failed.
   */
  readonly ended: Promise<'left' | 'excluded' | 'closed'>;
  /**
   * What this node must not forget: store it with each view, and pass it to the next start of the
   * node.
   */
  readonly stable: Readonly<Record<string, Json>>;
  /**
   * Leaves the group, when the messages of this member are delivered, and closes the node. From the
   * call on it takes no more messages. A leave cannot be withdrawn: after a wait that ended early
   * it goes on.
   *
   * @throws {ConclaveError} `aborted`, `timed-out`, `closed`, `lost`; `bad-input` for a protocol
   * whose members are fixed.
   */
  leave(options?: WaitOptions): Promise<void>;
  /**
   * Ends all waits with the error `closed`, and closes the node. To the other members this is a
   * crash.
   */
  close(): Promise<void>;
}

/** As for `embed`: the node, the other nodes, and how it reaches them. */
export type GroupOptions = EmbedOptions & {
  /**
   * For a protocol that assumes a network which reports crashes: reports a node that is silent,
   * such as `heartbeat({ period, timeout })`, over the same transport. All nodes must give one. Its
   * time-out must be longer than any silence of a live node: a member that is suspected by mistake
   * is excluded, and ends when it learns of it; until then it may go on in its old view. Where the
   * network is split, each part goes on by itself.
   */
  readonly detector?: Protocol;
  /**
   * Hands the state of the application to newcomers, with `membership({ stateTransfer: true })`.
   * `get` is called at a member and `set` at each newcomer, both with the same messages delivered
   * before, so apply deliveries at once: in a subscriber of `deliveries$`, not in an iteration.
   * Default: they get none.
   */
  readonly state?: { get(): Json; set(state: Json): void };
  /**
   * For a node that starts again: what {@link Group.stable} was. Without it, a node that comes back
   * takes itself for a founder of the group.
   */
  readonly stable?: Readonly<Record<string, Json>>;
};

/**
 * A group of several programs that multicast messages to each other, by any protocol that has the
 * command `multicast`.
 *
 * What the members may rely on is what the protocol promises: that all live members deliver the
 * same messages, in which order, and in which views. Where the protocol has views, the node joins
 * the group if it is no founder; where it has none, all nodes are members for good.
 *
 * @throws {ConclaveError} `bad-input` for a protocol without multicasts, and as `embed`.
 * @example await using chat = group(membership(), { self: 'a', peers: ['b', 'c'], transport,
 * detector: heartbeat({ period: 1000, timeout: 5000 }) }); chat.deliveries$.subscribe(({ from, data
 * }) => console.log(from, data)); await chat.multicast('hello');
 */
export function group(protocol: Protocol, options: GroupOptions): Group {
  checkOptions('group', schemas.protocolGiven, { protocol });
  checkOptions('group', groupOptions, options);
  requireMulticast(protocol);
  const { detector, state, stable, ...embedding } = options;
  if (state && protocol.options?.stateTransfer !== true)
    throw new ConclaveError(
      'bad-input',
      `${protocol.title}, with these options, hands over no state`,
      'Try membership({ stateTransfer: true }).',
    );
  const { self, clock, onError = printError } = embedding;
  const topology = surroundingsOf(self, options);
  const started = startedFrom(stable, protocol);
  const delays = new Delays(started, topology, new Connections(options.transport));
  const reportFor = (whose: Protocol) => (error: ConclaveError) => {
    delays.heard(error);
    onError(errorForUser(error, whose, 'group'));
  };
  const report = reportFor(protocol);
  const excluded = new Subject<void>();
  const surroundings = {
    onReported: () => excluded.next(),
    onError: detector ? reportFor(detector) : report,
  };
  const node = withReports(protocol, embedding, detector, surroundings, (watched) =>
    embed(started, { ...watched, onError: report }),
  );
  return new GroupMember(started, node, topology.nodes, {
    clock: clock ?? globalThis,
    delays,
    excluded,
    report,
    ...(state && { state }),
  });
}

function requireMulticast({ title, problem, commands }: Protocol): void {
  if (commands.multicast?.fields?.join() !== 'data')
    throw new ConclaveError(
      'bad-input',
      `${title} solves '${problem}'; a group needs a protocol with the command multicast(data)`,
      'Try membership(); for a lock, call lock(protocol, options).',
    );
}

const { optional, optionsOf } = schemas;
const groupOptions = optionsOf<GroupOptions>({
  ...schemas.embedEntries,
  detector: optional(schemas.protocol),
  state: optional(schemas.fields),
  stable: optional(schemas.fields),
});

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

class GroupMember implements Group {
  readonly deliveries$: Observable<Delivery>;
  readonly views$: Observable<Group['view']>;
  readonly ended: Promise<Ended>;
  readonly #deliveries = new Subject<Delivery>();
  readonly #views: BehaviorSubject<Group['view']>;
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
    this.#views = new BehaviorSubject<Group['view']>(
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

  get view(): Group['view'] {
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

/** What a node of a group tells, as far as the group listens. */
type Told =
  | ({ readonly type: 'deliver' } & Delivery)
  | ({ readonly type: 'view'; readonly state?: Json } & NonNullable<Group['view']>)
  | { readonly type: 'snapshot-wanted' | 'left' | 'excluded' };

const types: readonly string[] = [
  'deliver',
  'view',
  'snapshot-wanted',
  'left',
  'excluded',
] satisfies readonly Told['type'][];

/** Undefined for another notification of the protocol. */
const toldBy = (notification: Message): Told | undefined =>
  // as the protocols of groups tell it
  types.includes(notification.type) ? (notification as Told) : undefined;

/** A delivery without the rest of its notification. */
const deliveryIn = ({
  from,
  sequence,
  data,
  view,
}: { readonly from: NodeId } & Delivery): Delivery => ({
  from,
  sequence,
  data,
  ...(view === undefined ? {} : { view }),
});
