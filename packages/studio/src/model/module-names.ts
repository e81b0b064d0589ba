/**
 * The modules that a page shares with the bundled modules of its user, so that there is one copy of
 * each.
 */
export const sharedModules = [
  'xstate',
  'rxjs',
  '@conclave/algorithms',
  '@conclave/core/channel',
  '@conclave/core/chart',
  '@conclave/core/exploration',
  '@conclave/core/options',
  '@conclave/core/protocol',
  '@conclave/core/simulation',
  '@conclave/core/topology',
  '@conclave/core/trace',
] as const;
