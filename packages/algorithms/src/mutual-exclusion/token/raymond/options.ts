import { cancel, flag, type OptionSchemas, whole } from '../../../options.js';
import { type Options as HolderOptions, holderOptions } from '../building-blocks/holder.js';

export type Options = HolderOptions & {
  /** A token and the request that follows it are one message. Default false. */
  readonly piggyback?: boolean;
  /**
   * The number of times in a row that a node may enter before its turn, when the token passes
   * through it. Default 0.
   */
  readonly greedy?: number;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const raymondOptions: OptionSchemas<Options> = {
  piggyback: flag('token and following request in one message'),
  greedy: whole(0, 'how often in a row a node may enter before its turn'),
  ...holderOptions,
  cancel,
};
