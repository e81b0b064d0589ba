import type { Protocol } from '@conclave/core/protocol';
import { type OptionSchemas, part } from '../../options.js';

export type Options = {
  /** The lock that is judged. Default: Lamport's, whose paper states the condition. */
  readonly lock?: Protocol;
};

export const causalFairnessOptions: OptionSchemas<Options> = {
  lock: part('the lock that is judged: ricart-agrawala, raymond?greedy=2'),
};
