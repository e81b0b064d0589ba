/**
 * The modules that a page shares with the bundled modules of its user, so that there is one copy of
 * each.
 */
export const sharedModules = [
  'xstate',
  'rxjs',
  '@conclave/algorithms',
  '@conclave/core/chart',
  '@conclave/core/exploration',
  '@conclave/core/protocol',
  '@conclave/core/simulation',
  '@conclave/core/topology',
  '@conclave/core/trace',
  '@conclave/core/internal/chart',
  '@conclave/core/internal/exploration',
  '@conclave/core/internal/options',
  '@conclave/core/internal/protocol',
  '@conclave/core/internal/simulation',
  '@conclave/core/internal/trace',
] as const;
