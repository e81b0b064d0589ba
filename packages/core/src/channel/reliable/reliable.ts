import { merge, Subject } from 'rxjs';
import { type Embedded, embed } from '../../embedding/embed.js';
import { Inbox } from '../../embedding/inbox.js';
import type { Guarantees, Incoming, Transport } from '../../embedding/transport.js';
import { wallClock } from '../../embedding/wall-clock.js';
import { reliableOptions } from '../../options/channel.js';
import { checkOptions } from '../../options/check.js';
import { ConclaveError } from '../../protocol/error.js';
import type { Message, NodeId } from '../../protocol/node.js';
import type { TimerClock } from '../../protocol/node-timers.js';
import type { Deliver, LinkCommand } from './link.js';
import { type LinkOptions, reliableLink } from './protocol.js';

export interface ReliableOptions extends LinkOptions {
  /** Default: the time of day. */
  readonly clock?: TimerClock;
  /** Larger at each start of this node than at any earlier one. Default: the milliseconds since 1970. */
  readonly incarnation?: number;
}

const anything: Guarantees = { order: 'any', loss: true, duplication: true };

/**
 * Makes a transport that may lose, repeat and reorder into one that does not: one {@link reliableLink} to each peer, whose other end must
 * be wrapped too.
 *
 * While a node and its peer stay up, each message arrives once, in the order it was sent. Across a crash:
 * - What the crashed node had sent and was not yet delivered is lost with it.
 * - What was sent to the crashed node and not yet acknowledged is sent again when it is back: its former self may have taken it already.
 *
 * What is sent to a node that is down is kept, and repeated every `retransmitAfter` ms, for as long as it takes.
 *
 * @example embed(protocol, { self, peers, transport: reliable(broadcastChannelTransport(self, 'shop')) });
 */
export function reliable(transport: Transport, options: ReliableOptions = {}): Transport {
  checkOptions('reliable', reliableOptions, options);
  const { clock = wallClock, incarnation = Date.now(), ...rest } = options;
  const protocol = reliableLink({ incarnation, ...rest });
  const { self } = transport;
  const inbox = new Inbox<Incoming>();
  const errors = new Inbox<ConclaveError>();
  const links = new Map<NodeId, { readonly end: Embedded<LinkCommand>; readonly frames: Subject<Incoming> }>();

  const linkTo = (peer: NodeId) => {
    const known = links.get(peer);
    if (known) return known;
    const frames = new Subject<Incoming>();
    const close = async () => {};
    const channel: Transport = {
      self,
      guarantees: anything,
      received$: frames,
      send: (to, frame) => transport.send(to, frame),
      close,
      [Symbol.asyncDispose]: close,
    };
    const end = embed(protocol, { self, peers: [peer], transport: channel, clock, onError: (error) => errors.put(error) });
    end.notifications$.subscribe((notification) => {
      const { payload } = notification as Deliver; // a link tells nothing else
      inbox.put({ from: peer, message: payload });
    });
    const link = { end, frames };
    links.set(peer, link);
    return link;
  };

  const arrivals = transport.received$.subscribe((incoming) => {
    try {
      linkTo(incoming.from).frames.next(incoming);
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
