import type { Command, NodeId } from '../../protocol/node.js';
import type { NodeView } from '../../protocol/property.js';
import type { TimeModel } from '../../protocol/time.js';

/** How much the environment may do. What is left out does not happen. */
export interface Budget {
  /**
   * How often each node gets each optional command, such as `acquire`. Default 1. A command with fields comes each time as any of its examples, and
   * all of them together are counted. Obligatory commands, such as `release`, are not counted.
   */
  readonly commands?: number;
  /** Which nodes get optional commands. Default all. */
  readonly initiators?: readonly NodeId[];
  /**
   * The optional commands themselves, each of which is counted on its own. Default: those of the protocol, with all examples. What is left out is an
   * assumption of the result.
   */
  readonly inputs?: readonly Command[];
  /** How many messages may be lost, and how many duplicated. */
  readonly losses?: number;
  readonly duplications?: number;
  readonly crashes?: number;
  readonly restarts?: number;
  /**
   * Whether a crash may lose what the node sent last: on each of its channels any number of the messages in flight, the newest first. So a node may
   * crash in the middle of sending to several others. For a protocol with a `crashNotice`, on `fifo` channels. Default false: all arrive.
   */
  readonly unsent?: boolean;
  /**
   * Whether a node may crash in its current state. Default: always.
   *
   * @example mayCrash: ({ tags }) => tags.has('critical')
   */
  readonly mayCrash?: (node: NodeView) => boolean;
  /** How often the network may split into any two parts; it may heal at any time, or never. */
  readonly partitions?: number;
  /** The order of channels. Default: as the protocol assumes. */
  readonly order?: 'fifo' | 'any';
  /** When messages arrive and timers fire. Default: as the protocol assumes. */
  readonly time?: TimeModel;
}
