import { type OptionSchemas, whole } from '../../../options.js';

export type Options = {
  /**
   * A member acknowledges each `window`-th message of the sequencer, so that members can forget.
   * Default 16.
   */
  readonly window?: number;
};

export const groupLockOptions: OptionSchemas<Options> = {
  window: whole(
    1,
    'a member acknowledges each message of the sequencer with a multiple of this number',
  ),
};
