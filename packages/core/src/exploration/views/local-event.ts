import type { Command, Message, NodeId } from '../../protocol/node.js';

/** What a node reacts to. */
export type LocalEvent =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'timeout'; readonly timer: string }
  | { readonly kind: 'message'; readonly from: NodeId; readonly message: Message };
