/** The times of an election by leases, which its nodes and its clients have in common. */
import { schemas } from '@conclave/core/internal/options';
import type { Options } from '../../mutual-exclusion/permission/leased-majority/options.js';

export type LeaseTimes = Pick<Options, 'lease' | 'drift' | 'renewal'>;

type Given = { readonly [T in keyof LeaseTimes]: LeaseTimes[T] | undefined };

const { optional, measureAbove0 } = schemas;
export const timeEntries = {
  lease: optional(measureAbove0('milliseconds')),
  drift: optional(schemas.drift),
  renewal: optional(measureAbove0('milliseconds')),
};

/** Without those that are not given. */
export const timesOf = ({ lease, drift, renewal }: Given): LeaseTimes => ({
  ...(lease !== undefined && { lease }),
  ...(drift !== undefined && { drift }),
  ...(renewal !== undefined && { renewal }),
});
