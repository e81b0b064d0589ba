import { ConclaveError } from '../protocol/error.js';
import type { Topology } from '../topology/topology.js';

/** Where a run ends that does not come to rest by itself. */
export interface Until {
  /** Steps of nodes. Default 10 million. */
  readonly steps: number;
  /** Virtual milliseconds. Default: no limit. */
  readonly time: number;
  /** Steps of nodes while the clock does not move: where delays are 0, it may never. Default 100,000, or 100 for each link if those are more. */
  readonly stepsAtOnce: number;
  /** Asked now and then; true ends the run, as a person who does not want to wait any longer. */
  readonly stop?: () => boolean;
}

/** `until`, and the usual limits where it says nothing. @throws {ConclaveError} `bad-input` for a limit that is none. */
export function untilFor({ links }: Topology, until: Partial<Until> = {}): Until {
  const all = { steps: 10_000_000, time: Infinity, stepsAtOnce: Math.max(100_000, 100 * links.length), ...until };
  if (Number.isInteger(all.stepsAtOnce) && all.stepsAtOnce > 0) return all;
  throw new ConclaveError('bad-input', `until.stepsAtOnce ${all.stepsAtOnce} is no number of steps`, 'Give a whole number, 1 or more.');
}

/** Notices a clock that stands still while nodes go on making steps. */
export class Standstill {
  #time = 0;
  #steps = 0;

  constructor(private readonly most: number) {}

  /** Whether at `time` more than `most` steps have been made since the clock moved; `steps`: all so far. */
  at(time: number, steps: number): boolean {
    if (time === this.#time) return steps - this.#steps > this.most;
    this.#time = time;
    this.#steps = steps;
    return false;
  }
}
