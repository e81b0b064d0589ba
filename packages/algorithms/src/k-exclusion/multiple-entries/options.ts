import { cancel, type OptionSchemas, whole } from '../../options.js';

export type Options = {
  /** How many nodes may be in the critical section at once. Default 2. */
  readonly entries?: number;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const multipleEntriesOptions: OptionSchemas<Options> = {
  entries: whole(1, 'how many nodes may be in the critical section at once'),
  cancel,
};
