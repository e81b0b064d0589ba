import type { Limit, Limits } from '../exploration/search/limits/limits.js';

type Ended = Extract<Limit, 'interrupted' | 'seconds'>;

/** The time limit of a report, explorations of the protocol itself included. */
export class TimeLimit {
  readonly #start = performance.now();
  #ended: Ended | undefined;

  constructor(
    private readonly limits: { readonly seconds?: number; readonly stop?: () => boolean },
  ) {}

  /** Seconds since the beginning. */
  get elapsed(): number {
    return (performance.now() - this.#start) / 1000;
  }

  /** Why to go no further. */
  get end(): Ended | undefined {
    const { seconds = Infinity, stop } = this.limits;
    this.#ended ??= stop?.() ? 'interrupted' : this.elapsed >= seconds ? 'seconds' : undefined;
    return this.#ended;
  }

  /** The limits of one exploration. */
  limitsOf(states: number): Limits {
    const { seconds, stop } = this.limits;
    return {
      states,
      ...(seconds === undefined ? {} : { seconds: Math.max(0, seconds - this.elapsed) }),
      ...(stop ? { stop: () => this.end === 'interrupted' } : {}),
    };
  }
}
