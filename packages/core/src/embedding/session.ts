import { badInput } from '../base/error.js';
import { type Message, type NodeId, ofNode } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import { AdmittedTransport, Handshake } from './admitted-transport.js';
import {
  type Admission,
  type Greeting,
  type SessionContext,
  sessionProtocol,
} from './session-machine.js';
import { refusedError, refusingError, replacedError } from './session-refusals.js';
import type { Terms } from './terms.js';
import { type Guarantees, type Incoming, isRecord, type Transport } from './transport.js';

interface SessionOptions {
  /** All nodes of the network, this one too. The transport must reach all of them. */
  readonly nodes: readonly NodeId[];
  readonly terms: Terms;
  /** Larger at each start of this node than at any earlier one. */
  readonly incarnation: number;
  readonly clock?: TimerClock | undefined;
  /** As of `embed`. */
  readonly reportWaitAfter?: number | undefined;
  /**
   * On a transport with loss: how long to wait until a hello is repeated, in milliseconds; each
   * wait is twice as long as the one before, up to 2000. Default 200.
   */
  readonly helloAfter?: number;
}

/**
 * Makes a transport whose peers may come back as new processes into one on which they do not: a
 * node that comes back while another one remembers its earlier incarnation is refused, with the
 * error `refused` on both sides. All nodes must wrap their transports.
 *
 * The node is admitted when all nodes agree on the incarnations of all (a protocol of its own). A
 * complete restart is a new session. Messages from or to another incarnation are dropped; an
 * incarnation that was replaced is told so when it is heard of, and its session closes.
 */
export class Session extends AdmittedTransport {
  readonly guarantees: Guarantees;
  readonly incarnation: number;
  /** How many messages came from, or were for, another incarnation. They were dropped. */
  dropped = 0;
  protected readonly handshake: Handshake;

  constructor(
    below: Transport,
    { nodes, terms, incarnation, helloAfter = 200, clock, reportWaitAfter }: SessionOptions,
  ) {
    super(below);
    const { guarantees } = below;
    this.guarantees = { ...guarantees, restarts: false };
    this.incarnation = incarnation;
    this.handshake = new Handshake(below, {
      protocol: sessionProtocol({
        incarnation: incarnation - 1,
        terms,
        helloAfter,
        repeats: guarantees.loss ? null : 0,
      }),
      nodes,
      incarnation,
      clock,
      onError: (error) => this.report(error),
      onNotification: (news) => this.#onNews(news as Admission), // it tells nothing else
    });
    this.listen(reportWaitAfter, clock);
  }

  override get admitted(): Promise<void> {
    return this.admission;
  }

  override get awaited(): readonly NodeId[] {
    const { peers, agreed } = this.#known;
    return this.phase === 'joining' ? peers.filter((id) => !agreed.includes(id)) : [];
  }

  protected wrapped(to: NodeId, message: Message): Payload {
    const addressed = ofNode(this.#known.known, to);
    if (addressed === undefined) throw badInput(`Node ${this.self} has no session with '${to}'`);
    return { type: 'payload', incarnation: this.incarnation, addressed, message };
  }

  protected receive({ from, message }: Incoming): void {
    const payload = asPayload(message);
    if (payload) return this.#take(from, payload);
    const greeting = asGreeting(message);
    if (greeting) return this.handshake.receive(from, greeting);
    this.report(
      badInput(
        `Node ${this.self} got from ${from} what is no message of a session`,
        'Run the same version at all nodes.',
      ),
      from,
    );
  }

  get #known(): SessionContext {
    return this.handshake.context as SessionContext; // the one machine of the protocol
  }

  #take(from: NodeId, payload: Payload): void {
    const { phase, incarnation } = this;
    if (phase === 'joining') return this.hold(() => this.#take(from, payload));
    const { known, terms } = this.#known;
    const theirs = ofNode(known, from) ?? 0;
    const isOfSession = payload.incarnation === theirs && payload.addressed === incarnation;
    if (phase === 'admitted' && isOfSession)
      return this.inbox.put({ from, message: payload.message });
    this.dropped++;
    if (phase === 'ended') return;
    if (payload.addressed > incarnation)
      return this.fail(replacedError(this.self, incarnation, from, payload.addressed));
    if (payload.incarnation >= theirs) return;
    const refusal: Greeting = {
      type: 'refusal',
      incarnation,
      addressed: payload.incarnation,
      reason: 'replaced',
      known,
      terms,
    };
    this.tell(from, refusal);
  }

  #onNews(news: Admission): void {
    if (news.type === 'admitted') this.admit();
    else if (news.type === 'refused') this.fail(refusedError(this.#known, news));
    else this.report(refusingError(this.#known, news));
  }
}

/** A message of the protocol, between two incarnations. */
interface Payload {
  readonly type: 'payload';
  readonly incarnation: number;
  readonly addressed: number;
  readonly message: Message;
}

/** What a peer sent, if it is a payload. */
function asPayload(frame: unknown): Payload | undefined {
  if (!isRecord(frame) || frame.type !== 'payload') return undefined;
  return isIncarnation(frame.incarnation) &&
    isIncarnation(frame.addressed) &&
    isRecord(frame.message)
    ? (frame as unknown as Payload)
    : undefined; // as was looked at
}

/** What a peer sent, if it is a greeting whose fields the machine can take. */
function asGreeting(frame: unknown): Greeting | undefined {
  if (!isRecord(frame) || !isIncarnation(frame.incarnation) || !isKnown(frame.known))
    return undefined;
  const isOne =
    frame.type === 'welcome' ||
    (isRecord(frame.terms) &&
      (frame.type === 'hello' ||
        (frame.type === 'refusal' && isIncarnation(frame.addressed) && isReason(frame.reason))));
  return isOne ? (frame as unknown as Greeting) : undefined; // as was looked at
}

const isIncarnation = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

const isKnown = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every(isIncarnation);

const isReason = (value: unknown): boolean =>
  value === 'restarted' || value === 'replaced' || value === 'different';
