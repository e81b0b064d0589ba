import type { Verdict } from '../../protocol/property.js';

export const verdictsOf = (found: {
  readonly properties: readonly { readonly verdict: Verdict }[];
}): readonly Verdict[] => found.properties.map(({ verdict }) => verdict);
