/**
 * What a test shows about an algorithm, named as in the catalogue. It stays with the test in the
 * report of a run, where tools/algorithm/marks.mjs reads it.
 */
export type Evidence = { readonly of: string } & (
  | { readonly kind: 'rules' | 'assumption' | 'cost' | 'formula' | 'paths' | 'lock' }
  | { readonly kind: 'explored'; readonly system: string; readonly states: number }
  | { readonly kind: 'mutant'; readonly mutant: string }
);

declare module 'vitest' {
  interface TaskMeta {
    evidence?: Evidence;
  }
}

/** An option of `describe` or `it`; the evidence of a suite is that of each of its tests. */
export const shows = (evidence: Evidence) => ({ meta: { evidence } });

/** Of a suite whose tests drop an assumption, and show what breaks. */
export const showsAssumption = (of: string) => shows({ of, kind: 'assumption' });

/** Of a suite that measures what runs cost. */
export const showsCost = (of: string) => shows({ of, kind: 'cost' });
