import { flag, type OptionSchemas } from '../../options.js';

export type Options = {
  /**
   * Whether the nodes know the size of the ring. Then channels may have any order. Default false.
   */
  readonly size?: boolean;
};

export const fullCirculationOptions: OptionSchemas<Options> = {
  size: flag('the nodes know the size of the ring: channels may have any order'),
};
