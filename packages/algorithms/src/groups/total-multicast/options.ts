import type { NodeId } from '@conclave/core/protocol';
import { type OptionSchemas, text } from '../../options.js';

export type Options = {
  /** The sequencer. Default: the members elect one. */
  readonly sequencer?: NodeId;
};

export const totalMulticastOptions: OptionSchemas<Options> = {
  sequencer: text('the member that numbers the multicasts; by default the members elect it'),
};
