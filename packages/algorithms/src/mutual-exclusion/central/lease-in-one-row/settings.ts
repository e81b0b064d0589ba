/** The options of A21 with their defaults, and what follows from them. */
import { schemas } from '@conclave/core/internal';
import { cancel, flag, type OptionSchemas, time, validOptions } from '../../../options.js';
import { validityOf } from '../../lease.js';

export type Options = {
  /**
   * For how long, in milliseconds, the row is bound to its holder after a renewal. After a crash of
   * the holder, the others wait at least as long. Two renewals must fit into it. In real time at least
   * 1 / `drift`, such as 100: a timer may end 1 ms early, and the drift must allow for that. Default
   * 10,000.
   */
  readonly lease?: number;
  /**
   * By which part of itself each measured time may be wrong, at most: a timer of 1,000 ms fires
   * after 1,000 · (1 − drift) to 1,000 · (1 + drift) ms. Default 0.01.
   */
  readonly drift?: number;
  /**
   * The time, in milliseconds, from one request to the next; more than a round trip, and in real
   * time at least 10. Default: a fifth of `lease`.
   */
  readonly renewal?: number;
  /**
   * The store frees a row that is not renewed, by its own clock, which must then be right about
   * time spans. A client that comes later need not wait for a lease. Default false: the clients that
   * wait see that the row does not change.
   */
  readonly clock?: boolean;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const leaseInOneRowOptions: OptionSchemas<Options> = {
  lease: time('how long the row is bound to its holder'),
  drift: {
    type: 'number',
    meaning: 'by which part of it a time on a clock may be wrong, at most: 0.01',
    schema: schemas.drift,
  },
  renewal: time('the time from one request to the next'),
  clock: flag('the store frees a row that is not renewed, by its own clock'),
  cancel,
};

export type Settings = ReturnType<typeof settingsOf>;

/** @throws {ConclaveError} `bad-input`, as `leaseInOneRow` does. */
export function settingsOf(options: Options) {
  const {
    lease = 10_000,
    drift = 0.01,
    renewal = lease / 5,
    clock = false,
    cancel: withdraws = false,
  } = validOptions('leaseInOneRow', leaseInOneRowOptions, options);
  const validity = validityOf('leaseInOneRow', { lease, drift, renewal });
  return { lease, drift, renewal, clock, cancel: withdraws, validity };
}
