import { cancel, flag, type OptionSchemas, time } from '../../../options.js';

export type Options = {
  /**
   * The coordinator tells a queued client so at once, and a client reports a coordinator that does
   * not answer. Default false.
   */
  readonly acknowledge?: boolean;
  /**
   * With `acknowledge`: how long a client waits for an answer, in milliseconds; more than the
   * longest round trip; in real time at least 10. Default 1000.
   */
  readonly timeout?: number;
  /**
   * The application may withdraw a request; not with `acknowledge`. Channels are FIFO. Default
   * false.
   */
  readonly cancel?: boolean;
};

export const centralCoordinatorOptions: OptionSchemas<Options> = {
  acknowledge: flag(
    'the coordinator confirms a queued request, and a client reports a silent coordinator',
  ),
  timeout: time('with acknowledge: how long an answer may take'),
  cancel,
};
