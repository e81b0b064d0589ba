import type { Shape } from '@conclave/core/protocol';

/** A message that an option adds fields to, and what they say. */
export const shapeWith = <F extends string, G extends string>(
  { fields = [], counters = [], meaning }: Shape<F>,
  more: readonly G[],
  saying: string,
  counted: NonNullable<Shape<G>['counters']> = [],
): Shape<F | G> => ({
  fields: [...fields, ...more],
  counters: [...counters, ...counted],
  meaning: `${meaning}; ${saying}`,
});
