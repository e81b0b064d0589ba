/// <reference lib="esnext.disposable" preserve="true" />
import type { Observable } from 'rxjs';
import type { ConclaveError } from '../protocol/error.js';
import type { Message, NodeId } from '../protocol/node.js';

/** The guarantees of a transport for the messages from one node to another, while both are up. */
export interface Guarantees {
  /** `fifo`: what one node sends another arrives in the order it was sent. */
  readonly order: 'fifo' | 'any';
  /** Whether messages may get lost, or arrive twice. */
  readonly loss: boolean;
  readonly duplication: boolean;
  /** Whether each node that crashes is reported to its neighbours by the message that is the protocol's `crashNotice`. Default: no. */
  readonly crashes?: 'reported';
}

/** A message that arrived, not yet checked, and its sender as the link knows it. */
export interface Incoming {
  readonly from: NodeId;
  readonly message: unknown;
}

/**
 * Carries the messages of one node to and from the others. An embedded node owns its transport: closing the node closes it.
 *
 * @example
 * function webSocketTransport(self: NodeId, peer: NodeId, socket: WebSocket): Transport {
 *   const close = async () => socket.close();
 *   return {
 *     self,
 *     guarantees: { order: 'fifo', loss: false, duplication: false },
 *     received$: fromEvent<MessageEvent>(socket, 'message').pipe(map(({ data }) => ({ from: peer, message: JSON.parse(data) }))),
 *     send: (_to, message) => socket.send(JSON.stringify(message)),
 *     close,
 *     [Symbol.asyncDispose]: close,
 *   };
 * }
 */
export interface Transport extends AsyncDisposable {
  readonly self: NodeId;
  readonly guarantees: Guarantees;
  /** Must hold what arrives until its first subscriber. */
  readonly received$: Observable<Incoming>;
  /** Errors of the transport itself. */
  readonly errors$?: Observable<ConclaveError>;
  /** Returns at once, and before `message` arrives anywhere. */
  send(to: NodeId, message: Message): void;
  /** Sends what was passed to `send`, and accepts nothing more. */
  close(): Promise<void>;
}
