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

/** Steps depend on numbers at these paths, which were thought to be of no influence. */
export class NumbersMatter extends Error {
  override readonly name = 'NumbersMatter';

  constructor(readonly paths: readonly string[]) {
    super(`steps depend on ${paths.join(', ')}`);
  }
}
