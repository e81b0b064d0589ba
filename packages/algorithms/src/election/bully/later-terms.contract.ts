import { increases, type Property } from '@conclave/core/protocol';

/**
 * Holds where at most one node crashes: a leader of which no live node has heard cannot be outdone.
 * Not among the protocol's own properties, which hold after any crash.
 */
export const laterTerms: Property = increases(
  'each leader has a later term than every leader before it',
  (node) => (node.tags.has('leader') ? Number(node.context.term) : undefined),
);
