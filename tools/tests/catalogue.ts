/**
 * All algorithms, for a test that sweeps over them. Vitest does not see which module this is, so
 * that a change of one machine selects the tests that name it: `vitest --changed`.
 */
const name = '@conclave/algorithms';

// what that module exports
const algorithms = (await import(name)) as typeof import('@conclave/algorithms');

export const { catalogue, protocolOf } = algorithms;
