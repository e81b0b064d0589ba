import { type OptionSchemas, whole } from '../../options.js';

export type Options = {
  /** How many ids there are to draw from, from 2 on. Default: as many as nodes. */
  readonly ids?: number;
};

export const itaiRodehOptions: OptionSchemas<Options> = {
  ids: whole(2, 'how many ids there are to draw from'),
};
