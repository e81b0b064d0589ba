import type { NodeId } from '@conclave/core/protocol';
import { type OptionSchemas, text } from '../../options.js';

export type TotalMulticastOptions = {
  /** The sequencer. Default: the members elect one. */
  readonly sequencer?: NodeId;
};

export const totalMulticastOptions: OptionSchemas<TotalMulticastOptions> = {
  sequencer: text('the member that numbers the multicasts; by default the members elect it'),
};
