import { type OptionSchemas, whole } from '../../options.js';

export interface Options {
  /** How many addresses of members the registry tells a newcomer. Default 2. */
  readonly addresses?: number;
}

export const virtualTreeOptions: OptionSchemas<Options> = {
  addresses: whole(1, 'how many addresses of members a newcomer gets'),
};
