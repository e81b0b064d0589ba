import type { NodeId } from '@conclave/core/protocol';
import { type OptionSchemas, text } from '../../options.js';

export type EchoOptions = {
  /** The node that starts the wave. Default: the network's first node. */
  readonly initiator?: NodeId;
};

export const echoOptions: OptionSchemas<EchoOptions> = {
  initiator: text('the node that starts the wave'),
};
