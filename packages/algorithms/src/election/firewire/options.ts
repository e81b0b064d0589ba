import { type OptionSchemas, oneOf, time } from '../../options.js';

export type Options = {
  /**
   * How contention ends: `random`, by waits of random length, as in the standard; or `id`, the
   * larger id wins. Default `random`.
   */
  readonly tieBreak?: 'random' | 'id';
  /**
   * How long a node waits before it asks its last neighbour, in milliseconds; in real time at least
   * 10. Default 10.
   */
  readonly pause?: number;
  /**
   * The two waits after contention, in milliseconds; in real time at least 10. The standard has
   * nanoseconds. Default 240 and 570.
   */
  readonly short?: number;
  readonly long?: number;
};

export const firewireOptions: OptionSchemas<Options> = {
  tieBreak: oneOf(
    ['random', 'id'],
    'how contention ends: random, by waits of random length, or id, the larger id wins',
  ),
  pause: time('how long a node waits before it asks its last neighbour'),
  short: time('the short wait after contention'),
  long: time('the long wait after contention'),
};
