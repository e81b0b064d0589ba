import { badInput } from '../../base/error.js';
import type { Message, NodeId } from '../../protocol/node.js';
import type { HostEffect, LocalState, Timer } from '../../protocol/step.js';
import type { ExactTime, Interval } from '../../protocol/time.js';
import { commonDivisor, driftInterval, FinerTick, tickOf, ticksIn, timesOf } from './time.js';
import type { World } from './world.js';

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
    const dueOf = (interval: Interval): Due => this.#ticks(interval);
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
   * @throws {FinerTick} for a new timer whose delay is no multiple of the tick.
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
   * @throws {FinerTick} for a timer that may fire at moments which are no multiples of the tick.
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

  #ticks([least, most]: Interval): Due {
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
      throw new FinerTick(interval.reduce(commonDivisor, this.tick), delay, interval, this.tick);
    this.#timers.set(delay, { least, most });
    return { least, most };
  }
}
