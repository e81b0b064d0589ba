import type { NodeId } from '@conclave/core/protocol';
import { cancel, type OptionSchemas, text } from '../../../options.js';

export type Options = {
  /** The node that starts the token. Default: the network's first node. */
  readonly holder?: NodeId;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const tokenRingOptions: OptionSchemas<Options> = {
  holder: text('the node that starts the token'),
  cancel,
};
