import type { Shape } from '@conclave/core/protocol';

/** A message that an option adds fields to, and what they say. */
export const shapeWith = <F extends string, G extends string>(
  { fields = [], meaning }: Shape<F>,
  more: readonly G[],
  saying: string,
): Shape<F | G> => ({ fields: [...fields, ...more], meaning: `${meaning}; ${saying}` });
