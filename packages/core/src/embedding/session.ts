import type { Observable, Subscription } from 'rxjs';
import { badInput, ConclaveError } from '../base/error.js';
import { checkOptions } from '../options/check.js';
import { sessionOptions } from '../options/embedding.js';
import { ofNode } from '../protocol/by-node.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import { Admission } from './admission.js';
import { Handshake } from './handshake.js';
import { nextIncarnation } from './incarnation.js';
import { noRefusals } from './refusal-counts.js';
import { asGreeting, asPayload, type Payload } from './session-frames.js';
import type { Admission as Admitted, Greeting, SessionContext } from './session-machine.js';
import { sessionProtocol } from './session-protocol.js';
import { refusedError, refusingError, replacedError } from './session-refusals.js';
import type { Terms } from './terms.js';
import type {
  Guarantees,
  Incoming,
  PeerStatus,
  RefusalReason,
  Transport,
  TransportStatus,
} from './transport.js';

export interface SessionOptions {
  /** All nodes of the network, this one too. The transport must reach all of them. */
  readonly nodes: readonly NodeId[];
  /**
   * What all nodes must have in common, by name, such as the name of a protocol and its options.
   */
  readonly terms: Terms;
  /**
   * Larger at each start of this node than at any earlier one. Default: the milliseconds since
   * 1970.
   */
  readonly incarnation?: number;
  /** Default: real time. */
  readonly clock?: TimerClock;
  /**
   * On a transport with loss: how long to wait until a hello is repeated, in milliseconds; each
   * wait is twice as long as the one before, up to 2000. Default 200.
   */
  readonly helloAfter?: number;
}

/** A transport on which no peer is ever seen in two incarnations. */
export interface Session extends Transport {
  readonly incarnation: number;
  readonly admitted: Promise<void>;
  /** The nodes that have not agreed yet. */
  readonly awaited: readonly NodeId[];
  /** How many messages came from, or were for, another incarnation. They were dropped. */
  readonly dropped: number;
}

/**
 * Makes a transport whose peers may come back as new processes into one on which they do not: a
 * node that comes back while another one remembers its earlier incarnation is refused, with the
 * error `refused` on both sides. All nodes must wrap their transports.
 *
 * The node is admitted when all nodes agree on the incarnations of all (a protocol of its own).
 * Send only after that. A complete restart is a new session. Messages from or to another
 * incarnation are dropped; an incarnation that was replaced is told so when it is heard of, and its
 * session closes.
 *
 * @throws {ConclaveError} `bad-input` for an option that makes no sense.
 * @example const shared = session(transport, { nodes: ['a', 'b', 'c'], terms: { program: 'shop',
 * version: 3 } }); await shared.admitted;
 */
export function session(transport: Transport, options: SessionOptions): Session {
  checkOptions('session', sessionOptions, options);
  const { self } = transport;
  if (!options.nodes.includes(self))
    throw badInput(`Node ${self} is not among the nodes of its session`, 'Name all nodes.');
  return new NodeSession(transport, options);
}

class NodeSession implements Session {
  readonly self: NodeId;
  readonly incarnation: number;
  readonly guarantees: Guarantees;
  readonly received$: Observable<Incoming>;
  readonly errors$: Observable<ConclaveError>;
  readonly status$: Observable<TransportStatus>;
  readonly peers$?: Observable<PeerStatus>;
  readonly admitted: Promise<void>;
  readonly verified = true;
  dropped = 0;
  readonly #admission: Admission;
  readonly #handshake: Handshake;
  readonly #arrivals: Subscription;
  /** What came before this node was admitted. */
  #held: { readonly from: NodeId; readonly payload: Payload }[] = [];
  #closed: Promise<void> | undefined;

  constructor(
    private readonly transport: Transport,
    options: SessionOptions,
  ) {
    const { self, peers$, guarantees } = transport;
    const { nodes, terms, incarnation = nextIncarnation(self), helloAfter = 200, clock } = options;
    this.self = self;
    this.incarnation = incarnation;
    this.guarantees = { ...guarantees, restarts: false };
    this.#admission = new Admission(self, transport);
    const { inbox, errors$, status$, admitted } = this.#admission;
    this.received$ = inbox.items$;
    this.errors$ = errors$;
    this.status$ = status$;
    this.admitted = admitted;
    if (peers$) this.peers$ = peers$;
    this.#handshake = new Handshake(transport, {
      protocol: sessionProtocol({
        incarnation: incarnation - 1,
        terms,
        helloAfter,
        repeats: guarantees.loss ? null : 0,
      }),
      nodes,
      incarnation,
      clock,
      onError: (error) => this.#admission.report(error),
      told: (told) => this.#learn(told as Admitted), // it tells nothing else
    });
    this.#arrivals = transport.received$.subscribe((incoming) => this.#receive(incoming));
  }

  get refused(): Readonly<Record<RefusalReason, number>> {
    const { refused = noRefusals } = this.transport;
    return refused;
  }

  get awaited(): readonly NodeId[] {
    const { peers, agreed } = this.#known;
    return this.#admission.phase === 'joining' ? peers.filter((id) => !agreed.includes(id)) : [];
  }

  /** @throws {ConclaveError} `closed`; `bad-input` before this node is admitted. */
  send(to: NodeId, message: Message): void {
    const { phase } = this.#admission;
    if (phase === 'joining')
      throw badInput(
        `Node ${this.self} is not admitted yet: it waits for ${this.awaited.join(', ')}`,
      );
    if (phase === 'ended')
      throw new ConclaveError('closed', `The session of node ${this.self} has ended`);
    const addressed = ofNode(this.#known.known, to);
    if (addressed === undefined) throw badInput(`Node ${this.self} has no session with '${to}'`);
    const payload: Payload = { type: 'payload', incarnation: this.incarnation, addressed, message };
    this.transport.send(to, payload);
  }

  close(): Promise<void> {
    this.#closed ??= this.#admission.end(() => {
      this.#arrivals.unsubscribe();
      this.#handshake.close();
      return this.transport.close();
    });
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #known(): SessionContext {
    return this.#handshake.context as SessionContext; // the one machine of the protocol
  }

  #receive({ from, message }: Incoming): void {
    const payload = asPayload(message);
    if (payload) return this.#take(from, payload);
    const greeting = asGreeting(message);
    if (greeting) return this.#handshake.receive(from, greeting);
    this.#admission.report(
      badInput(
        `Node ${this.self} got from ${from} what is no message of a session`,
        'Run the same version at all nodes.',
      ),
    );
  }

  #take(from: NodeId, payload: Payload): void {
    const { phase, inbox } = this.#admission;
    if (phase === 'joining') {
      this.#held.push({ from, payload });
      return;
    }
    const { known, terms } = this.#known;
    const theirs = ofNode(known, from) ?? 0;
    if (
      phase === 'admitted' &&
      payload.incarnation === theirs &&
      payload.addressed === this.incarnation
    ) {
      inbox.put({ from, message: payload.message });
      return;
    }
    this.dropped++;
    if (phase === 'ended') return;
    if (payload.addressed > this.incarnation)
      this.#fail(replacedError(this.self, this.incarnation, from, payload.addressed));
    else if (payload.incarnation < theirs) {
      const { incarnation } = this;
      const refusal: Greeting = {
        type: 'refusal',
        incarnation,
        addressed: payload.incarnation,
        reason: 'replaced',
        known,
        terms,
      };
      try {
        this.transport.send(from, refusal);
      } catch (error) {
        this.#admission.report(
          error instanceof ConclaveError
            ? error
            : badInput(`Node ${this.self} cannot refuse ${from}: ${String(error)}`),
        );
      }
    }
  }

  #learn(told: Admitted): void {
    if (told.type === 'admitted') this.#admit();
    else if (told.type === 'refused') this.#fail(refusedError(this.#known, told));
    else this.#admission.report(refusingError(this.#known, told));
  }

  #admit(): void {
    this.#admission.admit();
    for (const { from, payload } of this.#held.splice(0)) this.#take(from, payload);
  }

  #fail(error: ConclaveError): void {
    this.#held = [];
    this.#admission.fail(error);
  }
}
