import type { NodeId } from '@conclave/core/protocol';
import { type OptionSchemas, text } from '../../options.js';

export type Options = {
  /** The node that starts the wave. Default: the network's first node. */
  readonly initiator?: NodeId;
};

export const echoOptions: OptionSchemas<Options> = {
  initiator: text('the node that starts the wave'),
};
