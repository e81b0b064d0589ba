import type { Json } from '../../protocol/node.js';
import type { Property } from '../../protocol/property.js';
import type { PropertyFinding } from '../verdicts/property-finding.js';

/** What the exploration of a plain system has found. */
export interface PlainExploration<S extends Json, A extends Json> {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** The largest number of states that were found and not yet expanded. */
  readonly width: number;
  /** How many states have no action. */
  readonly ends: number;
  /** From the call to the last verdict. */
  readonly seconds: number;
  readonly complete: boolean;
  readonly limit?: 'states' | 'memory' | 'seconds' | 'depth' | 'interrupted';
  /** What the verdicts assume. */
  readonly assumptions: readonly string[];
  /** The given ones, then that every action leads to a state and, with `done`, deadlock freedom. */
  readonly properties: readonly (Pick<PropertyFinding, 'verdict' | 'vacuous' | 'remark'> & {
    readonly name: string;
    readonly kind: Property['kind'];
    /** Where the path begins: one of the initial states. */
    readonly initial?: S;
    /**
     * A run from an initial state that decides the property; a shortest one in a breadth-first search
     * if a single state decides it.
     */
    readonly path?: readonly {
      readonly action: A;
      /** The state after it. */
      readonly state: S;
    }[];
    /**
     * For a violated `leadsTo` or `eventually`: the step, from 0, where the loop begins; the path's
     * length if the run stops.
     */
    readonly loopsFrom?: number;
    /**
     * The actions that are possible where the run stops, if any: none is fair, so all may be delayed
     * forever.
     */
    readonly unfair?: readonly A[];
    /** What `next` threw at the end of the path. */
    readonly fault?: string;
  })[];
}
