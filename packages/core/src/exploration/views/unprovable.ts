/** Why there is no proof, for every property alike. */
export class Unprovable extends Error {
  override readonly name = 'Unprovable';

  constructor(
    reason: string,
    /** The world and the step that lead to it. */
    readonly because?: readonly string[],
  ) {
    super(reason);
  }
}

/** A step of a node that worlds of so many nodes do not show, larger ones perhaps. */
export class DependsOnMore extends Unprovable {}

/** What views must have or leave out, besides what was thought before. */
export interface Refinement {
  /** Views have them, since steps depend on them. */
  readonly kept?: readonly string[];
  /** Views do not have them, since they grow, although steps depend on them. */
  readonly guessed?: readonly string[];
  /** Of these only the order matters, and views have it. */
  readonly ordered?: readonly string[];
  /** Values with which steps are to be tried. */
  readonly constants?: readonly number[];
  /** Types of messages of which any number may be on its way. */
  readonly piling?: readonly string[];
}

/** The proof must begin again. */
export class NeedsRefinement extends Error {
  override readonly name = 'NeedsRefinement';

  constructor(readonly refinement: Refinement) {
    super('views are to be refined');
  }
}
