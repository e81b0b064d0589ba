import { cancel, flag, type OptionSchemas, oneOf } from '../../../options.js';
import { quorumKinds } from '../building-blocks/quorum-sets.js';

export type Options = {
  /**
   * The quorum of a node: a line of a projective `plane`, row and column of a `grid`, or a
   * `majority`. Default `best`: the plane where there is one, else the grid.
   */
  readonly quorums?: 'best' | 'plane' | 'grid' | 'majority';
  /** Without FAILED, INQUIRE and RELINQUISH; it deadlocks. Default false. */
  readonly naive?: boolean;
  /** The application may withdraw a request; not with `naive`. Default false. */
  readonly cancel?: boolean;
};

export const maekawaOptions: OptionSchemas<Options> = {
  quorums: oneOf(
    quorumKinds,
    'the quorums: plane, grid, majority, or best: plane if there is one, else grid',
  ),
  naive: flag('without deadlock resolution: it deadlocks'),
  cancel,
};
