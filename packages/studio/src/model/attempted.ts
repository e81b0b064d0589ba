import type { Goal } from '../link/link.js';
import type { Badge } from './properties.js';

/** How far somebody is with an exercise. */
export type Attempted =
  | { readonly kind: 'solved'; readonly steps: number }
  /** It is violated, but after more steps than allowed. */
  | { readonly kind: 'too long'; readonly steps: number }
  | { readonly kind: 'open'; readonly left: number }
  /** The protocol has no such property. */
  | { readonly kind: 'unknown' };

/** @param depth how many steps were taken */
export function attempted(
  { property, within }: Goal,
  badges: readonly Badge[],
  depth: number,
): Attempted {
  const badge = badges.find(({ name }) => name === property);
  if (!badge) return { kind: 'unknown' };
  if (badge.value !== 'false') return { kind: 'open', left: within - depth };
  const steps = badge.since?.depth ?? depth;
  return { kind: steps <= within ? 'solved' : 'too long', steps };
}
