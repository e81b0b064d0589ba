import { merge, Subject } from 'rxjs';
import type { Deliver, LinkCommand } from '../channel/reliable/link.js';
import { type LinkOptions, reliableLink } from '../channel/reliable/protocol.js';
import { reliableOptions } from '../options/channel.js';
import { checkOptions } from '../options/check.js';
import { ConclaveError } from '../protocol/error.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import { complete } from '../topology/generators.js';
import { type Embedded, EmbeddedNode } from './embedded-node.js';
import { Inbox } from './inbox.js';
import { RetransmissionTimeout } from './retransmission-timeout.js';
import type { Guarantees, Incoming, Transport } from './transport.js';
import { type Clock, wallClock } from './wall-clock.js';

export interface ReliableOptions extends LinkOptions {
  /** Default: real time. */
  readonly clock?: Clock;
  /** Larger at each start of this node than at any earlier one. Default: the milliseconds since 1970. */
  readonly incarnation?: number;
  /** How long to wait for an acknowledgement until a round trip has been measured, in milliseconds. Default 200. */
  readonly retransmitAfter?: number;
  /** The wait follows the measured round trip, but is never shorter. In milliseconds; default 10. */
  readonly leastTimeout?: number;
  /** Each wait without an answer is twice as long as the one before, up to this. In milliseconds; default 2000. */
  readonly mostTimeout?: number;
}

/** What the link makes up for: everything. */
const anything: Guarantees = { order: 'any', loss: true, duplication: true };

/** One end of a link, and the frames that it takes. */
interface Link {
  readonly end: Embedded<LinkCommand>;
  readonly receive: (incoming: Incoming) => void;
}

/**
 * Makes a transport that may lose, duplicate and reorder messages into one that does not: one {@link reliableLink} to each peer. The peers
 * must wrap their transports, too.
 *
 * While a node and its peer stay up, each message arrives once, in the order it was sent. Across a crash:
 * - What the crashed node had sent and was not yet delivered is lost.
 * - What was sent to the crashed node and not yet acknowledged is sent again after its restart: the node may have taken it before the crash.
 *
 * What is sent to a node that is down is kept, and retransmitted until the node is back. The retransmission timeout follows the measured
 * round trip (RFC 6298).
 *
 * @example embed(protocol, { self, peers, transport: reliable(broadcastChannelTransport(self, 'shop')) });
 */
export function reliable(transport: Transport, options: ReliableOptions = {}): Transport {
  checkOptions('reliable', reliableOptions, options);
  const { clock = wallClock, incarnation = Date.now(), leastTimeout = 10, mostTimeout = 2000, ...linkOptions } = options;
  const { retransmitAfter: first = 200 } = linkOptions;
  const protocol = reliableLink({ incarnation, ...linkOptions });
  const started = incarnation + 1; // as the link counts
  const { self } = transport;
  const inbox = new Inbox();
  const errors = new Inbox<ConclaveError>();
  const links = new Map<NodeId, Link>();

  const linkTo = (peer: NodeId): Link => {
    const known = links.get(peer);
    if (known) return known;
    const frames = new Subject<Incoming>();
    const timeout = new RetransmissionTimeout({ first, least: leastTimeout, most: mostTimeout });
    // The machine starts its one timer and knows no time; how long that timer runs is measured here.
    const timers: TimerClock = {
      setTimeout: (fire, _delay, timer) => {
        const expire = () => {
          timeout.expired();
          fire();
        };
        return clock.setTimeout(expire, timeout.current, timer);
      },
      clearTimeout: (handle) => clock.clearTimeout(handle),
    };
    /** Of the data frame that the machine takes now, for its acknowledgement. */
    let arrived: number | null = null;
    const close = async () => {};
    const channel: Transport = {
      self,
      guarantees: anything,
      received$: frames,
      send: (to, frame) => transport.send(to, stamped(frame, frame.type === 'data' ? clock.now() : arrived)),
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
      if (stamp !== null && answers(frame, started)) timeout.measured(clock.now() - stamp); // first: the step may start the timer anew
      arrived = stamp;
      frames.next({ from, message: frame });
    };
    const link = { end, receive };
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
  const close = async () => {
    arrivals.unsubscribe();
    for (const { end } of links.values()) void end.close();
    inbox.close();
    await transport.close();
  };
  return {
    self,
    guarantees: { order: 'fifo', loss: false, duplication: false },
    received$: inbox.items$,
    errors$: transport.errors$ ? merge(transport.errors$, errors.items$) : errors.items$,
    send: (to, message: Message) => linkTo(to).end.send({ type: 'transmit', payload: { ...message } }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const stamped = (frame: Message, stamp: number | null) => ({ ...frame, stamp });

/** A frame as its machine sent it, and when it was sent; anything else stays as it is, and the link refuses it. */
function unstamped(message: unknown): { readonly stamp: number | null; readonly frame: unknown } {
  if (typeof message !== 'object' || message === null || !('stamp' in message)) return { stamp: null, frame: message };
  const { stamp, ...frame } = message;
  return { stamp: typeof stamp === 'number' ? stamp : null, frame };
}

/** Whether it acknowledges a frame of this incarnation: the stamps of another one may come from another clock. */
const answers = (frame: unknown, incarnation: number): boolean =>
  typeof frame === 'object' && frame !== null && 'next' in frame && 'addressed' in frame && frame.addressed === incarnation;
