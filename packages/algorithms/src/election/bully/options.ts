import { flag, type OptionSchemas, time } from '../../options.js';

export type Options = {
  /**
   * How long, in milliseconds, a node waits for an answer: longer than the longest round trip; in
   * real time at least 10. Default 250.
   */
  readonly timeout?: number;
  /**
   * Whether a node holds an election as it starts for the first time, too. Default false: it waits
   * for `elect` or a message.
   */
  readonly electAtStart?: boolean;
  /**
   * Whether nodes watch the larger ones by heartbeats, and hold an election when they suspect the
   * leader. Default false.
   */
  readonly detector?: boolean;
  /**
   * With `detector`: the time between two heartbeats, in milliseconds; in real time at least 10.
   * Default 100.
   */
  readonly period?: number;
  /**
   * With `detector`: after how many milliseconds without a heartbeat a node is suspected; in real
   * time at least 10 more than `period`. Default 200.
   */
  readonly silence?: number;
};

export const bullyOptions: OptionSchemas<Options> = {
  timeout: time('how long a node waits for an answer'),
  detector: flag(
    'nodes watch larger ones by heartbeats, and hold an election when they suspect the leader',
  ),
  period: time('with detector: the time between two heartbeats'),
  silence: time('with detector: after how long without a heartbeat a node is suspected'),
  electAtStart: flag('a node holds an election at its first start, too'),
};
