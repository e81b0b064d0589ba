import { badInput } from '../base/error.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import { defaultSteps } from './expected-steps.js';
import type { SimulationOptions } from './options.js';

/** Where a run ends that does not become quiescent by itself. */
export type Until = Required<Omit<Given, 'stop'>> & Pick<Given, 'stop'>;
type Given = NonNullable<SimulationOptions['until']>;

/**
 * `until` with the defaults for this protocol on this network.
 * @throws {ConclaveError} `bad-input` for a limit that is no number of steps.
 */
export function untilFor(protocol: Protocol, topology: Topology, until: Given = {}): Until {
  const all = {
    time: Infinity,
    stepsAtOnce: Math.max(100_000, 100 * topology.links.length),
    ...until,
    steps: until.steps ?? defaultSteps(protocol, topology),
  };
  if (Number.isInteger(all.stepsAtOnce) && all.stepsAtOnce > 0) return all;
  throw badInput(
    `until.stepsAtOnce ${all.stepsAtOnce} is no number of steps`,
    'Give a whole number, 1 or more.',
  );
}

/** How many calls of the clock pass between two calls of `stop`. */
const stopEvery = 1024;

/** Watches the limits of a run, except for the time limit, which the clock keeps. */
export class Limits {
  #calls = 0;
  #time = 0;
  #stepsBefore = 0;

  constructor(private readonly until: Until) {}

  /**
   * The limit that the run has reached after `steps` steps, at `time`. Called before each call of
   * the clock.
   */
  reached(
    steps: number,
    time: number,
  ): 'step limit' | 'time stands still' | 'interrupted' | undefined {
    this.#calls++;
    if (time !== this.#time) {
      this.#time = time;
      this.#stepsBefore = steps;
    }
    if (steps >= this.until.steps) return 'step limit';
    if (steps - this.#stepsBefore > this.until.stepsAtOnce) return 'time stands still';
    return this.#calls % stopEvery === 0 && this.until.stop?.() === true
      ? 'interrupted'
      : undefined;
  }
}
