import type { NodeId } from '../protocol/node.js';

/** One line of a trace. `before` and `after` are state texts; channel events have none. */
export interface TraceLine {
  /** Virtual milliseconds since the start; absent in untimed traces of the explorer. */
  readonly time?: number;
  readonly node: NodeId;
  /** What happened to a node, or (drop, duplicate, cut, heal) to the channel `from`→node. */
  readonly event:
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
  readonly before?: string;
  readonly after?: string;
  /** What the step made the node do. Messages are texts such as `request(1)`. */
  readonly effects: readonly (
    | { readonly kind: 'send'; readonly to: NodeId; readonly call: string }
    | { readonly kind: 'notify'; readonly call: string }
    | { readonly kind: 'choose'; readonly options: string }
    | { readonly kind: 'start'; readonly timer: string; readonly delay: number }
    | { readonly kind: 'cancel'; readonly timer: string }
  )[];
}

export type TraceEvent = TraceLine['event'];
export type TraceEffect = TraceLine['effects'][number];

/**
 * One run, from any host. `header` holds at least `protocol` and `topology`, enough to replay it.
 */
export interface Trace {
  readonly header: ReadonlyMap<string, string>;
  readonly lines: readonly TraceLine[];
}

/** A header that `JSON.stringify` keeps, as an object. */
export function headerWith(entries: Iterable<readonly [string, string]> = []): Map<string, string> {
  const header = new Map(entries);
  return Object.defineProperty(header, 'toJSON', { value: () => Object.fromEntries(header) });
}
