import type { Finding } from './conclusion.js';
import { type StateGraph, worldsOf } from './state-graph.js';

/** A run in a graph: the worlds of its approach, and those of the loop that it repeats. */
export interface RunInGraph {
  readonly way: readonly number[];
  /**
   * From the world where it begins to the same world again; empty if the run ends. One world alone:
   * nothing more happens.
   */
  readonly loop: readonly number[];
}

export interface MarkedRun extends RunInGraph {
  /** Whether it violates a property. */
  readonly isBad: boolean;
}

/** The run of a finding, or of a session: the numbers of its actions. */
export function runInGraph(
  graph: Pick<StateGraph, 'worlds' | 'edges'>,
  { steps = [], loopsFromStep }: Pick<Finding, 'steps' | 'loopsFromStep'>,
): RunInGraph {
  const worlds = worldsOf(graph, steps);
  if (loopsFromStep === undefined) return { way: worlds, loop: [] };
  return { way: worlds.slice(0, loopsFromStep + 1), loop: worlds.slice(loopsFromStep) };
}
