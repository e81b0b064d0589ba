import { cancel, flag, type OptionSchemas } from '../../../options.js';
import { type Options as GreedyOptions, greedyOptions } from '../building-blocks/greedy.js';

export type Options = GreedyOptions & {
  /** A token and the request that follows it are one message. Default false. */
  readonly piggyback?: boolean;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const raymondOptions: OptionSchemas<Options> = {
  piggyback: flag('token and following request in one message'),
  ...greedyOptions,
  cancel,
};
