import { badInput, ConclaveError } from '../../base/error.js';
import { atOnce, inOneSlice, type Slices } from '../../base/slices.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { ExactTime, Interval, TimeModel } from '../../protocol/time.js';
import type { Budget } from './budget.js';

/** The model of time of the budget, or else of the protocol. */
export const timeOf = (
  { channels }: Protocol,
  { time = channels.time ?? 'untimed' }: Pick<Budget, 'time'>,
): TimeModel => time;

/**
 * A timer was armed that may fire at moments which are no multiples of the tick; `tick` would fit.
 * All in milliseconds.
 */
export class FinerTick extends ConclaveError {
  constructor(
    readonly tick: number,
    delay: number,
    [least, most]: Interval,
    before: number,
  ) {
    const what =
      least === most
        ? 'is no multiple'
        : `fires after ${least} to ${most} ms, which are no multiples`;
    super(
      'bad-input',
      `A timer of ${delay} ms ${what} of the tick of ${before} ms`,
      `Give tick: ${tick} with the exact time.`,
    );
  }
}

/**
 * Calls `run` with `time`; again with a finer tick if a timer needs one, unless `time` states its
 * tick.
 */
export const withFittingTick = <T>(time: TimeModel, run: (time: TimeModel) => T): T =>
  atOnce(slicedWithFittingTick(time, (fitting) => inOneSlice(() => run(fitting))));

/** The same for work in slices. */
export function* slicedWithFittingTick<T>(
  time: TimeModel,
  run: (time: TimeModel) => Slices<T>,
): Slices<T> {
  let fitting = time;
  for (;;) {
    try {
      return yield* run(fitting);
    } catch (error) {
      if (!(error instanceof FinerTick) || time === 'untimed' || time.tick !== undefined)
        throw error;
      fitting = { ...time, tick: error.tick };
    }
  }
}

/** The greatest common divisor of all times of a model, in milliseconds; 0 if all are 0. */
export function tickOf(time: ExactTime): number {
  return time.tick ?? timesOf(time).reduce(commonDivisor, 0);
}

/** All finite times of a model, in milliseconds. */
export const timesOf = ({
  delay,
  messages = {},
  links = {},
  stays = {},
}: ExactTime): readonly number[] =>
  [delay, ...Object.values(messages), ...Object.values(links), ...Object.values(stays)]
    .flat()
    .filter((time) => time !== Infinity);

/** The greatest common divisor of two times in milliseconds, which are whole microseconds. */
export function commonDivisor(one: number, other: number): number {
  return wholeDivisor(microseconds(one), microseconds(other)) / 1000;
}

function wholeDivisor(one: number, other: number): number {
  let [a, b] = [one, other];
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/**
 * From when to when a timer of `delay` may fire on a clock with this drift; all in milliseconds.
 *
 * @throws {ConclaveError} `bad-input` if that is no whole number of microseconds.
 */
export function driftInterval(delay: number, drift: number): Interval {
  if (drift === 0) return [delay, delay];
  const millionths = Math.round(drift * 1e6);
  const divisor = wholeDivisor(1e6, millionths);
  const [whole, denominator] = [microseconds(delay), 1e6 / divisor];
  if (whole % denominator !== 0)
    throw badInput(
      `Exact time: with a drift of ${drift} a timer of ${delay} ms may fire at moments that are no whole microseconds`,
      'Give a drift with fewer digits.',
    );
  const most = (whole / denominator) * (millionths / divisor); // both are whole
  return [(whole - most) / 1000, (whole + most) / 1000];
}

/** How many ticks `time` has; undefined if it is no multiple of `tick`. All in milliseconds. */
export function ticksIn(time: number, tick: number): number | undefined {
  if (time === 0) return 0;
  const [whole, step] = [microseconds(time), microseconds(tick)];
  return step > 0 && whole % step === 0 ? whole / step : undefined;
}

/** @throws {ConclaveError} `bad-input` for a time that is no whole number of microseconds. */
function microseconds(ms: number): number {
  const whole = Math.round(ms * 1000);
  if (ms >= 0 && Number.isSafeInteger(whole) && Math.abs(ms * 1000 - whole) < 1e-6) return whole;
  throw badInput(
    `Exact time: ${ms} ms is no time that it can count`,
    'Give times in whole microseconds, 0 or more.',
  );
}
