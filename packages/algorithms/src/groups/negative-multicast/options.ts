import { type OptionSchemas, time } from '../../options.js';

/** In real time, each at least 10. */
export type Options = {
  /**
   * How long a sender whose messages may not be everywhere waits before each summary, in
   * milliseconds. Default 500.
   */
  readonly period?: number;
  /**
   * How long another member waits for a summary before it sends one itself, in milliseconds.
   * Default 900.
   */
  readonly patience?: number;
  /** After how many milliseconds a member asks again for a message that it lacks. Default 300. */
  readonly retry?: number;
};

export const negativeMulticastOptions: OptionSchemas<Options> = {
  period: time('how long a sender waits before each summary'),
  patience: time('how long another member waits for a summary before it sends one itself'),
  retry: time('after how long a member asks again for a message that it lacks'),
};
