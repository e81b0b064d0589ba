/**
 * Exact time: delays and timers are intervals of whole ticks, and every clock is relative to now,
 * so worlds that differ in the absolute time only are one. The tick is the largest one that
 * divides all times of the model; a timer that needs a finer one is only met in the search, which
 * then begins again with that tick.
 */

import type { ExactTime, LocalState, Message, NodeId, Protocol } from '@conclave/core/protocol';
import { ConclaveError, type TimeModel } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';
import { asOneStep, type Resumable, runToEnd } from '../base/resumable.js';
import type { Budget } from './budget.js';
import type { HostEffect, Timer, World } from './world.js';

/** The model of time of the budget, or else of the protocol. */
export const timeOf = (
  { channels }: Protocol,
  { time = channels.time ?? 'untimed' }: Pick<Budget, 'time'>,
): TimeModel => time;

/**
 * A timer was armed that may fire at moments which are no multiples of the tick; `tick` would fit.
 * All in milliseconds.
 */
class TickTooCoarseError extends ConclaveError {
  constructor(
    readonly tick: number,
    delay: number,
    [least, most]: ExactTime['delay'],
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
  runToEnd(withFittingTickResumably(time, (fitting) => asOneStep(() => run(fitting))));

/** The same for resumable work. */
export function* withFittingTickResumably<T>(
  time: TimeModel,
  run: (time: TimeModel) => Resumable<T>,
): Resumable<T> {
  let fitting = time;
  for (;;) {
    try {
      return yield* run(fitting);
    } catch (error) {
      if (!(error instanceof TickTooCoarseError) || time === 'untimed' || time.tick !== undefined)
        throw error;
      fitting = { ...time, tick: error.tick };
    }
  }
}

/** The greatest common divisor of all times of a model, in milliseconds; 0 if all are 0. */
function tickOf(time: ExactTime): number {
  return time.tick ?? timesOf(time).reduce(commonDivisor, 0);
}

/** All finite times of a model, in milliseconds. */
const timesOf = ({ delay, messages = {}, links = {}, stays = {} }: ExactTime): readonly number[] =>
  [delay, ...Object.values(messages), ...Object.values(links), ...Object.values(stays)]
    .flat()
    .filter((time) => time !== Infinity);

/** The greatest common divisor of two times in milliseconds, which are whole microseconds. */
function commonDivisor(one: number, other: number): number {
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
export function driftInterval(delay: number, drift: number): ExactTime['delay'] {
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

/** The clocks of a world in exact time. */
export type Clocks = NonNullable<World['clocks']>;
/** When a message in flight arrives: after at least and at most so many ticks. */
export type Due = Clocks['dues'][string][number];
/** The clocks of one node. */
export type NodeClock = Clocks['nodes'][NodeId];

/** The timers that a step arms. */
export const armedBy = (effects: readonly HostEffect[]): readonly string[] =>
  effects.flatMap((effect) => (effect.type === 'start' ? [effect.timer.id] : []));

/** A stay in states with a tag, in ticks. */
interface Stay {
  readonly tag: string;
  readonly least: number;
  readonly most: number;
}

/** Exact time in ticks: how clocks begin, what a tick makes of them, and when no time can pass. */
export class Clockwork {
  /** In milliseconds; 0 if all times are. */
  readonly tick: number;
  readonly #delay: Due;
  readonly #messages: ReadonlyMap<string, Due>;
  readonly #links: ReadonlyMap<string, Due>;
  readonly #stays: readonly Stay[];
  /** By delay of a timer. */
  readonly #timers = new Map<number, Due>();

  constructor(
    private readonly time: ExactTime,
    private readonly order: 'fifo' | 'any',
  ) {
    this.tick = tickOf(time);
    const dueOf = (interval: ExactTime['delay']): Due => this.#ticks(interval);
    this.#delay = dueOf(time.delay);
    this.#messages = new Map(
      Object.entries(time.messages ?? {}).map(([type, interval]) => [type, dueOf(interval)]),
    );
    this.#links = new Map(
      Object.entries(time.links ?? {}).map(([link, interval]) => [link, dueOf(interval)]),
    );
    this.#stays = Object.entries(time.stays ?? {}).map(([tag, interval]) => ({
      tag,
      ...this.#ticks(interval),
    }));
  }

  /** The longest finite time of the model, in milliseconds. */
  get longest(): number {
    return timesOf(this.time).reduce((most, time) => Math.max(most, time), 0);
  }

  /** When a message that is sent now arrives. */
  due(from: NodeId, to: NodeId, { type }: Message): Due {
    return this.#messages.get(type) ?? this.#links.get(`${from}→${to}`) ?? this.#delay;
  }

  /** The clocks of a crashed node: none runs. */
  get stopped(): NodeClock {
    return { timers: [], stays: this.#stays.map(() => -1) };
  }

  /**
   * The clocks of a node after a step from `before`, with `clock`, to `state`, which has armed the
   * timers `armed`; the first two undefined at its start.
   *
   * @throws {TickTooCoarseError} for a new timer whose delay is no multiple of the tick.
   */
  after(
    before: LocalState | undefined,
    clock: NodeClock | undefined,
    state: LocalState,
    armed: readonly string[],
  ): NodeClock {
    return {
      timers: state.timers.map(({ id, delay }) => {
        const place = armed.includes(id)
          ? -1
          : (before?.timers.findIndex((timer) => timer.id === id) ?? -1);
        return clock?.timers[place] ?? this.#timer(delay).most;
      }),
      stays: this.#stays.map(({ tag }, index) =>
        state.tags.includes(tag) ? Math.max(0, clock?.stays[index] ?? 0) : -1,
      ),
    };
  }

  /**
   * @throws {TickTooCoarseError} for a timer that may fire at moments which are no multiples of the tick.
   */
  requireFit(delay: number): void {
    this.#timer(delay);
  }

  /**
   * The armed timers of a node that may fire now: from the earliest moment on, which the drift of
   * its clock allows.
   */
  dueTimers({ timers }: LocalState, clock: NodeClock): readonly Timer[] {
    return timers.filter(({ delay }, index) => {
      const { least, most } = this.#timer(delay);
      return (clock.timers[index] ?? 0) <= most - least;
    });
  }

  /**
   * Whether a command may come that leads to a state with these tags: not if it ends a stay too
   * soon.
   */
  mayLead({ stays }: NodeClock, tags: readonly string[]): boolean {
    return this.#stays.every(({ tag, least }, index) => {
      const lasted = stays[index] ?? -1;
      return lasted < 0 || lasted >= least || tags.includes(tag);
    });
  }

  /**
   * The clocks of a node one tick later; undefined if a timer has to fire now or a stay is at its
   * end.
   */
  nodeLater({ timers, stays }: NodeClock): NodeClock | undefined {
    if (timers.includes(0) || this.#stays.some(({ most }, index) => stays[index] === most))
      return undefined;
    return {
      timers: timers.map((left) => left - 1),
      stays: stays.map((lasted, index) => {
        const { least = 0, most = Infinity } = this.#stays[index] ?? {};
        return lasted < 0 ? lasted : Math.min(lasted + 1, most === Infinity ? least : most);
      }),
    };
  }

  /**
   * The messages of a channel one tick later; undefined if one has to arrive now. With `fifo` none
   * arrives before the one ahead of it.
   */
  channelLater(dues: readonly Due[]): readonly Due[] | undefined {
    const soonest = this.order === 'fifo' ? dues.slice(0, 1) : dues;
    if (soonest.some(({ most }) => most === 0)) return undefined;
    return dues.map(({ least, most }) => ({
      least: Math.max(0, least - 1),
      most: Math.max(0, most - 1),
    }));
  }

  #ticks([least, most]: ExactTime['delay']): Due {
    return { least: this.#count(least), most: most === Infinity ? Infinity : this.#count(most) };
  }

  #count(ms: number): number {
    const ticks = ticksIn(ms, this.tick);
    if (ticks === undefined)
      throw badInput(
        `Exact time: ${ms} ms is no multiple of the tick of ${this.tick} ms`,
        'Give a common divisor of all times.',
      );
    return ticks;
  }

  /** When a timer fires that is armed now. */
  #timer(delay: number): Due {
    const known = this.#timers.get(delay);
    if (known) return known;
    const interval = driftInterval(delay, this.time.drift ?? 0);
    const [least, most] = interval.map((ms) => ticksIn(ms, this.tick));
    if (least === undefined || most === undefined)
      throw new TickTooCoarseError(
        interval.reduce(commonDivisor, this.tick),
        delay,
        interval,
        this.tick,
      );
    this.#timers.set(delay, { least, most });
    return { least, most };
  }
}
