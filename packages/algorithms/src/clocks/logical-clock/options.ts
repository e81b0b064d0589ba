import { type OptionSchemas, oneOf } from '../../options.js';

export type LogicalClockOptions = {
  /** Which clock the nodes have. Default `lamport`. */
  readonly clock?: 'lamport' | 'vector';
};

export const logicalClockOptions: OptionSchemas<LogicalClockOptions> = {
  clock: oneOf(['lamport', 'vector'], 'which clock the nodes have: lamport or vector'),
};
