import type { Protocol } from '@conclave/core/protocol';
import { type OptionSchemas, part, whole } from '../../../options.js';

export type Options = {
  /** The algorithm inside each cluster. Default: the token ring. */
  readonly within?: Protocol;
  /** The algorithm between the clusters' representatives. Default: Ricart–Agrawala. */
  readonly between?: Protocol;
  /** How many clusters there are. Default 2. */
  readonly clusters?: number;
  /** How many entries in a row a cluster may make while others wait. Default 1. */
  readonly turns?: number;
};

export const hierarchicalOptions: OptionSchemas<Options> = {
  within: part('the algorithm inside a cluster: token-ring, raymond?greedy=2'),
  between: part('the algorithm between the clusters'),
  clusters: whole(2, 'how many clusters there are'),
  turns: whole(1, 'how many entries in a row a cluster may make while others wait'),
};
