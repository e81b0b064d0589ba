import type { NodeId } from '@conclave/core/protocol';
import { cancel, type OptionSchemas, text, time, whole } from '../../../options.js';

export type Options = {
  /** The node that makes tokens. Default: the nodes elect one. */
  readonly coordinator?: NodeId;
  /**
   * How long, in milliseconds, the coordinator waits for the token: more than its longest round,
   * stays included; in real time at least 10. Default 1000.
   */
  readonly timeout?: number;
  /**
   * The number of tokens in a row that the coordinator makes before it sends an inquiry. Default 1;
   * 0: it always inquires.
   */
  readonly blindRegenerations?: number;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const regeneratedTokenOptions: OptionSchemas<Options> = {
  coordinator: text('the node that makes tokens; without it the nodes elect one'),
  timeout: time('how long the coordinator waits for the token'),
  blindRegenerations: whole(0, 'tokens in a row that it makes without an inquiry'),
  cancel,
};
