import type { Command, FaultCounts, NodeId, NodeView, TimeModel } from '@conclave/core/protocol';

/** How much the environment may do, and how often each fault. What is left out does not happen. */
export interface Budget extends Partial<FaultCounts> {
  /**
   * How often each node gets each optional command, such as `acquire`. Default 1, and of a
   * bare machine `'unlimited'`. A command with
   * fields comes each time as any of its examples, and all of them together are counted. Obligatory
   * commands, such as `release`, are not counted. `'unlimited'`: at any moment, any number of times.
   * A verdict then holds without a bound, where the system has finitely many worlds.
   */
  readonly commands?: number | 'unlimited';
  /** Which nodes get optional commands. Default all. */
  readonly initiators?: readonly NodeId[];
  /**
   * The optional commands themselves, each of which is counted on its own. Default: those of the
   * protocol, with all examples. What is left out is an assumption of the result.
   */
  readonly inputs?: readonly Command[];
  /**
   * Whether crashes fall between steps only. Default false: a node may crash in the middle of a
   * step as well; it has stored the state after it, and any part of what the step sends is lost, on
   * a `fifo` channel the newest messages.
   */
  readonly atomicSteps?: boolean;
  /**
   * Whether a crash may also lose what its node sent in earlier steps and is still in flight: while
   * it is down, any of it; on a `fifo` channel the newest first. So behave links that repeat until
   * a message is acknowledged. Default false: what has left a node arrives, also after its crash.
   */
  readonly unsent?: boolean;
  /**
   * Whether a node may crash in its current state. Default: always. As a list: it carries one of
   * these tags, or has one of these roles; with `!` before it, it must not.
   *
   * @example mayCrash: ({ tags }) => tags.has('critical')
   * @example mayCrash: ['critical', 'waiting', '!coordinator']
   */
  readonly mayCrash?: ((node: NodeView) => boolean) | readonly string[];
  /**
   * What becomes of a message that its receiver's state does not handle. Default `refuse`: it is a
   * violation, and the run goes no further. `discard`: the node drops it and stays as it is; which
   * messages were discarded is an assumption of the result.
   */
  readonly unexpected?: 'refuse' | 'discard';
  /** The order of channels. Default: as the protocol assumes. */
  readonly order?: 'fifo' | 'any';
  /** When messages arrive and timers fire. Default: as the protocol assumes. */
  readonly time?: TimeModel;
}
