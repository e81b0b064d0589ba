import { flag, type OptionSchemas, oneOf, time, whole } from '../../options.js';

export type Options = {
  /**
   * `total`: all members deliver all messages in the same order; `fifo`: those of each sender.
   * Default `total`.
   */
  readonly order?: 'total' | 'fifo';
  /**
   * How many nodes, the smallest first, are the members of view 1; the others may join. Default:
   * all.
   */
  readonly founders?: number;
  /**
   * A member acknowledges each `window`-th message of a sender, so that members can forget. Default
   * 16.
   */
  readonly window?: number;
  /**
   * Whether a newcomer gets the state of the application, which the coordinator asks its own
   * application for. Default false.
   */
  readonly stateTransfer?: boolean;
  /**
   * Whether nodes find out about crashes by heartbeats, instead of the network's reports. Default
   * false.
   */
  readonly detector?: boolean;
  /**
   * With `detector`: the time between two heartbeats, in milliseconds; in real time at least 10.
   * Default 100.
   */
  readonly period?: number;
  /**
   * With `detector`: after how many milliseconds without a heartbeat a node counts as crashed; in
   * real time at least 10 more than `period`. Default 200.
   */
  readonly silence?: number;
};

export const membershipOptions: OptionSchemas<Options> = {
  order: oneOf(
    ['total', 'fifo'],
    'the order of deliveries: total, or fifo, that of each sender only',
  ),
  founders: whole(1, 'how many nodes, the smallest first, are the members of view 1'),
  window: whole(
    1,
    'members acknowledge each message of a sender whose position is a multiple of this',
  ),
  stateTransfer: flag('newcomers get the state of the application'),
  detector: flag('nodes find out about crashes by heartbeats, instead of reports of the network'),
  period: time('with detector: the time between two heartbeats'),
  silence: time('with detector: after how long without a heartbeat a node counts as crashed'),
};
