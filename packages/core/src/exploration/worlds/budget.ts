import type { Command, NodeId } from '../../protocol/node.js';
import type { NodeView } from '../../protocol/property.js';

/** How much the environment may still do. What is left out may not happen at all. */
export interface Budget {
  /** Wishes per node and command, such as `acquire`. Default 1. Duties, such as `release`, are free. */
  readonly commands?: number;
  /** Which nodes may wish. Default all. */
  readonly initiators?: readonly NodeId[];
  /** The wishes themselves. Default: each `wish` of the protocol that carries nothing, and the first example of those that do. */
  readonly inputs?: readonly Command[];
  /** How many messages may be lost, and how many doubled. */
  readonly losses?: number;
  readonly duplications?: number;
  readonly crashes?: number;
  readonly restarts?: number;
  /**
   * Whether a node may crash where it is now: while it waits, say, or if it is the coordinator. Default: each may, anywhere.
   *
   * @example mayCrash: ({ tags }) => tags.has('critical')
   */
  readonly mayCrash?: (node: NodeView) => boolean;
  /** How many times the network may split in two, any two parts; whether and when it heals is open. */
  readonly partitions?: number;
  /** How channels keep their order. Default: as the protocol assumes. */
  readonly order?: 'fifo' | 'any';
  /** Whether a timer may fire at any moment, or only when messages that take a bounded time allow it; see {@link Timing}. Default: as the protocol assumes. */
  readonly time?: 'untimed' | 'bounded';
  /** With `bounded`: how long a message may take, in milliseconds. Default 100. */
  readonly delay?: number;
}
