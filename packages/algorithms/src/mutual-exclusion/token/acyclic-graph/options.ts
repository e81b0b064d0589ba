import { type OptionSchemas, oneOf } from '../../../options.js';
import { type Options as GreedyOptions, greedyOptions } from '../building-blocks/greedy.js';
import { statecharts } from './acyclic-graph.js';

export type Options = GreedyOptions & {
  /**
   * What happens to the edges that pointed away from the node at which the token arrives.
   *
   * `travelled` (default): only the edge over which the token came is reversed, the others are
   * removed. `acknowledged`: the neighbours are told and reverse the others; the token stays until
   * they have answered. `numbered`: they are told, and ignore old news by its number. `all`: they
   * are told, and nothing else; this variant violates liveness.
   */
  readonly reversal?: 'travelled' | 'all' | 'acknowledged' | 'numbered';
  /**
   * Over which outgoing edge a node asks: the `first` (default), or `any`, which the host chooses.
   */
  readonly edge?: 'first' | 'any';
  /**
   * How the nodes learn where their edges point: `wave` (default) from an echo wave of the node
   * with the token; `given` by their input, as if a wave had found shortest paths.
   */
  readonly startUp?: 'given' | 'wave';
};

export const acyclicGraphOptions: OptionSchemas<Options> = {
  reversal: oneOf(
    Object.keys(statecharts),
    'which edges are reversed: travelled, acknowledged, numbered, or all, which is wrong',
  ),
  edge: oneOf(['first', 'any'], 'the outgoing edge over which a node asks: first or any'),
  startUp: oneOf(
    ['given', 'wave'],
    'how nodes learn their edges: wave, from an echo wave, or given',
  ),
  ...greedyOptions,
};
