import type { NodeId } from '@conclave/core/protocol';
import { type OptionSchemas, text } from '../../../options.js';

/** Of the protocols with a token. */
export type Options = {
  /** The node that has the token at first. Default: the network's first node. */
  readonly holder?: NodeId;
};

export const holderOptions: OptionSchemas<Options> = {
  holder: text('where the token is at first'),
};
