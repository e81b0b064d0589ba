import { cancel, type OptionSchemas, time } from '../../../options.js';

export type Options = {
  /**
   * How long a node may take to acknowledge a request, in milliseconds; more than the longest round
   * trip; in real time at least 10. Default 1000.
   */
  readonly timeout?: number;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const acknowledgedOptions: OptionSchemas<Options> = {
  timeout: time('with acknowledged: how long an answer may take'),
  cancel,
};
