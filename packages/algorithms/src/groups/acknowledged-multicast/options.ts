import { type OptionSchemas, oneOf, time, whole } from '../../options.js';

export type Options = {
  /**
   * When a member sends on what it got: at the `first` receipt; at the `silence` of the origin,
   * which says when all have it; or `never`: then agreement does not survive the crash of the
   * origin. Default `first`.
   */
  readonly relay?: 'first' | 'silence' | 'never';
  /**
   * How long a member waits for answers before it retransmits, in milliseconds; in real time at
   * least 10. Default 300.
   */
  readonly timeout?: number;
  /** How often it retransmits a message before it gives up. Default 5. */
  readonly retransmissions?: number;
  /**
   * With `relay: 'silence'`: how long a member waits for its origin before it sends a message on,
   * in milliseconds; the same. Default 1000.
   */
  readonly patience?: number;
};

export const acknowledgedMulticastOptions: OptionSchemas<Options> = {
  relay: oneOf(
    ['first', 'silence', 'never'],
    'when a member sends on what it gets: first (receipt), silence (of the origin), or never',
  ),
  timeout: time('how long a member waits for answers before it sends again'),
  retransmissions: whole(0, 'how often a member sends again before it gives up'),
  patience: time('with relay silence: how long a member waits for the origin'),
};
