import type { ExploreOptions } from '@conclave/core/exploration';
import type { Json } from '@conclave/core/protocol';

/** All that determines a system: what a link says before its steps. */
export interface Setup {
  /** An id or a name of the catalogue, or the name of a protocol that the page was given. */
  readonly protocol: string;
  readonly options: Readonly<Record<string, Json>>;
  /** The spec of the network; undefined: the smallest usual one of the protocol. */
  readonly topology?: string;
  /** The parts of a budget that are plain data. */
  readonly budget: Pick<
    ExploreOptions,
    | 'commands'
    | 'initiators'
    | 'inputs'
    | 'losses'
    | 'duplications'
    | 'crashes'
    | 'restarts'
    | 'atomicSteps'
    | 'unsent'
    | 'partitions'
    | 'unexpected'
    | 'order'
    | 'time'
  > & {
    /** Where nodes may crash: tags and roles. */
    readonly mayCrash?: readonly string[];
  };
}
