import { type OptionSchemas, oneOf } from '../../options.js';

export type Options = {
  /** Which clock the nodes have. Default `lamport`. */
  readonly clock?: 'lamport' | 'vector';
};

export const logicalClockOptions: OptionSchemas<Options> = {
  clock: oneOf(['lamport', 'vector'], 'which clock the nodes have: lamport or vector'),
};
