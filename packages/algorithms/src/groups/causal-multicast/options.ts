import { type OptionSchemas, oneOf } from '../../options.js';

export type Options = {
  /**
   * The order of deliveries: `causal`; or `fifo`, the order of each sender only, for comparison.
   * Default `causal`.
   */
  readonly order?: 'fifo' | 'causal';
};

export const causalMulticastOptions: OptionSchemas<Options> = {
  order: oneOf(
    ['fifo', 'causal'],
    'the order of deliveries: causal, or fifo, that of each sender only',
  ),
};
