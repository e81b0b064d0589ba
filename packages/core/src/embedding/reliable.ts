import { AsyncSubject, merge, of, Subject, Subscription } from 'rxjs';
import { ConclaveError } from '../base/error.js';
import type { Deliver, LinkCommand, LinkContext } from '../channel/reliable/link.js';
import { type LinkOptions, reliableLink } from '../channel/reliable/protocol.js';
import { reliableOptions } from '../options/channel.js';
import { checkOptions } from '../options/check.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import { complete } from '../topology/generators.js';
import { Backlog } from './backlog.js';
import type { Embedded } from './embedded.js';
import { EmbeddedNode } from './embedded-node.js';
import { Inbox } from './inbox.js';
import { nextIncarnation } from './incarnation.js';
import { LatestAcknowledgement } from './latest-acknowledgement.js';
import { noRefusals } from './refusal-counts.js';
import { RetransmissionTimeout } from './retransmission-timeout.js';
import { replacedError } from './session-refusals.js';
import type { Guarantees, Incoming, Transport, TransportStatus } from './transport.js';
import { type Clock, wallClock } from './wall-clock.js';
import { checked } from './wire.js';

export interface ReliableOptions extends LinkOptions {
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
}

/** What the link makes up for: everything. */
const anything: Guarantees = { order: 'any', loss: true, duplication: true };

/** One end of a link, and the frames that it takes. */
interface Link {
  readonly end: Embedded<LinkCommand>;
  /**
   * What the machine has not taken yet, since its window is full: it copies its outbox at each
   * step.
   */
  readonly backlog: Backlog<LinkCommand>;
  /** Sends the acknowledgement that is held. */
  readonly flush: () => void;
  readonly receive: (incoming: Incoming) => void;
  /** Sends again now what is not acknowledged. */
  readonly retransmit: () => void;
}

/**
 * Makes a transport that may lose, duplicate and reorder messages into one that does not: one
 * {@link reliableLink} to each peer. The peers must wrap their transports, too.
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
export function reliable(transport: Transport, options: ReliableOptions = {}): Transport {
  checkOptions('reliable', reliableOptions, options);
  const {
    clock = wallClock,
    drainFor = 1000,
    leastTimeout = 10,
    mostTimeout = 2000,
    mostUnacknowledged = 100_000,
    ...others
  } = options;
  const { incarnation = nextIncarnation(transport.self), ...linkOptions } = others;
  const { retransmitAfter: first = 200, window = 32 } = linkOptions;
  const protocol = reliableLink({ incarnation, ...linkOptions, window });
  const started = incarnation + 1; // as the link counts
  const { self } = transport;
  const { soon = atOnce } = clock;
  const inbox = new Inbox();
  const errors = new Inbox<ConclaveError>();
  const links = new Map<NodeId, Link>();
  const ended$ = new AsyncSubject<TransportStatus>();
  /** A message that could not be kept: without it the transport would break its promise. */
  let overflow: ConclaveError | undefined;
  const fail = (error: ConclaveError) => {
    if (ended$.isStopped) return;
    errors.put(error);
    ended$.next({ state: 'closed', reason: error.message });
    ended$.complete();
  };

  const linkTo = (peer: NodeId): Link => {
    const known = links.get(peer);
    if (known) return known;
    const frames = new Subject<Incoming>();
    const timeout = new RetransmissionTimeout({ first, least: leastTimeout, most: mostTimeout });
    // The machine starts its one timer and knows no time; how long that timer runs is measured
    // here.
    let armed: { readonly handle: unknown; readonly fire: () => void } | undefined;
    const timers: TimerClock = {
      setTimeout: (fire, _delay, timer) => {
        const expire = () => {
          timeout.expired();
          fire();
        };
        const handle = clock.setTimeout(expire, timeout.current, timer);
        armed = { handle, fire };
        return handle;
      },
      clearTimeout: (handle) => {
        if (armed?.handle === handle) armed = undefined;
        clock.clearTimeout(handle);
      },
    };
    const retransmit = () => {
      if (!armed || end.state.value === 'idle') return;
      clock.clearTimeout(armed.handle);
      armed.fire();
    };
    /** Of the data frame that the machine takes now, for its acknowledgement. */
    let arrived: number | null = null;
    const close = async () => {};
    const acknowledgements = new LatestAcknowledgement((acknowledgement, stamp) => {
      try {
        transport.send(peer, stamped(acknowledgement, stamp));
      } catch (error) {
        errors.put(cannotAcknowledge(self, peer, error));
      }
    }, soon);
    const flush = () => acknowledgements.flush();
    const channel: Transport = {
      self,
      guarantees: anything,
      received$: frames,
      send: (to, frame) => {
        if (frame.type === 'ack') acknowledgements.put(frame, arrived);
        else transport.send(to, stamped(frame, clock.now()));
      },
      close,
      [Symbol.asyncDispose]: close,
    };
    const pair = complete([self, peer].sort());
    const end = new EmbeddedNode<LinkCommand>(protocol, pair, {
      self,
      topology: pair,
      transport: channel,
      clock: timers,
      incarnation: started,
      onError: (error) => errors.put(error),
    });
    end.notifications$.subscribe((notification) => {
      const { payload } = notification as Deliver; // a link tells nothing else
      inbox.put({ from: peer, message: payload });
    });
    const receive = ({ from, message }: Incoming) => {
      const { stamp, frame } = unstamped(message);
      const addressed = addressedBy(frame);
      if (addressed > started) return fail(replacedError(self, started, from, addressed));
      // first: the step may start the timer anew
      if (stamp !== null && answers(frame, started)) timeout.measured(clock.now() - stamp);
      arrived = stamp;
      frames.next({ from, message: frame });
    };
    const backlog = new Backlog<LinkCommand>();
    end.state$.subscribe(({ context }) => {
      for (let free = window - outboxOf(context).length; free > 0; free--) {
        const command = backlog.take();
        if (!command) return;
        end.send(command);
      }
    });
    const link = { end, backlog, flush, receive, retransmit };
    links.set(peer, link);
    return link;
  };

  const arrivals = transport.received$.subscribe((incoming) => {
    try {
      linkTo(incoming.from).receive(incoming);
    } catch (error) {
      if (!(error instanceof ConclaveError)) throw error;
      errors.put(error); // a sender whose name cannot be one
    }
  });
  const retransmitAll = () => {
    for (const { retransmit } of links.values()) retransmit();
  };
  const returns = new Subscription();
  returns.add(transport.status$?.subscribe(({ state }) => state === 'resumed' && retransmitAll()));
  returns.add(
    transport.peers$?.subscribe(
      ({ peer, reachable }) => reachable && links.get(peer)?.retransmit(),
    ),
  );

  /** Resolves when all that was sent is acknowledged, or `drainFor` has passed. */
  const drained = () =>
    new Promise<void>((resolve) => {
      const waiting = new Subscription();
      const check = () => {
        if ([...links.values()].every(isIdle)) done();
      };
      const done = () => {
        waiting.unsubscribe();
        clock.clearTimeout(handle);
        resolve();
      };
      const handle = clock.setTimeout(done, drainFor, 'drain');
      for (const { end } of links.values()) waiting.add(end.state$.subscribe(check));
    });
  const end = () => {
    arrivals.unsubscribe();
    returns.unsubscribe();
    for (const { end, flush } of links.values()) {
      flush();
      void end.close();
    }
    errors.close();
    ended$.complete();
    return transport.close();
  };
  let closed: Promise<void> | undefined;
  const close = () => {
    if (closed) return closed;
    inbox.close();
    const mustDrain =
      drainFor > 0 && !ended$.isStopped && [...links.values()].some((link) => !isIdle(link));
    closed = mustDrain ? drained().then(end) : end();
    return closed;
  };
  const {
    status$ = of<TransportStatus>({ state: 'up' }),
    peers$,
    admitted,
    guarantees,
  } = transport;
  return {
    self,
    guarantees: {
      order: 'fifo',
      loss: false,
      duplication: false,
      ...(guarantees.restarts && { restarts: true }),
    },
    received$: inbox.items$,
    errors$: transport.errors$ ? merge(transport.errors$, errors.items$) : errors.items$,
    status$: merge(status$, ended$),
    ...(peers$ && { peers$ }),
    ...(admitted && { admitted }),
    get refused() {
      return transport.refused ?? noRefusals;
    },
    send: (to, message: Message) => {
      if (closed)
        throw new ConclaveError(
          'closed',
          `The transport of node ${self} is closed; it takes no '${message.type}'`,
        );
      if (overflow) throw overflow;
      const { end, backlog } = linkTo(to);
      const waiting = outboxOf(end.state.context).length;
      if (waiting + backlog.length >= mostUnacknowledged) {
        overflow ??= new ConclaveError(
          'lost',
          `Node ${self} keeps ${mostUnacknowledged} messages that ${to} has not acknowledged; '${message.type}' is lost, and the transport closes`,
          'Start both nodes again, or raise mostUnacknowledged.',
        );
        const error = overflow;
        queueMicrotask(() => fail(error)); // after the step that sends: a host may stop in it
        throw error;
      }
      const command: LinkCommand = { type: 'transmit', payload: { ...message } };
      if (waiting < window && backlog.length === 0) end.send(command);
      else {
        checked(protocol.commands, command, `The link of node ${self} to ${to} got the command`);
        backlog.put(command);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const isIdle = ({ end, backlog }: Link): boolean =>
  end.state.value === 'idle' && backlog.length === 0;

// of the link's own machine
const outboxOf = (context: object): LinkContext['outbox'] => (context as LinkContext).outbox;

function cannotAcknowledge(self: NodeId, peer: NodeId, cause: unknown): ConclaveError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ConclaveError('closed', `Node ${self} cannot send 'ack' to ${peer}: ${why}`, '', {
    cause,
  });
}

const atOnce = (run: () => void): void => run();

const stamped = (frame: Message, stamp: number | null) => ({ ...frame, stamp });

/**
 * A frame as its machine sent it, and when it was sent; anything else stays as it is, and the link
 * refuses it.
 */
function unstamped(message: unknown): { readonly stamp: number | null; readonly frame: unknown } {
  if (typeof message !== 'object' || message === null || !('stamp' in message))
    return { stamp: null, frame: message };
  const { stamp, ...frame } = message;
  return { stamp: typeof stamp === 'number' ? stamp : null, frame };
}

/** The incarnation of this node that a frame is for; 0 while the peer knows none. */
const addressedBy = (frame: unknown): number =>
  typeof frame === 'object' &&
  frame !== null &&
  'addressed' in frame &&
  typeof frame.addressed === 'number'
    ? frame.addressed
    : 0;

/**
 * Whether it acknowledges a frame of this incarnation: the stamps of another one may come from
 * another clock.
 */
const answers = (frame: unknown, incarnation: number): boolean =>
  typeof frame === 'object' &&
  frame !== null &&
  'next' in frame &&
  'addressed' in frame &&
  frame.addressed === incarnation;
