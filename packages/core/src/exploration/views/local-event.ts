import type { ConclaveError } from '../../base/error.js';
import type { Command, Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';

/** What a node reacts to. */
export type LocalEvent =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'timeout'; readonly timer: string }
  | { readonly kind: 'message'; readonly from: NodeId; readonly message: Message };

export interface Sent {
  readonly to: NodeId;
  readonly message: Message;
}

/** A step of a node, without the numbers that views do not have; or why it fails. */
export type Taken =
  | { readonly failure?: undefined; readonly state: LocalState; readonly sends: readonly Sent[] }
  | { readonly failure: ConclaveError };
