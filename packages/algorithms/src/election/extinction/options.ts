import { flag, type OptionSchemas } from '../../options.js';

export type ExtinctionOptions = {
  /**
   * Whether each candidate starts an echo wave, so that every node learns that the election is
   * over. Default false.
   */
  readonly terminating?: boolean;
};

export const extinctionOptions: OptionSchemas<ExtinctionOptions> = {
  terminating: flag('candidates start echo waves, so that every node learns the leader'),
};
