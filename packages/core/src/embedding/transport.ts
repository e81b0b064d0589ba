/// <reference lib="esnext.disposable" preserve="true" />
import type { Observable, ObservedValueOf } from 'rxjs';
import { badInput, type ConclaveError } from '../base/error.js';
import { largestCounter } from '../protocol/counters.js';
import type { Json, Message, NodeId } from '../protocol/node.js';
import { notPlain } from '../protocol/plain-data.js';
import type { Shape } from '../protocol/protocol.js';

/** What the medium of a transport does. `gap`: whether messages of the time before may be lost. */
export type TransportStatus =
  | { readonly state: 'up' }
  | { readonly state: 'down'; readonly reason: string }
  | { readonly state: 'resumed'; readonly gap: boolean }
  | { readonly state: 'closed'; readonly reason: string };

/** A message that arrived, not yet checked, and its sender as the link knows it. */
export interface Incoming {
  readonly from: NodeId;
  readonly message: unknown;
}

/**
 * Carries the messages of one node to and from the others. An embedded node owns its transport:
 * closing the node closes it.
 *
 * @example function webSocketTransport(self: NodeId, peer: NodeId, socket: WebSocket): Transport {
 * const close = async () => socket.close(); return { self, guarantees: { order: 'fifo', loss:
 * false, duplication: false }, received$: fromEvent<MessageEvent>(socket, 'message').pipe(map(({
 * data }) => ({ from: peer, message: JSON.parse(data) }))), send: (_to, message) =>
 * socket.send(JSON.stringify(message)), close, [Symbol.asyncDispose]: close, }; }
 */
export interface Transport extends AsyncDisposable {
  readonly self: NodeId;
  /** For the messages from one node to another, while both are up. */
  readonly guarantees: {
    /** `fifo`: what one node sends another arrives in the order it was sent. */
    readonly order: 'fifo' | 'any';
    /** Whether messages may get lost, or arrive twice. */
    readonly loss: boolean;
    readonly duplication: boolean;
    /**
     * Whether each node that crashes is reported to its neighbours by the message that is the
     * protocol's `crashNotice`. Default: no.
     */
    readonly crashes?: 'reported';
    /**
     * Whether a peer may come back as a new process while this node is up. Default: no, as within one
     * process.
     */
    readonly restarts?: boolean;
  };
  /** Must hold what arrives until its first subscriber. */
  readonly received$: Observable<{ readonly from: NodeId; readonly message: unknown }>;
  /**
   * Whether it also carries messages to and from nodes that it was not told the names of. Default:
   * no.
   */
  readonly clients?: boolean;
  /** The nodes that it was told the names of, where it reaches no others. Default: not known. */
  readonly peers?: readonly NodeId[] | undefined;
  /** Errors of the transport itself. */
  readonly errors$?: Observable<ConclaveError>;
  /**
   * The present status and each later one; completes after `closed`. A transport without it is up
   * until it is closed.
   */
  readonly status$?: Observable<TransportStatus>;
  /** Which peers can be reached, as far as the medium knows it, and each change. */
  readonly peers$?: Observable<{
    readonly peer: NodeId;
    readonly reachable: boolean;
    readonly reason?: string;
  }>;
  /**
   * How much of what arrived was refused, by reason; none of it reached `received$`. `malformed`: no
   * frame; `version`: of another version of the frame format; `network`: of another network on the
   * same medium; `stranger`: from a sender that is no peer; `misaddressed`: to another node;
   * `forged`: its authentication fails; `too-large`: longer than the limit.
   */
  readonly refused?: Readonly<
    Record<
      'malformed' | 'version' | 'network' | 'stranger' | 'misaddressed' | 'forged' | 'too-large',
      number
    >
  >;
  /**
   * Resolves when the peers have admitted this node; a node starts then. Rejects with the error
   * `refused` where they remember an earlier incarnation of it and the protocol does not tolerate
   * restarts. Without it, a node starts at once.
   */
  readonly admitted?: Promise<void> | undefined;
  /** The nodes that have not admitted this node yet; empty once it is admitted. */
  readonly awaited?: readonly NodeId[];
  /**
   * Whether what arrives comes from nodes with the same terms only, each a single process. Default:
   * no; `embed` sees to it where peers may restart.
   */
  readonly verified?: boolean;
  /**
   * Compares `terms`, what all nodes must have in common, with those of the other nodes. `embed`
   * calls it once, before it sends anything, where no peer may restart. Either it compares at once,
   * or `admitted` says afterwards whether the terms of all `peers` are the same; nothing is received
   * of a node with other terms. Default: nobody compares them there.
   *
   * @param reportWaitAfter when to report who has not been compared, in milliseconds; default 5000
   * @throws {ConclaveError} `refused` where they differ.
   */
  meet?(
    terms: Readonly<Record<string, Json>>,
    peers: readonly NodeId[],
    reportWaitAfter?: number,
  ): void;
  /** Returns at once, and before `message` arrives anywhere. */
  send(to: NodeId, message: Message): void;
  /** Sends what was passed to `send`, and accepts nothing more. */
  close(): Promise<void>;
}

export type Guarantees = Transport['guarantees'];

/** Whether a peer can be reached now, as far as the medium knows. */
export type PeerStatus = ObservedValueOf<NonNullable<Transport['peers$']>>;

/** Why what arrived was refused. */
export type RefusalReason = keyof NonNullable<Transport['refused']>;

/**
 * `value` as one of the messages (or commands) that `shapes` declares: exactly their fields, all
 * plain data, and counters where it declares them. What else the fields hold is not checked.
 *
 * @param where how the error begins, such as `Node b got from a`
 * @throws {ConclaveError} `bad-input`
 */
export function checked(shapes: Shapes, value: unknown, where: string, cure = ''): Message {
  if (isMessage(value)) {
    if (settled.get(value) === shapes) return value;
    const wrong = mistakeIn(shapes, value);
    if (wrong !== undefined) throw badInput(`${where} ${wrong}`, cure);
    if (Object.isFrozen(value) && isFlat(value)) settled.set(value, shapes);
    return value;
  }
  throw badInput(`${where} something that is not an object with a type`, cure);
}

type Shapes = Readonly<Record<string, Shape>>;

/** What cannot change after it was checked by these shapes: such as a command without fields. */
const settled = new WeakMap<Message, Shapes>();

const isFlat = (value: Message): boolean =>
  Object.values(value).every((field: unknown) => typeof field !== 'object');

const none: readonly string[] = [];

function mistakeIn(shapes: Shapes, value: Message): string | undefined {
  const { type } = value;
  const shape = Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  if (!shape) return `'${type}', which is none of ${Object.keys(shapes).join(', ')}`;
  const { fields = none, counters = none } = shape;
  for (const field of fields)
    if (!Object.hasOwn(value, field)) return `'${type}' without its field '${field}'`;
  for (const key in value)
    if (key !== 'type' && Object.hasOwn(value, key) && !fields.includes(key))
      return `'${type}' with a field '${key}', which is not declared`;
  const bad = notPlain(value);
  if (bad !== undefined) return `'${type}' whose ${bad} is not plain data`;
  const largest = largestCounter(value, counters);
  return typeof largest === 'string' ? `'${type}' whose ${largest}` : undefined;
}

export const isMessage = (value: unknown): value is Message =>
  isRecord(value) && typeof value.type === 'string';

/** Whether it is an object, and no list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
