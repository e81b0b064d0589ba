import type { NodeId } from '../protocol/node.js';

/** What happened to a node, or (drop, duplicate, cut, heal) to the channel `from`→node. */
export type TraceEvent =
  | { readonly kind: 'start' | 'crash' | 'restart' }
  | { readonly kind: 'command'; readonly call: string }
  | {
      readonly kind: 'deliver' | 'drop' | 'duplicate';
      readonly call: string;
      readonly from: NodeId;
    }
  | { readonly kind: 'cut' | 'heal'; readonly from: NodeId }
  | { readonly kind: 'timeout'; readonly timer: string }
  | { readonly kind: 'chosen'; readonly value: string };

/** What a step made the node do. Messages are texts such as `request(1)`. */
export type TraceEffect =
  | { readonly kind: 'send'; readonly to: NodeId; readonly call: string }
  | { readonly kind: 'notify'; readonly call: string }
  | { readonly kind: 'choose'; readonly options: string }
  | { readonly kind: 'start'; readonly timer: string; readonly delay: number }
  | { readonly kind: 'cancel'; readonly timer: string };

/** One line of a trace. `before` and `after` are state texts; channel events have none. */
export interface TraceLine {
  /** Virtual milliseconds since the start; absent in untimed traces of the explorer. */
  readonly time?: number;
  readonly node: NodeId;
  readonly event: TraceEvent;
  readonly before?: string;
  readonly after?: string;
  readonly effects: readonly TraceEffect[];
}

/**
 * One run, from any host. `header` holds at least `protocol` and `topology`, enough to replay it.
 */
export interface Trace {
  readonly header: ReadonlyMap<string, string>;
  readonly lines: readonly TraceLine[];
}
