import { defer, from, merge, type Observable, ReplaySubject, Subject } from 'rxjs';
import { badInput, ConclaveError } from '../base/error.js';
import type { Message, NodeId } from '../protocol/node.js';
import { Inbox, transportClosed } from './inbox.js';
import { isReported } from './repeats.js';
import {
  type Incoming,
  isMessage,
  type PeerStatus,
  type RefusalReason,
  type Transport,
  type TransportStatus,
} from './transport.js';
import { noRefusals } from './transport-layer.js';

const defaultMaxBytes = 1 << 20;

/** What each transport over a network takes. */
export interface NetworkOptions {
  readonly self: NodeId;
  /** The other nodes: nothing is sent to, or taken from, anybody else. */
  readonly peers: readonly NodeId[];
  /**
   * The name of the network, such as `shop`: nodes of other networks on the same medium are
   * strangers.
   */
  readonly network: string;
  /** The longest frame that is sent or taken, in bytes. Default 1 MiB. */
  readonly maxBytes?: number;
}

/** The client of a medium, as {@link NetworkTransport} uses it. */
export interface Medium {
  readonly guarantees: Transport['guarantees'];
  /**
   * Whether it learns which peers can be reached, and calls `peer`. Default: no; then the transport
   * has no `peers$`.
   */
  readonly knowsPeers?: boolean;
  /**
   * How many frames it has dropped, where it counts that: whose receiver could not be reached, and
   * since too much waited to be sent.
   */
  readonly dropped?: { readonly unreachable: number; readonly full: number };
  /**
   * Hands `frame` to the medium, or drops it where the medium is down and the transport declares
   * loss. Returns at once.
   */
  send(to: NodeId, frame: string): void;
  /** Hands over what was sent, and disconnects. */
  close(): Promise<void>;
}

/**
 * What all transports over a network share: frames as JSON text, refusal of what is no frame of a
 * peer, counters, and status. A package for a medium brings the {@link Medium}, and calls
 * `receive`, `status`, `peer`, `refuse`, `fail` and `end`.
 */
export class NetworkTransport implements Transport {
  readonly self: NodeId;
  readonly clients: boolean;
  readonly received$: Transport['received$'];
  readonly errors$: Observable<ConclaveError>;
  readonly status$: Observable<TransportStatus>;
  readonly peers$?: NonNullable<Transport['peers$']>;
  readonly #reader: FrameReader;
  readonly #inbox = new Inbox();
  readonly #errors = new Inbox<ConclaveError>();
  /** The last one is kept for later subscribers, also after the end. */
  readonly #status = new ReplaySubject<TransportStatus>(1);
  readonly #reachability = new Subject<PeerStatus>();
  /** What was told last of each peer. */
  readonly #reachable = new Map<NodeId, PeerStatus>();
  readonly #refused: Record<RefusalReason, number> = { ...noRefusals };
  #closed: Promise<void> | undefined;

  /** @param first the status until the first call of `status` */
  constructor(
    options: NetworkOptions & {
      /** Whether the medium also reaches nodes that are no peers. Default false. */
      readonly clients?: boolean | undefined;
    },
    private readonly medium: Medium,
    first: TransportStatus = { state: 'up' },
  ) {
    const { self, peers, network, maxBytes = defaultMaxBytes, clients = false } = options;
    if (peers.includes(self))
      throw badInput(`Node ${self} is among its own peers`, 'Name the other nodes only.');
    this.self = self;
    this.clients = clients;
    this.#reader = { self, peers: new Set(peers), clients, network, maxBytes };
    this.received$ = this.#inbox.items$;
    this.errors$ = this.#errors.items$;
    this.#status.next(first);
    this.status$ = this.#status.asObservable();
    if (medium.knowsPeers)
      this.peers$ = defer(() => merge(from([...this.#reachable.values()]), this.#reachability));
  }

  get guarantees(): Transport['guarantees'] {
    return this.medium.guarantees;
  }

  /** Undefined where it reaches others, too. */
  get peers(): readonly NodeId[] | undefined {
    return this.clients ? undefined : [...this.#reader.peers];
  }

  get refused(): NonNullable<Transport['refused']> {
    return { ...this.#refused };
  }

  get dropped(): Medium['dropped'] | undefined {
    const { dropped } = this.medium;
    return dropped && { ...dropped };
  }

  /**
   * @throws {ConclaveError} `bad-input` for a node that is no peer, and a message that is too
   * large; `closed`.
   */
  send(to: NodeId, message: Message): void {
    if (this.#closed) throw transportClosed(this.self, message);
    const { peers, network, maxBytes } = this.#reader;
    if (!this.clients && !peers.has(to))
      throw badInput(
        `Node ${this.self} has no peer '${to}'`,
        `Its peers are ${[...peers].join(', ')}.`,
      );
    const frame = frameOf(network, this.self, to, message);
    if (isLonger(frame, maxBytes))
      throw badInput(
        `Node ${this.self} has a '${message.type}' of more than ${maxBytes} bytes for ${to}`,
        'Raise maxBytes at all nodes.',
      );
    this.medium.send(to, frame);
  }

  /** Takes what arrived; `from` is the sender where the medium itself knows it. */
  receive(frame: string | Uint8Array, from?: NodeId): void {
    if (this.#closed) return;
    const found = readFrame(this.#reader, frame, from);
    if ('refuse' in found) this.refuse(found.refuse, from ?? found.claims);
    else this.#inbox.put(found);
  }

  /**
   * Counts what the medium refuses by itself. Reports the first of each reason, and then each time
   * that their number is a power of ten: a flood must not flood the application.
   *
   * @param from who has sent it, or claims to; @param address where it came from, such as
   * `10.0.0.7:51234`
   */
  refuse(reason: keyof NonNullable<Transport['refused']>, from?: NodeId, address?: string): void {
    const count = ++this.#refused[reason];
    if (!isReported(count)) return;
    const who = [
      from !== undefined && `of ${JSON.stringify(from.slice(0, 60))}`,
      address !== undefined && `from ${address}`,
    ].filter(Boolean);
    const last = who.length === 0 ? '' : `, the last one ${who.join(' ')},`;
    const why =
      reason === 'stranger'
        ? `: its peers are ${[...this.#reader.peers].join(', ')}`
        : reason === 'network'
          ? `: its own is '${this.#reader.network}'`
          : '';
    this.fail(
      new ConclaveError(
        'refused',
        `Node ${this.self} has refused ${count} frames${last} as ${reason}${why}`,
        cures[reason],
      ),
    );
  }

  status(status: Exclude<TransportStatus, { state: 'closed' }>): void {
    if (!this.#closed) this.#status.next(status);
  }

  /** Tells it where it is news of a peer. */
  peer(status: {
    readonly peer: NodeId;
    readonly reachable: boolean;
    readonly reason?: string;
  }): void {
    const { peer, reachable } = status;
    if (!this.#reader.peers.has(peer) || this.#reachable.get(peer)?.reachable === reachable) return;
    this.#reachable.set(peer, status);
    this.#reachability.next(status);
  }

  /** None of the peers can be reached any longer, or yet: a medium that knows says so first. */
  noPeers(reason: string): void {
    for (const peer of this.#reader.peers) this.peer({ peer, reachable: false, reason });
  }

  /**
   * How long to wait before the medium is tried again, in milliseconds: twice as long at each
   * attempt, and shortened by up to a half at random. Nodes that lost a server at once must not come
   * back at once.
   *
   * @param attempt 0 for the first one after a success
   */
  backoff(
    attempt: number,
    { least, most }: { readonly least: number; readonly most: number },
  ): number {
    return Math.min(least * 2 ** attempt, most) * (0.5 + Math.random() / 2);
  }

  fail(error: ConclaveError): void {
    this.#errors.put(error);
  }

  close(): Promise<void> {
    return this.end(`node ${this.self} closed it`);
  }

  /** Closes it because the medium is gone for good, such as a server that refuses this node. */
  end(reason: string): Promise<void> {
    this.#closed ??= this.#end(reason);
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(reason: string): Promise<void> {
    try {
      await this.medium.close();
    } finally {
      this.#inbox.close();
      this.#status.next({ state: 'closed', reason });
      this.#status.complete();
      this.#reachability.complete();
      this.#errors.close();
    }
  }
}

const cures: Readonly<Record<RefusalReason, string>> = {
  malformed: 'Something else sends on this address.',
  version: 'Run the same version of Conclave at all nodes.',
  network: 'Give all nodes the same network.',
  stranger: 'Name all nodes as peers, or keep others off the medium.',
  misaddressed: 'Give each node an id of its own.',
  forged: 'Give all nodes the same secret, and keep others off the medium.',
  'too-large': 'Raise maxBytes at all nodes.',
};

/** The version of the frame format. */
const version = 1;

/**
 * The text that carries `message` from one node of `network` to another. A frame is taken only if
 * it is this text, byte for byte.
 *
 * Such as `[1,"shop","a","b",{"type":"request","ts":1}]`.
 */
export const frameOf = (network: string, from: NodeId, to: NodeId, message: Message): string =>
  JSON.stringify([version, network, from, to, message]);

/** Who reads frames, and which. */
interface FrameReader {
  readonly self: NodeId;
  readonly peers: ReadonlySet<NodeId>;
  /** Whether others may send, too. */
  readonly clients?: boolean;
  readonly network: string;
  readonly maxBytes: number;
}

/**
 * What a frame says, or why it is refused, and who it claims to be from.
 *
 * @param known the sender, where the medium itself knows it
 */
function readFrame(
  { self, peers, clients = false, network, maxBytes }: FrameReader,
  frame: string | Uint8Array,
  known: NodeId | undefined,
): Incoming | { readonly refuse: RefusalReason; readonly claims?: NodeId } {
  if (typeof frame === 'string' ? isLonger(frame, maxBytes) : frame.length > maxBytes)
    return { refuse: 'too-large' };
  const { text, value } = jsonOf(frame);
  if (!Array.isArray(value) || value.length !== 5) return malformed;
  const [itsVersion, itsNetwork, from, to, message] = value as readonly unknown[];
  if (itsVersion !== version)
    return typeof itsVersion === 'number' ? { refuse: 'version' } : malformed;
  if (
    typeof itsNetwork !== 'string' ||
    typeof from !== 'string' ||
    typeof to !== 'string' ||
    !isMessage(message)
  )
    return malformed;
  const claims = from;
  if (itsNetwork !== network) return { refuse: 'network', claims };
  if (to !== self) return { refuse: 'misaddressed', claims };
  if (!clients && !peers.has(from)) return { refuse: 'stranger', claims };
  if (known !== undefined && known !== from) return { refuse: 'forged', claims };
  return isExact(value, text) ? { from, message } : malformed;
}

const malformed = { refuse: 'malformed' } as const;

/** Whether `text` takes more than `bytes` in UTF-8, where a UTF-16 unit takes one to three. */
const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Nothing where `frame` is no JSON in UTF-8. */
function jsonOf(frame: string | Uint8Array): { readonly text?: string; readonly value?: unknown } {
  try {
    const text = typeof frame === 'string' ? frame : utf8.decode(frame);
    return { text, value: JSON.parse(text) };
  } catch {
    return {};
  }
}

/**
 * Whether `text` is how `JSON.stringify` writes `value`: there is one text for the same data, and
 * no key comes twice.
 */
function isExact(value: unknown, text: string | undefined): boolean {
  try {
    return JSON.stringify(value) === text;
  } catch {
    return false; // nested too deeply
  }
}
