/// <reference lib="esnext.disposable" preserve="true" />
import type { Observable } from 'rxjs';
import type { ConclaveError } from '../protocol/error.js';
import type { Message, NodeId } from '../protocol/node.js';

/** What a transport promises about the messages from one node to another, while both are up. */
export interface Guarantees {
  /** `fifo`: what one node sends another arrives in the order it was sent. */
  readonly order: 'fifo' | 'any';
  /** Whether messages may get lost, or arrive twice. */
  readonly loss: boolean;
  readonly duplication: boolean;
}

/** What came over a link: its sender as the link knows it, and whatever that one sent, not yet checked. */
export interface Incoming {
  readonly from: NodeId;
  readonly message: unknown;
}

/**
 * What carries the messages of one node to and from the others.
 *
 * Who embeds a node on a transport hands it over: closing the node closes it.
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
  /** Holds what arrives until it has a subscriber; see {@link Inbox}. */
  readonly received$: Observable<Incoming>;
  /** What goes wrong with the transport itself. */
  readonly errors$?: Observable<ConclaveError>;
  /** Returns at once, and before `message` arrives anywhere. */
  send(to: NodeId, message: Message): void;
  /** Sends what was given to `send` and takes nothing more. */
  close(): Promise<void>;
}
