import { type OptionSchemas, time } from '../../options.js';

export type Options = {
  /**
   * How long, in milliseconds, a node waits for an acknowledgement: more than the longest round
   * trip; in real time at least 10. Default 1000.
   */
  readonly timeout?: number;
};

export const acknowledgedOptions: OptionSchemas<Options> = {
  timeout: time('with acknowledged: how long an answer may take'),
};
