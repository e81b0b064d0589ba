import { flag, type OptionSchemas } from '../../options.js';

export type Options = {
  /**
   * Whether each candidate starts an echo wave, so that every node learns that the election is
   * over. Default false.
   */
  readonly terminating?: boolean;
};

export const extinctionOptions: OptionSchemas<Options> = {
  terminating: flag('candidates start echo waves, so that every node learns the leader'),
};
